"""What constraints leave out is not asked, and what they drop without effect is not demanded."""

import re

import pytest
from tests.liveness import confined

from isrcheck import Model, Outcome, check
from isrcheck.errors import ModelError, UsageError

ENGINES = ["native", "reference"]


def said(outcome: Outcome) -> str:
    (only,) = outcome.properties
    return f"{only.verdict.value}: {only.trace.span if only.trace else only.reason}".removesuffix(": ")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (confined.Pointing, "undetermined: the constraint short stops it"),
        (confined.PointingBack, "violated: a cycle of 2 steps after 0"),
        (confined.Polling, "violated: stops for ever after 0 steps"),
    ],
)
def test_what_is_left_out_decides_nothing(model: type[Model], expected: str, engine: str) -> None:
    assert said(check(model, engine=engine)) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_that_leaves_nothing_out_leaves_the_verdict_whole(engine: str) -> None:
    outcome = check(confined.Polling, engine=engine, fairness=("goes_on",))
    assert (outcome.outside, said(outcome)) == (0, "holds")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_that_is_left_out_hides_no_fault_of_one_that_is_not(engine: str) -> None:
    with pytest.raises(ModelError, match="points_to_one"):
        check(confined.PointingFar, engine=engine)


def test_more_choices_than_a_graph_tells_apart_are_refused() -> None:
    message = (
        "begins, a temporal property, is asked of at most 4,294,967,296 choices of parameters, and the actions of "
        "Endless have 4,900,140,002: use smaller constants, or ask for other properties with --property."
    )
    with pytest.raises(UsageError, match=re.escape(message)):
        check(confined.Endless, engine="native")
