"""What Kafka's own classes do and models had otherwise (of 3.3.2 to 4.4.0)."""

import re
from typing import Annotated, Any, Self

import pytest

from isrcheck import UpTo, check, each, invariant, step
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.codec import codec
from isrcheck.passes.bind import bind
from isrcheck.plugin import read_model
from isrmodel.kraft.releases import Kraft, Kraft36, Kraft41
from isrmodel.vocabulary import Replica

CLEAN_STOP: dict[str, Any] = {"fences": 1, "clean_stops": 1, "max_version": 6, "max_epoch": 6, "max_session": 1}


class Stops41(Kraft41):
    """A broker that is shutting down and was fenced."""

    @step
    def who_leaves_stays_fenced(self, before: Self) -> bool:
        """It is not unfenced before it is down."""
        return all(r in self.fenced for r in before.fenced if r in before.leaving and r in self.leaving)

    @step
    def who_leaves_is_heard_of(self, before: Self) -> bool:
        """It asks for that by a heartbeat."""
        return all(self.unheard[r] == 0 for r in self.leaving - before.leaving)


class Leaderless(Kraft36):
    """A partition without a leader; up to 3.5 with `bump_on_shrink`."""

    @step
    def who_is_without_a_leader_stays_in_its_epoch(self, before: Self) -> bool:
        """No leader epoch begins while nobody leads before and after."""
        return before.now.leader is not None or self.now.leader is not None or self.now.epoch == before.now.epoch


def verdict_of(model: Any, property_name: str, **constants: bool) -> str:
    outcome = check(model, properties=[property_name], constants=CLEAN_STOP | constants, vacuity=False)
    return outcome.properties[0].verdict.value


def test_who_shuts_down_is_not_unfenced() -> None:
    names = ["who_leaves_stays_fenced", "who_leaves_is_heard_of"]
    constants = CLEAN_STOP | {"controller_failures": 1, "tracks_all": False}
    outcome = check(Stops41, properties=names, constants=constants, vacuity=False)
    assert [each.verdict.value for each in outcome.properties] == ["holds", "holds"]


@pytest.mark.parametrize(("bump_on_shrink", "verdict"), [(False, "holds"), (True, "violated")])
def test_fencing_the_last_member_begins_an_epoch_up_to_3_5(bump_on_shrink: bool, verdict: str) -> None:
    asked = "who_is_without_a_leader_stays_in_its_epoch"
    assert verdict_of(Leaderless, asked, bump_on_shrink=bump_on_shrink) == verdict


@pytest.mark.parametrize("name", ["kraft-3.8", "kraft-3.9"])
def test_unclean_elections_are_heeded_since_3_9(name: str) -> None:
    constants = {"unclean": True, "min_isr": 1, "fences": 2, "max_version": 6, "max_epoch": 6, "max_session": 0}
    (acked,) = check(name, properties=["acked_in_leader"], constants=constants, vacuity=False).properties
    assert acked.verdict.value == ("violated" if name == "kraft-3.9" else "holds")


class LedSince(Kraft41):
    """A leader that also knows since which epoch it has led, with no other leader that it has read of."""

    led_since: dict[Replica, Annotated[int, UpTo("max_epoch")]] = each(Replica, 0)

    def restart_clocks(self, broker: Replica, leads_on: bool) -> None:
        """A broker has learned of a leader epoch."""
        known = self.known[broker]
        since = self.led_since[broker] if leads_on else known.epoch
        self.led_since[broker] = since if known.leader == broker else 0

    def stop_clocks(self, broker: Replica) -> None:
        """What waits at a broker that goes down is never answered."""
        self.led_since[broker] = 0

    @invariant
    def answers_for_all_that_waits(self) -> bool:
        """What a leader wrote since then and has not committed waits for its answer (`DelayedProduce`)."""
        return all(
            self.still_answers(r, epoch) == (self.led_since[r] <= epoch)
            for r in Replica
            if self.leads(r)
            for epoch in self.log[r][self.hw[r] :]
        )


def test_a_leader_answers_for_all_that_waits() -> None:
    constants = {"fences": 1, "elections": 2, "max_records": 2, "max_version": 5, "max_epoch": 5, "max_session": 0}
    outcome = check(LedSince, properties=["answers_for_all_that_waits"], constants=constants, vacuity=False)
    assert outcome.properties[0].verdict.value == "holds"
    assert outcome.pruned == 0
    without = constants | {"answers_earlier": False}
    (alone,) = check(LedSince, properties=["answers_for_all_that_waits"], constants=without, vacuity=False).properties
    assert alone.verdict.value == "violated"


REMEMBERED = """begin r0 r0, learn r0 1, learn r1 1, learn r2 1, fetch r1 r0, fetch r2 r0, fence r0 None,
unfence r0 r0, learn r0 3, learn r1 3, learn r2 3, fetch r1 r0, ask_add r0 r1, write r0, fence r1 r0,
refuse_ineligible r0, lose_response r2 r0, fetch r2 r0, fetch r2 r0"""


def test_a_leader_elected_again_takes_no_fetch_for_news_of_which_it_knew() -> None:
    """Once r1 is refused nothing waits, and nothing moves the high watermark before the log end of r2 does."""
    constants = {"replicas": 3, "min_isr": 1, "initial_isr": 1, "fences": 2, "max_version": 3, "max_session": 0}
    stepper = ReferenceStepper(bind(read_model(Kraft), constants))
    calls = {re.sub(r"\w+=|[(),]", " ", stepper.call(i)): i for i in range(len(stepper.instances))}
    instances = {" ".join(call.split()): i for call, i in calls.items()}
    state, known = stepper.initial, []
    for call in REMEMBERED.split(","):
        after = stepper.step(state, instances[" ".join(call.split())])
        assert after is not None
        state, values = after, stepper.values(after)
        leader, *_, third = values["hw"]
        known.append((values["hw"][leader], values["heard"][leader][third], values["remembered"][leader][third]))
    heard = known[5][1]
    assert known[8:16] == [(0, None, (heard,))] * 8
    assert known[16:] == [(0, heard, ()), (0, heard, ()), (1, heard._replace(offset=1), ())]


def test_of_two_replicas_nothing_is_remembered() -> None:
    domain = bind(read_model(Kraft), {}).domains["remembered"]
    assert {scalar.size for scalar in codec(domain).scalars("remembered")} == {1}
