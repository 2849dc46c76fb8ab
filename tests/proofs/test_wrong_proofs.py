"""Models of which `prove` once said `proved`, wrongly: each claim is false of some instance, or is about none."""

from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from tests.lang.written import load_model

from isrcheck import prove
from isrcheck.errors import UsageError
from isrcheck.proofs import prover
from isrcheck.proofs.solvers import labels_of_core

HEAD = """
from enum import Enum
from typing import Annotated

from isrcheck import Model, Record, Sort, UpTo, action, assume, constant, each, invariant, members, require

Epoch = Annotated[int, UpTo("top")]
Few = Annotated[int, UpTo("5")]


class Colour(Enum):
    RED = 1


class Shape(Enum):
    ROUND = 1


class Vote(Record):
    e: Epoch


class Fetch(Record):
    e: Epoch


class Node(Sort, size="top"):
    pass


class Other(Sort, size="top"):
    pass


class Subject(Model):
    top: int = constant(2, "the highest epoch", at_least=1)
    e: Epoch = 0
    flag: bool = False
"""

INVARIANT = """
    @invariant
    def is_so(self) -> bool:
        return {}
"""


def subject(
    folder: Path, monkeypatch: pytest.MonkeyPatch, claim: str = "self.e >= 0", step: str = "self.e += 1", more: str = ""
) -> Any:
    """A model with one action and one invariant, of which no small instance is searched."""
    for name, nothing in (("refuse_reached_fault", None), ("violations", {}), ("counterexample", None)):
        monkeypatch.setattr(prover, name, lambda *_, nothing=nothing: nothing)
    action = f"\n    @action\n    def act(self) -> None:\n{indent(step, '        ')}\n"
    return load_model(HEAD + indent(more, "    ") + action + INVARIANT.format(claim), folder, monkeypatch)


NOT_REFUTED: dict[str, tuple[dict[str, str], str]] = {
    "a number below 0 in a set display": ({"claim": "all(x >= 0 for x in frozenset({self.e - 1}))"}, "is_so initially"),
    "a record with a number below 0 in a set display": (
        {"claim": "all(x.e >= 0 for x in frozenset({Vote(self.e - 1)}))"},
        "is_so initially",
    ),
    "a number below 0 in a set comprehension": (
        {"claim": "all(x >= 0 for x in frozenset(y - 1 for y in range(self.top)))"},
        "is_so initially",
    ),
    "a number that begins below 0": ({"claim": "self.e > 5", "more": "n: Epoch = -1\n"}, "fault initially"),
    "a record that begins with a number below 0": ({"more": "vote: Vote = Vote(-1)\n"}, "fault initially"),
    "a set that begins with a number below 0": (
        {"more": "nums: frozenset[Few] = frozenset({-1})\n"},
        "fault initially",
    ),
    "all members of numbers with a bound": (
        {"claim": "self.top + 1 in self.every", "more": "every: frozenset[Epoch] = members(Epoch)\n"},
        "is_so initially",
    ),
    "a key below 0 that is written": (
        {"step": "self.by[self.e - 1] = True", "more": "by: dict[Epoch, bool] = each(int, False)\n"},
        "fault act",
    ),
    "a key with a number below 0 that is written": (
        {"step": "self.by[Vote(self.e - 1)] = True", "more": "by: dict[Vote, bool] = each(Vote, False)\n"},
        "fault act",
    ),
    "a key with a number below 0 that is read": (
        {"step": "self.flag = self.by[Vote(self.e - 1)]", "more": "by: dict[Vote, bool] = each(Vote, False)\n"},
        "fault act",
    ),
    "a key above its bound that is read": (
        {"step": "self.flag = self.by[self.e + 1]", "more": "by: dict[Epoch, bool] = each(int, False)\n"},
        "fault act",
    ),
    "a key above a bound without constants that is read": (
        {"step": "self.flag = self.by[self.n + 1]", "more": "n: Few = 0\nby: dict[Few, bool] = each(int, False)\n"},
        "fault act",
    ),
}


