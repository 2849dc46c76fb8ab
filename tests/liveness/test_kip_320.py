"""KIP-320 asked what it does for ever, with weak fairness of every step that a replica takes by itself."""

from typing import Any

import pytest
from tests.liveness.kip_320 import Kip320Forever

from isrcheck import Limits, Outcome, Verdict, check

NAMES = ["elected_takes_office", "followers_hear_of_the_leader", "records_are_committed"]

ALIVE = (
    "elections_are_heard_of",
    "leaders_are_followed",
    "followers_fetch",
    "isr_is_kept",
    "high_watermark_advances",
)


def verdicts(*fairness: str, **constants: Any) -> dict[str, Verdict]:
    outcome = decided(*fairness, **constants)
    return {each.name: each.verdict for each in outcome.properties}


def decided(*fairness: str, **constants: Any) -> Outcome:
    return check(Kip320Forever, properties=NAMES, fairness=fairness, limits=Limits(memory=4 << 30), **constants)


def test_with_live_replicas_every_property_holds_and_without_none_does() -> None:
    assert verdicts(*ALIVE) == dict.fromkeys(NAMES, Verdict.HOLDS)
    assert verdicts() == dict.fromkeys(NAMES, Verdict.VIOLATED)


@pytest.mark.parametrize("dead", [each for each in ALIVE if each != "isr_is_kept"])
def test_each_environment_is_needed(dead: str) -> None:
    """But for changes of the ISR: while everybody fetches, nobody needs to be dropped."""
    assert Verdict.VIOLATED in verdicts(*(each for each in ALIVE if each != dead)).values()


@pytest.mark.slow
def test_the_graph_that_tlc_was_published_with() -> None:
    """737,794 states, 1,929,154 steps; 5 CPU seconds and 0.2 GiB."""
    outcome = decided(*ALIVE, replicas=3, log_size=2, max_records=2, max_leader_epoch=2)
    assert [each.verdict for each in outcome.properties] == [Verdict.HOLDS] * 3
    assert outcome.searched is not None
    assert outcome.searched.distinct == 737_794
