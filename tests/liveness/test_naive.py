"""The slow search for lassos agrees with what temporal properties mean, and its lassos are witnesses."""

from array import array

import pytest
from hypothesis import HealthCheck, event, given, settings
from tests.liveness.brute import is_witness, violated
from tests.liveness.graphs import Question, questions

from isrcheck.engines.registry import ENGINES
from isrcheck.liveness.naive import find_lasso


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


@settings(max_examples=600, deadline=None)
@given(questions(most=9))
def test_the_fast_search_agrees_with_it(question: Question) -> None:
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
