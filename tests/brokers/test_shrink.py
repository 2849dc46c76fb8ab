"""A soak that went wrong is played again with fewer faults: here by a player that only writes the plan."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.observe.runs import RECORDED

from isrbrokers.__main__ import main
from isrbrokers.journal import BEGINS, Journal
from isrbrokers.judging import Deviation, by_model, by_rules
from isrbrokers.plan import Fault, random_plan, read_plan, write_plan
from isrbrokers.shrink import Shrink, faults_before, from_the_beginning
from isrcheck.errors import UsageError


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
