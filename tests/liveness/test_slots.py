"""Fairness of steps that take messages in flight, each of which may lie in any slot."""

import json
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest
from tests.fixtures.command_line import as_process
from tests.liveness import small

from isrcheck import (
    Model,
    Sort,
    Taken,
    Temporal,
    UpTo,
    action,
    check,
    constant,
    each,
    fairness,
    leads_to,
    require,
    temporal,
)
from isrcheck.compare.cells import cells_of_files, report_of
from isrcheck.evidence.report.entry import Measured
from isrcheck.gate.worker import result_of
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower

Count = Annotated[int, UpTo("most")]


class Node(Sort, size="nodes"):
    """Who sends and receives."""


class Letter(NamedTuple):
    source: Node
    target: Node
    number: Count


class Postman(Model):
    """He delivers any letter, and every one only if each is delivered fairly."""

    nodes: int = constant(3, "nodes", at_least=2)
    most: int = constant(40, "the last number")

    flying: frozenset[Letter] = frozenset()
    heard: dict[Node, Count] = each(Node, 0)
    day: Annotated[int, UpTo(2)] = 0

    @action
    def send(self, source: Node, target: Node) -> None:
        require(source != target and len(self.flying) < 2)
        self.flying |= {Letter(source, target, self.day + 1)}

    @action
    def deliver(self, letter: Letter) -> None:
        require(letter in self.flying)
        self.flying -= {letter}
        self.heard[letter.target] = letter.number

    @action(fair="weak")
    def turn(self) -> None:
        self.day = (self.day + 1) % 3

    @temporal
    def letters_arrive(self) -> Temporal:
        return all(leads_to(self.is_written_to(n), self.heard[n] > 0) for n in Node)

    @temporal
    def news_stays(self) -> Temporal:
        """Nobody hears the first number for ever."""
        return all(leads_to(self.heard[n] == 1, self.heard[n] == 2) for n in Node)

    @fairness
    def each_letter(self, taken: Taken) -> bool:
        return taken.action == "deliver"

    @fairness(fair="weak-any")
    def some_letter(self, taken: Taken) -> bool:
        return taken.action == "deliver"

    def is_written_to(self, node: Node) -> bool:
        return any(letter.target == node for letter in self.flying)


@pytest.mark.parametrize(("environment", "arrives"), [("each_letter", "holds"), ("some_letter", "violated")])
def test_letters_in_slots_are_told_apart_as_the_reference_does(environment: str, arrives: str) -> None:
    assert any(instance.position is not None for instance in lower(bind(read_model(Postman), {"nodes": 2})).instances)
    for engine in ("native", "reference"):
        outcome = check(Postman, engine=engine, fairness=(environment,), nodes=2)
        found = {p.name: p.verdict.value for p in outcome.properties}
        assert found == {"letters_arrive": arrives, "news_stays": "violated"}


SPEC = f"""
[[run]]
model = "{small.__file__}:Lock"
expect = {{ waiting_ends = "violated", lock_is_freed = "holds" }}

[[run]]
model = "{small.__file__}:Lock"
fairness = ["patient_lock"]
expect = {{ waiting_ends = "holds" }}
"""


def test_the_gate_runs_each_with_its_fairness(tmp_path: Path) -> None:
    (tmp_path / "locks.toml").write_text(SPEC)
    done = as_process("gate", str(tmp_path / "locks.toml"), "--json", str(tmp_path / "gate.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    cells = json.loads((tmp_path / "gate.json").read_text())["cells"]
    assert [cell.get("fairness") for cell in cells] == [None, ["patient_lock"]]


def test_a_wrong_expectation_names_the_fairness(tmp_path: Path) -> None:
    (tmp_path / "locks.toml").write_text(SPEC.replace('{ waiting_ends = "holds" }', '{ waiting_ends = "violated" }'))
    done = as_process("gate", str(tmp_path / "locks.toml"))
    assert done.returncode == 21
    assert "fairness=patient_lock" in done.stdout


def test_a_comparison_keeps_runs_of_other_fairness_apart(tmp_path: Path) -> None:
    (tmp_path / "locks.toml").write_text(SPEC)
    found = [report_of(cell, result_of(cell)) for cell in cells_of_files([tmp_path / "locks.toml"])]
    entries = [entry.outcome for entry in found if isinstance(entry, Measured)]
    verdicts = [{p["name"]: p["verdict"] for p in entry["properties"]} for entry in entries]
    assert verdicts == [{"waiting_ends": "violated", "lock_is_freed": "holds"}, {"waiting_ends": "holds"}]
    assert [entry["constants"].get("fairness") for entry in entries] == [None, "patient_lock"]


def test_what_a_run_says_does_not_contradict_itself() -> None:
    """The states are searched to the end, though every property of states is decided before: cycles need them all."""
    for model in (small.Early, small.Flips):
        outcome = check(model)
        assert outcome.property(outcome.properties[-1].name).assurance == "exhaustive"
        assert outcome.cut is None
        assert sum(outcome.levels) == outcome.distinct
