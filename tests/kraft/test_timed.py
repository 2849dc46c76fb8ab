"""Today's partition with a clock: how its stories compare with the ISR family's, and what stays as it was."""

import pytest

from isrcheck import Outcome, check
from isrcheck.engines.contract import Options
from isrmodel.isr import Kafka19996Fix, StrictMinIsr
from isrmodel.kraft import RELEASES, KraftTimed

OF_THE_CONTROLLER = ("begin", "learn", "ask_drop", "grant")
SMALL = {"max_version": 3, "max_epoch": 1}


def timed(*properties: str, **constants: int | bool) -> Outcome:
    return check(KraftTimed, properties=properties, options=Options(symmetry=True), constants=SMALL | constants)


def story(outcome: Outcome) -> list[str]:
    (found,) = outcome.properties
    assert found.trace is not None
    return [each.action for each in found.trace.steps[1:] if each.action]


def test_flapping_is_the_story_of_the_isr_family_with_a_controller() -> None:
    """Six steps more: the partition begins and both learn of it, and the drop is asked for, granted and learned of."""
    alone = story(check(StrictMinIsr, properties=["no_bad_expand"], constants={"max_records": 1}))
    with_controller = story(timed("no_bad_expand"))
    assert sorted(alone) == ["follower_fetches", "leader_appends", "time_passes", "time_passes", "time_passes"]
    rest = [action for action in with_controller if action not in OF_THE_CONTROLLER]
    assert sorted(rest) == ["fetch", "time_passes", "time_passes", "time_passes", "write"]
    assert (len(alone), len(with_controller)) == (5, 11)


def test_the_fix_of_flapping_keeps_late_followers_out() -> None:
    outcome = timed("no_bad_expand", kafka_19996=True)
    assert outcome.property("no_bad_expand").verdict.value == "holds"
    assert check(Kafka19996Fix, properties=["no_bad_expand"]).property("no_bad_expand").verdict.value == "holds"


def test_a_drop_in_flight_makes_one_record_enough_for_the_idle_stall() -> None:
    """Who fetches before its leader has learned of the drop is caught up and not let in. Without a controller it is."""
    told = story(timed("hw_not_stalled", min_isr=1))
    assert len(told) == 14
    assert told.count("write") == 1
    assert told.index("ask_drop") < told.index("fetch") < len(told) - 1 - told[::-1].index("learn")
    alone = {"min_isr": 1, "max_records": 2}
    assert check(StrictMinIsr, properties=["hw_not_stalled"], constants=alone).verdict.value == "holds"


@pytest.mark.parametrize(
    ("waits_for_live", "bump_on_shrink", "steps"), [(True, False, None), (False, False, 5), (False, True, 13)]
)
def test_the_high_watermark_waits_for_a_broker_that_shuts_down(
    waits_for_live: bool, bump_on_shrink: bool, steps: int | None
) -> None:
    outcome = timed(
        "waits_for_no_leaver",
        min_isr=1,
        clean_stops=1,
        max_version=6,
        max_epoch=4,
        max_session=1,
        waits_for_live=waits_for_live,
        bump_on_shrink=bump_on_shrink,
    )
    assert (len(story(outcome)) if outcome.properties[0].trace else None) == steps


@pytest.mark.slow
def test_the_reference_sees_the_same_graph() -> None:
    constants = {"lag_time_max": 1, "min_isr": 1, **SMALL}
    slow, fast = (check(KraftTimed, engine=engine, constants=constants) for engine in ("reference", "native"))
    assert (slow.distinct, slow.generated, slow.depth, slow.pruned, slow.digest) == (
        fast.distinct,
        fast.generated,
        fast.depth,
        fast.pruned,
        fast.digest,
    )


def test_without_a_clock_nothing_changes() -> None:
    """The graph from before there was a clock, by the rules of the high watermark that the model had then."""
    constants = {
        "fences": 1, "max_version": 5, "max_epoch": 5, "max_session": 0, "hw_eager": True, "answers_earlier": False
    }  # fmt: skip
    outcome = check(RELEASES["kraft-4.1"], constants=constants)
    assert outcome.searched is not None
    assert (outcome.searched.distinct, outcome.searched.generated, outcome.searched.depth) == (505, 1755, 16)
    assert outcome.searched.digest == "9ed091cf5646167cc091c03554763a6d"
