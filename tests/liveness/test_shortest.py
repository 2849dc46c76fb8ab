"""In small graphs the lasso shown is the shortest, of stem and cycle together: against all that there are."""

from collections import Counter

import pytest
from hypothesis import Phase, given, settings
from tests.liveness import brute
from tests.liveness.graphs import Question, graph_of, questions

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.liveness import deciding, naive, shortest
from isrcheck.liveness.shortest import ShortestLasso, steps_of

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
    for find in (deciding.find_lasso, naive.find_lasso):
        lasso = find(ring, fair, formula)
        assert lasso is not None
        shortest_one = ShortestLasso(ring, fair, formula, True).than(lasso)
        assert (shortest_one.stem, shortest_one.cycle) == ((0,), (1, 2, 0))
        assert brute.is_witness(ring, fair, formula, shortest_one)


@pytest.mark.parametrize("examples", [600, pytest.param(5_000, marks=pytest.mark.slow)])
def test_no_lasso_is_shorter(examples: int) -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=examples, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
    @given(questions(most=5))
    def agree(question: Question) -> None:
        graph, conditions, formula = question
        answers = [find(graph, conditions, formula) for find in (deciding.find_lasso, naive.find_lasso)]
        found = [lasso for lasso in answers if lasso is not None]
        assert len(found) in (0, 2)
        if not found:
            return
        lassos = [ShortestLasso(graph, conditions, formula, True).than(lasso) for lasso in found]
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
    assert steps_of(ShortestLasso(ring, fair, never, True).than(long)) == 2
    monkeypatch.setattr(shortest, "MOST_LOOKS", -1)
    assert ShortestLasso(ring, fair, never, True).than(long) == long
    monkeypatch.setattr(shortest, "MOST_STATES", 3)
    assert not shortest.is_small(ring)
