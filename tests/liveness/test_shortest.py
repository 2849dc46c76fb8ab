"""In small graphs the lasso shown is the shortest, of stem and cycle together: against all that there are."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from tests.liveness import brute
from tests.liveness.brute import Question, graph_of, questions
from tools.random_models.loading import load

from isrcheck import Model, Outcome, check
from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.engines.registry import ENGINES
from isrcheck.liveness import naive
from isrcheck.liveness.naive import ShortestLasso, steps_of

PHASES = [Phase.explicit, Phase.generate]
LONGEST = 9  # steps that brute force tries


def distances(graph: BehaviourGraph, starts: dict[int, int], inside: set[int]) -> dict[int, int]:
    """From any of these, which are so far away already."""
    found = {state: far for state, far in starts.items() if state in inside}
    for _ in range(len(graph.first)):
        for source, _, target in brute.edges(graph):
            if source in found and target in inside:
                found[target] = min(found.get(target, 99), found[source] + 1)
    return found


def stems(graph: BehaviourGraph, formula: Formula) -> tuple[dict[tuple[int, bool], int], set[int]]:
    """How far each state is in which a cycle may begin, and whether the formula waits there; and where it may stay."""
    everything, starts = set(range(len(graph.first) - 1)), dict.fromkeys(graph.starts, 0)
    not_p, anywhere = {s for s in everything if not formula.p[s]}, distances(graph, starts, everything)
    inside = not_p
    match formula.kind:
        case FormulaKind.EVENTUALLY:
            waiting = distances(graph, starts, not_p)
        case FormulaKind.ALWAYS_EVENTUALLY:
            waiting = {state: anywhere[state] for state in not_p & anywhere.keys()}
        case FormulaKind.EVENTUALLY_ALWAYS:
            waiting, inside = anywhere, everything
        case FormulaKind.LEADS_TO:
            inside = {s for s in everything if not formula.q[s]}
            begun = {s: far for s, far in anywhere.items() if s not in not_p and s in inside}
            waiting = distances(graph, begun, inside)
    found = {(state, True): far for state, far in waiting.items()}
    if formula.kind is FormulaKind.LEADS_TO:
        found |= {(state, False): far for state, far in anywhere.items() if state in inside}
    return found, inside


def least(graph: BehaviourGraph, conditions: list[FairnessCondition], formula: Formula, most: int) -> int | None:
    """The steps of the shortest lasso, of those with at most so many."""
    far, inside = stems(graph, formula)
    steps = [(s, t) for s, _, t in brute.edges(graph) if s in inside and t in inside]
    walks = {(anchor, anchor[0], frozenset[tuple[int, int]]()): far[anchor] for anchor in far}
    for total in range(most + 1):
        for ((first, waits), last, taken), length in walks.items():
            states = {first, *(t for _, t in taken)}
            instances = {i for s, i, t in brute.edges(graph) if (s, t) in taken}
            is_false = waits or any(formula.p[s] for s in states)
            if formula.kind is FormulaKind.EVENTUALLY_ALWAYS:
                is_false = any(not formula.p[s] for s in states)
            if length == total and first == last and is_false:
                if brute.is_fair(graph, conditions, states, instances):
                    return total
        following = {
            (anchor, target, taken | {(last, target)}): total + 1
            for (anchor, last, taken), length in walks.items()
            if length == total
            for source, target in steps
            if source == last
        }
        walks = {**following, **walks}
    return None


def test_a_cycle_may_begin_before_what_leads_to_it() -> None:
    """P is true in state 1 of the ring 0, 1, 2 alone: the shortest lasso begins at 0, where nothing waits yet."""
    ring = graph_of(3, [(0, 0, 1), (1, 1, 2), (2, 2, 0)], [], [0])
    fair = [FairnessCondition(f"fair {each}", False, frozenset({each})) for each in range(3)]
    formula = Formula(FormulaKind.LEADS_TO, bytearray([0, 1, 0]), bytearray(3))
    for find in (ENGINES["native"].find_lasso, naive.find_lasso):
        lasso = find(ring, fair, formula, True)
        assert lasso is not None
        shortest_one = ShortestLasso(ring, fair, formula, True).shorten(lasso)
        assert (shortest_one.stem, shortest_one.cycle) == ((0,), (1, 2, 0))
        assert brute.is_witness(ring, fair, formula, shortest_one)


@pytest.mark.parametrize("examples", [250, pytest.param(5_000, marks=pytest.mark.slow)])
def test_no_lasso_is_shorter(examples: int) -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=examples, derandomize=True, phases=[Phase.generate])
    @given(questions(most=5))
    def agree(question: Question) -> None:
        graph, conditions, formula = question
        answers = [find(graph, conditions, formula, True) for find in (ENGINES["native"].find_lasso, naive.find_lasso)]
        found = [lasso for lasso in answers if lasso is not None]
        assert len(found) in (0, 2)
        if not found:
            return
        lassos = [ShortestLasso(graph, conditions, formula, True).shorten(lasso) for lasso in found]
        assert all(brute.is_witness(graph, conditions, formula, lasso) for lasso in lassos)
        few = min(steps_of(lassos[0]), LONGEST)
        assert steps_of(lassos[0]) == steps_of(lassos[1])
        wanted = least(graph, conditions, formula, few)
        assert wanted == (steps_of(lassos[0]) if steps_of(lassos[0]) <= LONGEST else None)
        tally["stops" if not lassos[0].cycle else "goes round"] += 1
        tally["was longer"] += steps_of(found[1]) > steps_of(lassos[1])

    agree()
    assert tally["goes round"] > examples / 25, tally
    assert tally["stops"] > examples / 10, tally
    assert tally["was longer"] > examples / 50, tally


def test_a_large_graph_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so does one in which the search takes too long: what was found stays a lasso."""
    ring = graph_of(4, [(0, 0, 1), (1, 0, 0), (1, 1, 2), (2, 0, 3), (3, 0, 1)], [], [0])
    never, long = Formula(FormulaKind.EVENTUALLY, bytearray(4)), Lasso((0, 1), (0,), (2, 3, 1), (1, 0, 0))
    fair = [FairnessCondition("fair", False, frozenset({0}))]
    assert steps_of(ShortestLasso(ring, fair, never, True).shorten(long)) == 2
    monkeypatch.setattr(naive, "MOST_LOOKS", -1)
    assert ShortestLasso(ring, fair, never, True).shorten(long) == long
    monkeypatch.setattr(naive, "MOST_STATES", 3)
    assert not naive.is_small(ring)


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

    @settings(max_examples=examples, derandomize=True, phases=PHASES, suppress_health_check=list(HealthCheck))
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
