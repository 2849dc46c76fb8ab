"""Bugs that the agent put into brokers of 4.1.1 (docs/brokers.md) are found in what these wrote, with the event.

The runs in tests/fixtures/bugs are cut off shortly after the event. `conform` tries all orders before it says that one
departs.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from isrbrokers.bugs import BUGS
from isrbrokers.judging import by_model, by_rules

FIXTURES = Path(__file__).parents[1] / "fixtures" / "bugs"


class FoundBy(NamedTuple):
    """A model, or the rules; and what they say of the first event."""

    model: str | None
    said: str


FOUND = {
    "hw-not-on-shrink": FoundBy(
        "isr-strict-min-isr", "broker 1: tick(): after time_passes(), broker 1 would have said"
    ),
    "old-partition-epoch": FoundBy("kraft-4.1", "controller: elects(isr=1, version=2, epoch=0)"),
    "no-truncation": FoundBy("kraft-4.1", "broker 1: follows(broker=1, epoch=1, offset=7"),
    "any-epoch": FoundBy(
        None, "leader_has_committed: broker 1, tv-0: it leads epoch 2 from offset 1, and all records below"
    ),
    "joins-at-once": FoundBy("kraft-4.1", "broker 1: isr_asked(broker=1, what=Expand, who=3"),
    "never-leaves": FoundBy("isr-strict-min-isr", "broker 1: tick(): after time_passes(), broker 1 would have said"),
    "hw-of-isr-ignored": FoundBy("kraft-4.1", "client: ack(value=m2, acks=all, offset=0)"),
}
SLOW = {"no-truncation", "old-partition-epoch", "joins-at-once", "never-leaves"}  # 5 to 20 s


@pytest.mark.parametrize("bug", [pytest.param(bug, marks=[pytest.mark.slow] if bug in SLOW else []) for bug in BUGS])
def test_a_bug_is_found_with_the_event(bug: str) -> None:
    found = FOUND[bug]
    judge = by_model(found.model, seconds=600) if found.model else by_rules
    wrong = judge(FIXTURES / bug)
    assert wrong is not None
    assert found.said in wrong.what
