"""What a model says of its drawing is held against the model."""

from typing import Annotated

import pytest

from isrcheck import Drawing, Model, UpTo, action, arrow, check, lane, note, reachable
from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model


class Counter(Model):
    """Counts, and is drawn with a method's answer."""

    drawing = Drawing(lane("counter"), note("count", "count", on="counter"), note("double", "double", on="counter"))

    count: Annotated[int, UpTo(2)] = 0

    @action
    def up(self) -> None:
        """One more."""
        self.count += 1

    @reachable
    def two(self) -> bool:
        """It gets to two."""
        return self.count == 2

    def double(self) -> int:
        """Twice as much."""
        return self.count * 2


class NamesNoVariable(Model):
    """Draws what it does not have."""

    drawing = Drawing(lane("counter"), note("cuont", "count", on="counter"))

    count: Annotated[int, UpTo(2)] = 0


class NamesNoAction(Model):
    """Draws what nobody does."""

    drawing = Drawing(lane("a"), lane("b"), arrow("dwon", "a", "b", "one less"))

    @action
    def down(self) -> None:
        """One less."""


def test_a_trace_carries_what_the_drawing_asks_of_its_states() -> None:
    trace = check(Counter).property("two").trace
    assert trace is not None
    assert [step.seen for step in trace.steps] == [{"double": 0}, {"double": 2}, {"double": 4}]
    assert trace.actions == {"up": "One more."}
    assert '"seen": {\n    "double": 4' in trace.to_json()


def test_a_drawing_that_names_no_variable_is_refused_with_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"the drawing names cuont, which is no variable .*") as caught:
        read_model(NamesNoVariable)
    assert "Did you mean count?" in str(caught.value)


def test_a_drawing_that_names_no_action_is_refused() -> None:
    with pytest.raises(ModelError, match="the drawing names dwon, which is no action of the model"):
        read_model(NamesNoAction)
