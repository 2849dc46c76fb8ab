"""What a soak does is decided before it begins, and can be repeated with fewer faults."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.observe.runs import of_archive

from isrbrokers.judging import by_model, by_rules
from isrbrokers.plan import KINDS, Fault, fewest, random_plan, read_plan, write_plan
from isrbrokers.releases import BUGS
from isrcheck.errors import UsageError
from isrlogs.conform.judge import judge
from isrlogs.conform.reading import events_of, settings_of
from isrlogs.conform.search import Limits
from isrlogs.observe.run import read_run


def test_a_seed_decides_a_plan() -> None:
    plan = random_plan(1800, seed=7, brokers=3)
    assert plan == random_plan(1800, seed=7, brokers=3) != random_plan(1800, seed=8, brokers=3)
    assert len(plan) >= 40
    assert {fault.kind for fault in plan} == set(KINDS)
    assert all(0 <= fault.at < 1800 and 0 <= fault.node <= 3 for fault in plan)
    assert [fault.at for fault in plan] == sorted(fault.at for fault in plan)


def test_a_plan_is_kept(tmp_path: Path) -> None:
    plan = random_plan(600, seed=1, brokers=3)
    write_plan(plan, tmp_path / "plan.jsonl")
    assert read_plan(tmp_path / "plan.jsonl") == plan


@pytest.mark.parametrize("text", ["x", '{"at": 1}', '{"at": 1, "kind": "flood", "node": 1}'])
def test_what_is_no_plan_is_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.jsonl").write_text(text)
    with pytest.raises(UsageError, match="is not a plan that a soak wrote"):
        read_plan(tmp_path / "plan.jsonl")


@given(st.integers(1, 30), st.sets(st.integers(0, 29), min_size=1, max_size=4))
def test_the_fewest_faults_that_still_depart(size: int, needed: set[int]) -> None:
    faults = [Fault(float(at), "kill", 1) for at in range(size)]
    wanted = {at for at in needed if at < size}

    def departs(plan: Sequence[Fault]) -> bool:
        return wanted <= {int(fault.at) for fault in plan}

    found = fewest(faults, departs)
    assert departs(found)
    assert {int(fault.at) for fault in found} == wanted or len(found) == 1


class FoundBy(NamedTuple):
    """A model, or the rules; and what they say of the first event."""

    model: str | None
    said: str


FOUND = {
    "hw-not-on-shrink": FoundBy(
        "isr-strict-min-isr", "broker 1: tick(): after time_passes(), broker 1 would have said"
    ),
    "old-partition-epoch": FoundBy("kraft-4.1", "controller: elects(isr=1, version=2, epoch=0)"),
    "no-truncation": FoundBy("kraft-4.1", "broker 2: known(broker=2, follower=1, offset=7"),
    "any-epoch": FoundBy(
        None, "leader_has_committed: broker 1, tv-0: it leads epoch 2 from offset 1, and all records below"
    ),
    "joins-at-once": FoundBy("kraft-4.1", "broker 1: isr_asked(broker=1, what=Expand, who=3"),
    "never-leaves": FoundBy("isr-strict-min-isr", "broker 1: tick(): after time_passes(), broker 1 would have said"),
    "hw-of-isr-ignored": FoundBy("kraft-4.1", "broker 2: copies(last=7, first=0, end=8, leader=1, leader_hw=8)"),
}
SLOW = {"no-truncation", "old-partition-epoch", "joins-at-once", "never-leaves"}  # 5 to 45 s


@pytest.mark.parametrize("bug", [pytest.param(bug, marks=[pytest.mark.slow] if bug in SLOW else []) for bug in FOUND])
def test_a_bug_is_found_with_the_event(bug: str) -> None:
    found = FOUND[bug]
    run = of_archive("broker-bugs", bug)
    wrong = by_model(found.model, seconds=600)(run) if found.model else by_rules(run)
    assert wrong is not None
    assert found.said in wrong.what


def test_a_record_that_is_not_truncated_breaks_a_rule_too() -> None:
    wrong = by_rules(of_archive("broker-bugs", "no-truncation"))
    assert wrong is not None
    assert wrong.what == ("logs_agree: broker 2, tv-0: epoch 1 begins at 5 in its log, and at 7 in that of broker 1")


@pytest.mark.parametrize("scenario", ["crash", "old-follower", "old-request", "rejoin"])
def test_without_a_bug_the_same_scenario_conforms(scenario: str) -> None:
    run = of_archive("broker-bugs", f"control-{scenario}")
    ((partition, events),) = events_of(run, None).items()
    verdict = judge(partition, events, settings_of(run, events), "kraft-4.1", {}, Limits(60))
    assert verdict.verdict == "conforms", verdict.why
    assert by_rules(run) is None


@pytest.mark.parametrize(("scenario", "kind"), [("crash", "truncate"), ("old-request", "rejects")])
def test_what_a_bug_takes_away_happens_without_it(scenario: str, kind: str) -> None:
    events, _ = read_run(of_archive("broker-bugs", f"control-{scenario}"))
    assert any(event.kind == kind for event in events)


def test_every_bug_is_tried() -> None:
    assert FOUND.keys() == BUGS.keys()
