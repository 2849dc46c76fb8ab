"""The ISR of the isr-* models has its leader: what Kafka's text says of the ISR's size can be written as it stands."""

from functools import cache

import pytest

from isrcheck import Model, Outcome, check, invariant
from isrcheck.lang.read import read_model
from isrmodel import MODELS
from isrmodel.isr import DesignV3, Kafka4485V1, Kip501, StrictMinIsr
from isrmodel.isr.vocabulary import Leader
from isrmodel.vocabulary import Follower, HwFetches


class Pr23024(StrictMinIsr):
    """The text of apache/kafka PR 23024: below min.insync.replicas a follower must be caught up to be let in."""

    def may_join(self, follower: Follower) -> bool:
        """It has reached the high watermark; while the ISR is below the minimum it must not lag either."""
        reached = self.known[follower] >= self.hw
        if len(self.isr) < self.min_isr:
            return reached and not self.lags(follower)
        else:
            return reached


class StrictHasLeader(StrictMinIsr):
    @invariant
    def leader_in_isr(self) -> bool:
        return Leader.LEADER in self.isr and len(self.isr) >= 1


class DefinitionHasLeader(Kafka4485V1):
    @invariant
    def leader_in_isr(self) -> bool:
        return Leader.LEADER in self.isr and len(self.isr) >= 1


class DesignHasLeader(DesignV3):
    @invariant
    def leader_in_isr(self) -> bool:
        return Leader.LEADER in self.isr and len(self.isr) >= 1


class Kip501HasLeader(Kip501):
    @invariant
    def leader_in_isr(self) -> bool:
        return Leader.LEADER in self.isr and len(self.isr) >= 1


@pytest.mark.parametrize("model", [StrictHasLeader, DefinitionHasLeader, DesignHasLeader, Kip501HasLeader])
def test_the_leader_never_leaves_the_isr(model: type[Model]) -> None:
    outcome = check(model, properties=["leader_in_isr"], max_records=1)
    assert [p.verdict.value for p in outcome.properties] == ["holds"]


def test_the_text_of_the_pull_request_flaps_with_three_replicas() -> None:
    """With the ISR's size as Kafka counts it: above the minimum the follower need not be caught up."""
    outcome = check(Pr23024, properties=["no_bad_expand"], replicas=3)
    (bad_expand,) = outcome.properties
    assert (bad_expand.verdict.value, bad_expand.trace is not None and bad_expand.trace.length) == ("violated", 7)


def test_the_text_of_the_pull_request_is_the_variant_of_the_library() -> None:
    """With the same graph, by its digest, at its defaults."""
    own, library = check(Pr23024), check("isr-kafka-19996-fix")
    assert own.digest == library.digest is not None


THREE = {"replicas": 3, "max_records": 3, "lag_time_max": 2, "expiration_period": 1}
RULES = ("all", "progress", "progress-or-join")


@cache
def run(model: str, **more: int | str) -> Outcome:
    outcome = check(model, constants={**THREE, **more}, symmetry=True)
    assert outcome.cut is None
    return outcome


def steps(outcome: Outcome, name: str) -> int | None:
    trace = outcome.property(name).trace
    return trace.length - 1 if trace else None


@pytest.mark.parametrize("min_isr", [1, 2])
@pytest.mark.parametrize("rule", RULES)
def test_a_live_follower_ends_a_stall_only_up_to_2_3(rule: str, min_isr: int) -> None:
    found = run("isr-strict-min-isr", hw_fetches=rule, min_isr=min_isr)
    lengths = {1: 14, 2: 15}
    assert steps(found, "live_fetch_ends_stall") == (None if rule == "all" else lengths[min_isr])


@pytest.mark.slow
def test_reads_that_take_time_change_nothing_about_it() -> None:
    assert steps(run("isr-kip-501"), "live_fetch_ends_stall") == 19
    assert steps(run("isr-kip-501", hw_fetches="all"), "live_fetch_ends_stall") is None


def test_with_two_replicas_there_is_nobody_to_end_it() -> None:
    outcome = check("isr-strict-min-isr")
    assert "of two replicas" in outcome.not_asked["live_fetch_ends_stall"]


def test_each_version_has_its_own_rule() -> None:
    """2.3's with a minimum of one is `isr-kafka-7152`, state by state; an admission counts from 3.0 on."""
    before = run("isr-kafka-7152")
    assert run("isr-strict-min-isr", hw_fetches="all", min_isr=1).digest == before.digest
    assert run("isr-strict-min-isr", min_isr=1).digest != before.digest
    assert {rule: steps(run("isr-strict-min-isr", hw_fetches=rule), "hw_not_stalled") for rule in RULES} == {
        "all": 14,
        "progress": 8,
        "progress-or-join": 14,
    }


@pytest.mark.slow
def test_partitions_of_3_7_have_the_rule_too() -> None:
    small = {"replicas": 3, "max_records": 2, "lag_time_max": 1, "leader_epochs": 1}
    model = "partition-strict-min-isr-kip-320"
    always = check(model, constants={**small, "hw_fetches": "all"}, symmetry=True)
    assert check(model, constants={**small, "hw_fetches": "progress"}, symmetry=True).digest != always.digest
    [rule] = [c for c in read_model(MODELS[model]).constants if c.name == "hw_fetches"]
    assert rule.default == HwFetches.PROGRESS_OR_JOIN
