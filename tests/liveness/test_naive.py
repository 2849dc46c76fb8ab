"""The slow search for lassos agrees with what temporal properties mean, and its lassos are witnesses."""

from hypothesis import event, given, settings
from tests.liveness.brute import is_witness, violated
from tests.liveness.graphs import Question, questions

from isrcheck.liveness.naive import find_lasso


@settings(max_examples=600, deadline=None)
@given(questions())
def test_it_finds_a_lasso_where_there_is_one_and_only_there(question: Question) -> None:
    lasso = find_lasso(*question)
    expected = violated(*question)
    event(f"{question[2].kind.value} {'violated' if expected else 'holds'} {'fair' if question[1] else 'unfair'}")
    assert (lasso is not None) == expected
    if lasso is not None:
        assert is_witness(*question, lasso)
