"""An error that only some steps of a level meet, while others violate the same property."""

from typing import Annotated, Self

import pytest

from isrcheck import Model, Taken, UpTo, action, check, require, step
from isrcheck.errors import ModelError

Bit = Annotated[int, UpTo(1)]


class Parting(Model):
    """From its first state one step violates the property, and the next has no answer to it."""

    at: Bit = 0

    @action
    def go(self, to: Bit) -> None:
        """To a place that the property looks at."""
        require(self.at == 0)
        self.at = to

    @action
    def stay(self) -> None:
        """A step without a place."""
        require(self.at == 0)

    @step
    def goes_nowhere(self, before: Self, taken: Taken) -> bool:
        """A step has a place, and it is 1."""
        return before.at == 0 and taken.to == 1


@pytest.mark.parametrize("engine", ["reference", "evaluator", "native"])
def test_a_step_without_an_answer_is_an_error_beside_one_that_violates(engine: str) -> None:
    with pytest.raises(ModelError, match="stay has no parameter to"):
        check(Parting, engine=engine)
