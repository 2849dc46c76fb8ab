"""What a soak does is decided before it begins, and can be repeated with fewer faults."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.observe.runs import RECORDED, of_archive

from isrbrokers.__main__ import main
from isrbrokers.journal import BEGINS, Journal
from isrbrokers.judging import Deviation, by_model, by_rules
from isrbrokers.plan import KINDS, Fault, fewest, random_plan, read_plan, write_plan
from isrbrokers.releases import BUGS
from isrbrokers.shrink import Shrink, faults_before, from_the_beginning
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


class FakePlayer:
    """Writes what it is asked to play; every `flaky`th run shows nothing."""

    def __init__(self, flaky: int = 0) -> None:
        self.seconds: list[float] = []
        self._flaky = flaky

    def __call__(self, faults: Sequence[Fault], seconds: float, into: Path) -> None:
        self.seconds.append(seconds)
        into.mkdir()
        shown = not self._flaky or len(self.seconds) % self._flaky
        write_plan(faults if shown else [], into / "plan.jsonl")


def kills_of_1_and_2(run: Path) -> Deviation | None:
    nodes = {fault.node for fault in read_plan(run / "plan.jsonl") if fault.kind == "kill"}
    return Deviation("a record is lost") if {1, 2} <= nodes else None


@pytest.mark.parametrize(("flaky", "tries"), [(0, 1), (3, 2)])
def test_two_faults_are_left_of_many(flaky: int, tries: int, tmp_path: Path) -> None:
    player, lines = FakePlayer(flaky), list[str]()
    shrunk = Shrink(player, kills_of_1_and_2, tmp_path / "shrunk", tries, lines.append)
    faults = shrunk.fewest(random_plan(600, seed=1, brokers=3))
    assert sorted(fault.node for fault in faults) == [1, 2]
    assert {fault.kind for fault in faults} == {"kill"}
    kept = read_plan(tmp_path / "shrunk" / "plan.jsonl")
    assert kept == from_the_beginning(faults)[0]
    assert shrunk.wrong == Deviation("a record is lost")
    assert len(lines) == shrunk.runs == len(player.seconds)
    assert lines[-1].endswith(("faults: nothing wrong", "faults: a record is lost"))
    assert not (tmp_path / "shrunk.try" / "shrunk").exists()


def test_no_plan_is_played_twice_unless_asked(tmp_path: Path) -> None:
    player = FakePlayer()
    Shrink(player, lambda _: Deviation("always"), tmp_path / "shrunk").fewest(random_plan(300, seed=2, brokers=3))
    assert len(player.seconds) < 10


def test_a_smaller_plan_begins_at_once_and_keeps_its_pace() -> None:
    faults = [Fault(100.0, "pause", 1, 7.5), Fault(102.0, "elect", 0)]
    soon, seconds = from_the_beginning(faults)
    assert soon == [Fault(5.0, "pause", 1, 7.5), Fault(7.0, "elect", 0)]
    assert seconds == 27.5
    assert from_the_beginning([])[0] == []


def test_what_began_after_it_went_wrong_is_left_out(tmp_path: Path) -> None:
    faults = [Fault(10.0, "kill", 1), Fault(20.0, "kill", 2)]
    assert faults_before(faults, Deviation("x", wall_ms=0), tmp_path) == faults  # nobody says when it began
    Journal(tmp_path / "faults.jsonl").note(what=BEGINS)
    begun = Journal(tmp_path / "faults.jsonl").read()[0]["t"]
    assert faults_before(faults, Deviation("x", wall_ms=int((begun + 15) * 1000)), tmp_path) == faults[:1]
    assert faults_before(faults, Deviation("x"), tmp_path) == faults


def test_runs_are_judged_by_rules_or_by_a_model() -> None:
    lost, whole = RECORDED / "s20-elr-BA-1", RECORDED / "stall2-4.1.1"
    wrong = by_rules(lost)
    assert wrong is not None
    assert wrong.what.startswith(("acked_present: ", "leader_has_committed: "))
    assert wrong.wall_ms is not None
    assert by_rules(whole) is None
    assert by_model("kraft-4.1")(whole) is None
    departs = by_model("isr-kip-16-merged")(whole)
    assert departs is not None
    assert "departs from isr-kip-16-merged: broker 1: " in departs.what


def test_what_is_no_soak_is_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("confluent_kafka")
    result = CliRunner().invoke(main, ["shrink", str(tmp_path)])
    assert isinstance(result.exception, UsageError)
    assert "is not the run of a soak" in str(result.exception)
