"""The slow search for lassos agrees with what temporal properties mean, and its lassos are witnesses."""

from array import array

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.liveness.brute import Question, edges, graph_of, is_witness, questions, reached, recurring, violated

from isrcheck.engines.common.behaviours import Formula, FormulaKind
from isrcheck.engines.registry import ENGINES
from isrcheck.liveness.naive import find_lasso, steps_to_stranded


def agrees(question: Question) -> None:
    lasso = find_lasso(*question)
    expected = violated(*question)
    event(f"{question[2].kind.value} {'violated' if expected else 'holds'} {'fair' if question[1] else 'unfair'}")
    assert (lasso is not None) == expected
    if lasso is not None:
        assert is_witness(*question, lasso)


@pytest.mark.parametrize("examples", [800, pytest.param(6000, marks=pytest.mark.slow)])
def test_it_finds_a_lasso_where_there_is_one_and_only_there(examples: int) -> None:
    settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))(
        given(questions())(agrees)
    )()


@pytest.mark.parametrize("examples", [100, pytest.param(600, marks=pytest.mark.slow)])
def test_the_fast_search_agrees_with_it(examples: int) -> None:
    settings(max_examples=examples, deadline=None)(given(questions(most=9))(agree_on_fairness))()


def agree_on_fairness(question: Question) -> None:
    fast, slow = ENGINES["native"].find_lasso(*question, True), find_lasso(*question)
    assert (fast is None) == (slow is None)
    if fast is not None:
        assert is_witness(*question, fast)


@settings(max_examples=200, deadline=None)
@given(questions(most=9))
def test_they_agree_where_pruned_steps_cannot_be_taken(question: Question) -> None:
    fast, slow = ENGINES["native"].find_lasso(*question, False), find_lasso(*question, False)
    assert (fast is None) == (slow is None)
    unbounded = question[0]._replace(pruned_first=array("Q", [0] * len(question[0].first)), pruned_instance=array("I"))
    assert (slow is None) == (not violated(unbounded, *question[1:]))


@settings(max_examples=300, deadline=None)
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
    place = [each for each in order if each < size]
    moved = [(place[s], i, place[t]) for s, i, t in edges(graph)]
    pruned = [
        (place[s], i)
        for s in range(size)
        for i in graph.pruned_instance[graph.pruned_first[s] : graph.pruned_first[s + 1]]
    ]
    other = graph_of(size, moved, pruned, [place[s] for s in graph.starts])
    flags = [bytearray(of[place.index(s)] for s in range(size)) if of else of for of in (p, formula.q)]
    assert (find_lasso(*question) is None) == (find_lasso(other, conditions, Formula(formula.kind, *flags)) is None)


@settings(max_examples=600, derandomize=True, database=None, deadline=None)
@given(questions(most=5))
def test_where_no_fair_behaviour_goes_on_is_known(question: Question) -> None:
    """Against every set of states that a fair behaviour could repeat; that of the fewest steps is told."""
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
