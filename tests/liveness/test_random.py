"""Random models with random fairness: the native engine and the reference find the same."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from tests.models.loading import load

from isrcheck import Model, Outcome, check

HEAD = '''from typing import Annotated

from isrcheck import Model, Sort, Taken, Temporal, UpTo, action, always_eventually, constant, each, eventually
from isrcheck import eventually_always, fairness, leads_to, require, temporal


class Node(Sort, size="2"):
    """Somebody."""


class Random(Model):
    """Made by a test."""

    most: int = constant(2, "the bound on n")
    at: Annotated[int, UpTo(3)] = 0
    n: Annotated[int, UpTo("most")] = 0
    flag: dict[Node, bool] = each(Node, False)
'''
_FAIR = ["", '(fair="weak")', '(fair="strong")', '(fair="weak-any")', '(fair="strong-any")']
_OF_ALL = [
    "self.at == 0",
    "self.at != 1",
    "self.at in (2, 3)",
    "self.n == 0",
    "self.n < 2",
    "any(self.flag[q] for q in Node)",
]
_OF_ONE = [*_OF_ALL, "self.flag[p]", "not self.flag[p]", "self.at == 3 or self.flag[p]"]
_CHANGES = ["self.at = 0", "self.at = 1", "self.at = 3", "self.at = (self.at + 1) % 4", "self.n += 1", "self.n = 0"]
_CHANGES_OF_ONE = ["self.flag[p] = not self.flag[p]", "self.flag[p] = True"]
_OF_ENVIRONMENTS = ["True", 'taken.action == "act0"', 'taken.action != "act1"']


@st.composite
def fair_models(draw: st.DrawFn) -> str:
    parts = [HEAD]
    for number in range(draw(st.integers(2, 4))):
        one = draw(st.booleans())
        conditions = st.sampled_from(_OF_ONE if one else _OF_ALL)
        changes = st.sampled_from(
            [*_CHANGES, "self.flag[p] = not self.flag[p]", "self.flag[p] = True"] if one else _CHANGES
        )
        lines = [f"require({draw(conditions)})" for _ in range(draw(st.integers(0, 2)))]
        lines += draw(st.lists(changes, min_size=1, max_size=2, unique=True))
        body = "\n".join(f"        {line}" for line in lines)
        parameter = ", p: Node" if one else ""
        fair = draw(st.sampled_from(_FAIR))
        parts.append(f"    @action{fair}\n    def act{number}(self{parameter}) -> None:\n{body}\n")
    for number in range(8):
        one = draw(st.booleans())
        p, q = (draw(st.sampled_from(_OF_ONE if one else _OF_ALL)) for _ in range(2))
        word = draw(st.sampled_from(["eventually", "always_eventually", "eventually_always", "leads_to"]))
        formula = f"{word}({p}, {q})" if word == "leads_to" else f"{word}({p})"
        formula = f"all({formula} for p in Node)" if one else formula
        parts.append(f"    @temporal\n    def formula{number}(self) -> Temporal:\n        return {formula}\n")
    fair, chosen = draw(st.sampled_from(_FAIR)), draw(st.sampled_from(_OF_ENVIRONMENTS))
    parts.append(f"    @fairness{fair}\n    def chosen(self, taken: Taken) -> bool:\n        return {chosen}\n")
    return "\n".join(parts)


def answers(outcome: Outcome) -> dict[str, str]:
    """By property; which step of a cycle a bound stops is for the engine to choose."""
    return {p.name: f"{p.verdict.value}{p.reason.partition(', at')[0]}" for p in outcome.properties}


@pytest.mark.parametrize("examples", [10, pytest.param(400, marks=pytest.mark.slow)])
def test_random_models_agree(examples: int) -> None:
    tally: Counter[str] = Counter()

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )
    @given(fair_models(), st.sampled_from([(), ("chosen",)]))
    def agree(text: str, fairness: tuple[str, ...]) -> None:
        note(text)
        with tempfile.TemporaryDirectory() as folder:
            cls: type[Model] = load(text, Path(folder))
            slow, fast = (check(cls, engine=engine, fairness=fairness) for engine in ("reference", "native"))
            assert answers(fast) == answers(slow)
            assert fast.fairness_parts == slow.fairness_parts
            tally.update(p.verdict.value for p in fast.properties)

    agree()
    assert all(tally[word] > examples for word in ("holds", "violated")), tally
    assert tally["undetermined"] > examples / 10, tally
