"""Bugs that the agent put into brokers of 4.1.1 (docs/brokers.md) are found in what these wrote, with the event.

Some of the runs in tests/fixtures/bugs are cut off after the event. `conform` tries all orders before it says that one
departs.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from isrbrokers.bugs import BUGS
from isrbrokers.judging import by_model, by_rules
from isrmodel.conform.judge import judge
from isrmodel.conform.reading import events_of, settings_of
from isrmodel.conform.search import Limits
from isrmodel.conform.verdict import UNDETERMINED

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
    "any-epoch": FoundBy(
        None, "leader_has_committed: broker 1, tv-0: it leads epoch 2 from offset 1, and all records below"
    ),
    "joins-at-once": FoundBy("kraft-4.1", "broker 1: isr_asked(broker=1, what=Expand, who=3"),
    "never-leaves": FoundBy("isr-strict-min-isr", "broker 1: tick(): after time_passes(), broker 1 would have said"),
    "hw-of-isr-ignored": FoundBy("kraft-4.1", "broker 2: copies(last=7, first=0, end=8, leader=1, leader_hw=8)"),
}
SLOW = {"old-partition-epoch", "joins-at-once", "never-leaves"}  # 5 to 12 s


@pytest.mark.parametrize("bug", [pytest.param(bug, marks=[pytest.mark.slow] if bug in SLOW else []) for bug in FOUND])
def test_a_bug_is_found_with_the_event(bug: str) -> None:
    found = FOUND[bug]
    wrong = by_model(found.model, seconds=600)(FIXTURES / bug) if found.model else by_rules(FIXTURES / bug)
    assert wrong is not None
    assert found.said in wrong.what


@pytest.mark.slow
def test_a_follower_that_keeps_what_it_should_truncate_is_not_explained() -> None:
    """It stops before it appends; at its next start its log has two records that nobody wrote since: undetermined."""
    run = FIXTURES / "no-truncation"
    ((partition, events),) = events_of(run, None).items()
    verdict = judge(partition, events, settings_of(run, events), "kraft-4.1", {}, Limits(600, 4_000_000))
    assert verdict.verdict == UNDETERMINED
    assert verdict.why == "nothing was written by broker 1 of its log from offset 5 to 7"
    assert verdict.unexplained is not None
    assert verdict.unexplained.event.startswith("follows(broker=1, epoch=1, offset=7")
    assert verdict.unexplained.because == "log end offset of broker 1: 7 observed, 5 in the model"


def test_every_bug_is_tried() -> None:
    assert {*FOUND, "no-truncation"} == set(BUGS)