@pytest.mark.parametrize("situation", NOT_REFUTED)
def test_it_is_not_proved(situation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, obligation = NOT_REFUTED[situation]
    outcome = prove(subject(tmp_path, monkeypatch, **given)).outcome
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [("undetermined", "bounded(0)")]
    assert f"the obligation {obligation!r} is not refuted" in outcome.proofs[0].reason


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "a choice between two enumerations": (
        {"claim": "(Colour.RED if self.flag else Shape.ROUND) == Colour.RED"},
        "a choice between Colour and Shape",
    ),
    "a choice between two classes of records": (
        {"claim": "(Vote(0) if self.flag else Fetch(0)) == Vote(0)"},
        "a choice between Vote and Fetch",
    ),
    "records of two classes in a set display": (
        {"claim": "Fetch(0) in frozenset({Vote(0), Fetch(1)})"},
        "comparing Fetch with Vote",
    ),
    "two enumerations in a set display": (
        {"claim": "Shape.ROUND not in frozenset({Colour.RED, Shape.ROUND})"},
        "comparing Shape with Colour",
    ),
    "an initial map over another sort": (
        {"more": "on: dict[Node, bool] = each(Other, False)\n"},
        "the initial value of on (members of Other where those of Node are declared)",
    ),
    "an initial map in a map, over keys that are not its own": (
        {"more": "on: dict[Node, dict[Few, bool]] = each(Node, each(int, False))\n"},
        "the initial value of on (members of Node where those of Few are declared)",
    ),
    "an initial set of another sort": (
        {"more": "on: frozenset[Node] = members(Other)\n"},
        "the initial value of on (members of Other where those of Node are declared)",
    ),
    "a member that a variable begins with, by its number": (
        {"more": "first: Node = Node[0]\n"},
        "the initial value of first (a literal of Node)",
    ),
    "a truth value that begins as a number": (
        {"more": "on: bool = 0\n"},
        "the initial value of on (a value of the type int where bool is declared)",
    ),
    "a record that begins as one of another class": (
        {"more": "vote: Vote = Fetch(0)\n"},
        "the initial value of vote (a value of the type Fetch where Vote is declared)",
    ),
}


@pytest.mark.parametrize("situation", REFUSED)
def test_it_is_refused_with_its_place(situation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, phrase = REFUSED[situation]
    with pytest.raises(UsageError) as refusal:
        prove(subject(tmp_path, monkeypatch, **given))
    assert f"prove cannot read {phrase}." in str(refusal.value)
    assert "model.py:" in str(refusal.value).splitlines()[0]


NO_INSTANCE = {
    "assumptions that no constants meet": "\n@assume\ndef never(self) -> bool:\n    return self.top < 1\n",
    "an initial state above a bound that all constants have": 'low: Annotated[int, UpTo("min(top, 1)")] = 2\n',
}


@pytest.mark.parametrize("situation", NO_INSTANCE)
def test_a_proof_of_no_instance_is_none(situation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = prove(subject(tmp_path, monkeypatch, more=NO_INSTANCE[situation])).outcome
    assert [p.verdict.value for p in outcome.properties] == ["undetermined"]
    assert outcome.proofs[0].reason == prover._NO_INSTANCE


def test_a_core_that_is_not_as_expected_is_taken_for_all_lemmas() -> None:
    """Otherwise a lemma that refutes an obligation is not proved itself."""
    script = "(assert (! (p |the lemma c|) :named |the lemma a|))\n(assert (! q :named |the lemma b|))"
    both = {"the lemma a", "the lemma b"}
    assert labels_of_core("unsat\n(\n|the lemma b|\n)", script) == {"the lemma b"}
    assert labels_of_core("unsat(\n)", script) == set()
    assert {labels_of_core(said, script) == both for said in ("unsat", "unsat(error)", "unsat\n(\n|the lemma b|")} == {
        True
    }
