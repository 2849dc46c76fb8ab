"""Limits count from the first line of a command to its last, and what would never end is refused before it begins."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.clock import run_slowly_in
from tests.fixtures.command_line import in_process

from isrcheck import check, prove, simulate
from isrcheck.engines.contract import Limits, Progress
from isrcheck.errors import ModelError
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import Outcome

MODEL = '''"""Numbers."""

from typing import Annotated

from isrcheck import Model, Sort, UpTo, action, assume, constant, each, invariant, require, subsets

Key = Annotated[int, UpTo(1_000_000_000)]
Any = Annotated[int, UpTo("most")]


class Many(Model):
    """Forty switches: 10^12 states."""

    on: dict[Annotated[int, UpTo(39)], bool] = each(Annotated[int, UpTo(39)], False)

    @action
    def switch(self, key: Annotated[int, UpTo(39)]) -> None:
        self.on[key] = not self.on[key]

    @invariant
    def some_are_off(self) -> bool:
        return not all(self.on[k] for k in self.on)


class Value(Model):
    """A constant that nothing runs over."""

    most: int = constant(1_000_000_000_000, "the largest number")

    number: Any = 0

    @action
    def grow(self) -> None:
        require(self.number < 5)
        self.number = self.number + 1

    @invariant
    def is_small(self) -> bool:
        return self.number <= self.most


class Choices(Model):
    """As many instances as there are numbers."""

    most: int = constant(1_000_000_000_000, "the largest number")

    number: Any = 0

    @action
    def choose(self, chosen: Any) -> None:
        self.number = chosen


class Keys(Model):
    """A map over numbers."""

    numbers: dict[Key, bool] = each(Key, False)

    @action
    def put(self) -> None:
        self.numbers[3] = True


class Slots(Model):
    """A long sequence."""

    numbers: Annotated[tuple[Annotated[int, UpTo(3)], ...], UpTo(1_000_000_000)] = ()

    @action
    def put(self) -> None:
        self.numbers = self.numbers + (2,)


class Range(Model):
    """A long range."""

    number: Annotated[int, UpTo(5)] = 0

    @action
    def grow(self) -> None:
        self.number = self.number + 1

    @invariant
    def is_small(self) -> bool:
        return all(self.number != i + 10 for i in range(100_000_000))


class Node(Sort, size="nodes"):
    """Who may be in a subset."""


class Subsets(Model):
    """The subsets of a sort."""

    nodes: int = constant(19, "how many there are", at_least=1)

    members: frozenset[Node] = frozenset()

    @action
    def add(self, node: Node) -> None:
        self.members |= {node}

    @invariant
    def is_a_subset(self) -> bool:
        return any(some == self.members for some in subsets(Node))


class Nested(Model):
    """Two ranges that are short, one within the other."""

    number: Annotated[int, UpTo(5)] = 0

    @action
    def grow(self) -> None:
        self.number = self.number + 1

    @invariant
    def is_small(self) -> bool:
        return all(self.number != i + j + 10 for i in range(10_000) for j in range(10_000))


class Slow(Model):
    """An assumption that CPython computes for hours."""

    most: int = constant(3, "the largest number")

    number: Any = 0

    @assume
    def holds(self) -> bool:
        return all(i >= 0 for i in range(100_000_000_000))

    @action
    def grow(self) -> None:
        self.number = self.number + 1

    @invariant
    def is_small(self) -> bool:
        return self.number <= self.most
'''
MAP_TOO_LARGE = "numbers has 1,000,000,001 scalars, which makes more than the 10,000 that all variables together"
REFUSED = {
    "Choices": "choose() has 1,000,000,000,001 choices of parameters, which makes more than the 100,000",
    "Keys": "dict[Key, bool] has 1000000001 possible keys; 1000000 is the most a map may have",
    "Slots": MAP_TOO_LARGE,
    "Range": "100,000,000 elements are written out one by one here and 1,000,000 are the most",
    "Subsets": "2^19 subsets of 19 elements are written out one by one here and 1,000,000 elements of them are",
    "Nested": "10,000 elements are written out one by one here, 10,000 times over, and 1,000,000 are the most",
}


@pytest.fixture(autouse=True)
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sizes.py").write_text(MODEL, encoding="utf-8")


def isrcheck(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isrcheck", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_unrolled_without_end_is_refused_with_its_size(name: str) -> None:
    with pytest.raises(ModelError) as refused:
        check(f"sizes.py:{name}", limits=Limits(seconds=600))  # unrolling takes hours, and ends with no such error
    assert refused.value.sentence.startswith(REFUSED[name])


def test_subsets_that_are_too_many_to_be_counted_are_refused() -> None:
    with pytest.raises(ModelError) as refused:
        check("sizes.py:Subsets", nodes=4_000)
    assert refused.value.sentence.startswith("2^4000 subsets of 4,000 elements are written")


def test_the_subsets_of_a_small_sort_are_written_out() -> None:
    outcome = check("sizes.py:Subsets", nodes=5)
    assert (outcome.verdict, outcome.distinct) == (Verdict.HOLDS, 32)


@pytest.mark.heavy(reason="the largest model of the catalogue is what is refused")
def test_ninety_nine_replicas_are_refused_with_their_size() -> None:
    with pytest.raises(ModelError) as refused:
        check("kip-320", replicas=99)
    assert "leader_shrinks_isr() has 792 choices of parameters" in str(refused.value)
    assert "100,000,000 are the most" in str(refused.value)


def test_a_large_constant_that_nothing_runs_over_is_a_constant() -> None:
    outcome = check("sizes.py:Value")
    assert (outcome.verdict, outcome.distinct) == (Verdict.HOLDS, 6)


def test_ten_to_the_twelve_states_end_with_the_time() -> None:
    done = isrcheck("check", "sizes.py:Many", "--max-seconds", "1", "--json", "-")
    assert done.returncode == 20
    outcome = json.loads(done.stdout)
    assert outcome["cut"].startswith("after 1 second")


def undetermined(outcome: Outcome, seconds: str, phase: str) -> None:
    assert outcome.verdict is Verdict.UNDETERMINED
    assert outcome.exit == 20
    assert outcome.cut is not None
    assert outcome.cut.startswith(f"after {seconds}, while {phase}"), outcome.cut
    assert outcome.digest is None
    assert all(p.verdict is Verdict.UNDETERMINED and p.assurance == "bounded(0)" for p in outcome.properties)
    json.loads(outcome.to_json())


@pytest.mark.parametrize("engine", ["native", "evaluator", "symbolic"])
def test_lowering_ends_with_the_time(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_slowly_in("lowering: ", monkeypatch)
    outcome = check("kip-320", replicas=30, limits=Limits(seconds=2, depth=2), engine=engine)
    undetermined(outcome, "2 seconds", "lowering: ")
    assert outcome.cut is not None
    assert outcome.cut.endswith(" of 4,680 instances")
    assert outcome.properties
    assert outcome.command.endswith("--max-seconds 2")


def test_walks_and_proofs_end_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    run_slowly_in("lowering: ", monkeypatch)
    walked = simulate("kip-320", replicas=30, limits=Limits(seconds=2))
    assert (walked.exit, walked.distinct) == (20, None)
    assert str(walked.cut).startswith("after 2 seconds, while lowering: ")
    proved = prove("kip-320", constants={"replicas": 30}, limits=Limits(seconds=2)).outcome
    assert proved.exit == 20
    assert str(proved.cut).startswith("after 2 seconds, while ")


def test_the_text_of_a_model_ends_with_the_time() -> None:
    undetermined(check("sizes.py:Slow", limits=Limits(seconds=0.5)), "0.5 seconds", "reading the model")


def test_a_file_that_never_imports_ends_with_the_time() -> None:
    Path("endless.py").write_text("while True:\n    pass\n", encoding="utf-8")
    outcome = check("endless.py:Model", limits=Limits(seconds=0.5))
    undetermined(outcome, "0.5 seconds", "reading the model")
    assert outcome.properties == ()
    assert outcome.command == "isrcheck check endless.py:Model --engine native --max-seconds 0.5"
    done = isrcheck("check", "endless.py:Model", "--max-seconds", "1")
    assert done.returncode == 20
    assert "the run ended after 1 second, while reading the model" in " ".join(done.stdout.split())


def test_the_reference_ends_within_a_step_of_the_model() -> None:
    outcome = check("sizes.py:Range", engine="reference", limits=Limits(seconds=0.5))
    assert outcome.cut == "after 0.5 seconds"
    assert [(p.verdict, p.assurance) for p in outcome.properties] == [(Verdict.UNDETERMINED, "bounded(0)")]


def test_memory_is_watched_from_the_first_line() -> None:
    outcome = check("kip-320", replicas=30, limits=Limits(memory=1 << 20))
    assert outcome.exit == 20
    assert str(outcome.cut).startswith("at the memory limit, while ")


def test_a_look_at_memory_loads_nothing() -> None:
    """It may come amid an import: a codec loaded there was not found on Python 3.13, and the run ended as a fault."""
    text = (
        "import sys; from isrcheck.process.budget import resident_bytes; before = set(sys.modules); "
        "assert resident_bytes() > 0; print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout == "[]\n"


def test_a_violation_that_was_not_replayed_in_time_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds of no property either, and the depth that is claimed ends before the violation."""
    run_slowly_in("replaying", monkeypatch, step=1000.0)

    def never(*words: object) -> object:
        while True:
            pass

    monkeypatch.setattr("isrcheck.run.replay.replay", never)
    small = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    outcome = check("truncate-to-high-watermark", constants=small, limits=Limits(seconds=3), properties=["weak_isr"])
    assert outcome.exit == 20
    assert outcome.property("weak_isr").assurance == "bounded(7)"


def test_progress_says_the_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    run_slowly_in("lowering: ", monkeypatch)
    said: list[Progress] = []
    check("kip-320", replicas=30, limits=Limits(seconds=2), progress=said.append)
    assert any(p.phase.startswith("lowering: ") and p.phase.endswith(" of 4,680 instances") for p in said)
    in_process("check", "kip-320", "-c", "replicas=30", "--max-seconds", "2", "--events", "events")
    events = [json.loads(line) for line in Path("events").read_text(encoding="utf-8").splitlines()]
    assert events[0]["event"] == "started"
    assert [e["event"] for e in events][-2:] == ["verdict", "finished"]
    assert any(e["event"] == "phase" and e["phase"].startswith("lowering: ") for e in events)


@pytest.mark.parametrize("phase", ["reading the models", "lowering: "])
def test_a_comparison_ends_with_the_time(phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_slowly_in(phase, monkeypatch, step=5)
    words = ("distinguish", "kip-320", "kip-279", "-c", "replicas=30", "--property", "weak_isr", "--max-seconds", "2")
    done = in_process(*words)
    assert done.returncode == 20, done.stderr
    assert f"isrcheck: undetermined: the run ended after 2 seconds, while {phase}" in done.stderr
