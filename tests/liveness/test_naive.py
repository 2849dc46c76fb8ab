"""Both searches for lassos agree with what temporal properties mean; their lassos are witnesses."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.liveness.brute import (
    Question,
    edges,
    graph_of,
    is_witness,
    questions,
    reached,
    recurring,
    renumbered,
    violated,
)

from isrcheck.engines.common.behaviours import (
    BehaviourGraph,
    ExploredBehaviours,
    FairnessCondition,
    Formula,
    FormulaKind,
    Lasso,
)
from isrcheck.engines.registry import ENGINES
from isrcheck.liveness.deciding import decide
from isrcheck.liveness.naive import find_lasso, steps_to_stranded


def agrees(question: Question) -> None:
    """Where pruned steps count as enabled, and where they do not, as if there were none."""
    graph, conditions, formula = question
    unbounded = graph_of(len(formula.p), edges(graph), [], [*graph.starts])
    for meant, counts_pruned in ((graph, True), (unbounded, False)):
        expected = violated(meant, conditions, formula)
        event(f"{formula.kind.value} {'violated' if expected else 'holds'} {'fair' if conditions else 'unfair'}")
        for find in (find_lasso, ENGINES["native"].find_lasso):
            lasso = find(graph, conditions, formula, counts_pruned)
            assert (lasso is not None) == expected
            assert lasso is None or is_witness(meant, conditions, formula, lasso)


@pytest.mark.parametrize(
    ("states", "examples"),
    [(6, 250), (9, 60), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((6, 6000), (9, 1000)))],
)
def test_they_find_a_lasso_where_there_is_one_and_only_there(states: int, examples: int) -> None:
    settings(max_examples=examples, suppress_health_check=list(HealthCheck))(given(questions(states))(agrees))()


@settings(max_examples=300)
@given(questions(), st.permutations(range(6)))
def test_one_question_in_other_words_has_one_answer(question: Question, order: list[int]) -> None:
    """[]<>P is TRUE ~> P and ~P ~> P, and follows from <>[]P; how states are numbered means nothing."""
    graph, conditions, formula = question
    p, size = formula.p, len(graph.first) - 1
    not_p, always = bytearray(1 - bit for bit in p), bytearray([1]) * size

    def holds(kind: FormulaKind, *of: bytearray) -> bool:
        return find_lasso(graph, conditions, Formula(kind, *of)) is None

    again = holds(FormulaKind.ALWAYS_EVENTUALLY, p)
    assert again == holds(FormulaKind.LEADS_TO, always, p) == holds(FormulaKind.LEADS_TO, not_p, p)
    assert holds(FormulaKind.EVENTUALLY, p) or not again
    assert again or not holds(FormulaKind.EVENTUALLY_ALWAYS, p)
    _, (other, _, permuted) = renumbered(question, order)
    assert (find_lasso(*question) is None) == (find_lasso(other, conditions, permuted) is None)


@pytest.mark.parametrize("examples", [150, pytest.param(600, marks=pytest.mark.slow)])
def test_where_no_fair_behaviour_goes_on_is_known(examples: int) -> None:
    """Against every set of states that a fair behaviour could repeat; that of the fewest steps is told."""
    settings(max_examples=examples, derandomize=True, database=None)(
        given(questions(most=5))(agree_where_none_goes_on)
    )()


def agree_where_none_goes_on(question: Question) -> None:
    graph, conditions, _ = question
    steps, everything = edges(graph), set(range(len(graph.first) - 1))
    fair = set[int]().union(*recurring(graph, conditions))
    stranded = {s for s in everything if not reached({s}, steps, everything) & fair}
    level, seen, expected = {*graph.starts}, {*graph.starts}, None
    for depth in range(len(everything)):
        if expected is None and level & stranded:
            expected = depth
        level = {t for s, _, t in steps if s in level} - seen
        seen |= level
    event("stranded" if expected is not None else "goes on")
    assert steps_to_stranded(graph, conditions) == expected
    assert ENGINES["native"].steps_to_stranded(graph, conditions) == expected


def test_a_state_that_leads_back_to_an_earlier_one_is_not_stranded() -> None:
    """From state 1 the only step is to state 0, and from there to state 2, where a behaviour may stop."""
    fair = [FairnessCondition(f"fair {each}", False, frozenset({each})) for each in range(2)]
    for steps_to in (steps_to_stranded, ENGINES["native"].steps_to_stranded):
        assert steps_to(graph_of(3, [(1, 0, 0), (0, 1, 2)], [], [0, 1]), fair) is None
        assert steps_to(graph_of(3, [(1, 0, 0)], [(0, 1)], [1]), fair) == 0
        assert steps_to(graph_of(3, [(0, 2, 2), (0, 0, 1)], [(1, 1)], [0]), fair) == 1


FAIR = [FairnessCondition("counts", False, frozenset({0}))]


@pytest.mark.parametrize(
    ("p", "conditions", "asked", "decided"),
    [
        ([0, 1], FAIR, [False], "decided"),  # it goes on to where p is true
        ([0, 0], FAIR, [False, True], "stopped"),  # the bound stops it before
        ([0, 0], [], [False, True], "violated"),  # it may stop
    ],
)
def test_what_holds_is_searched_once(
    p: list[int], conditions: list[FairnessCondition], asked: list[bool], decided: str
) -> None:
    graph = graph_of(2, [(0, 0, 1)], [(1, 0)], [0])
    searches: list[bool] = []

    def find(
        graph: BehaviourGraph, conditions: Sequence[FairnessCondition], formula: Formula, counts: bool
    ) -> Lasso | None:
        searches.append(counts)
        return find_lasso(graph, conditions, formula, counts)

    formulas = {"p": [Formula(FormulaKind.EVENTUALLY, bytearray(p))]}
    found = decide(ExploredBehaviours(graph, formulas), conditions, find, steps_to_stranded)
    assert searches[: len(asked)] == asked
    assert "p" in getattr(found, decided)
