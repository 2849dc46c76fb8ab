"""Even numbers: a reachability property that no state can meet.

Known, at the defaults: 0 2 4 6, 4 distinct, 4 generated, depth 4, 1 pruned. `six` is reached after 4
states, `odd` never.
"""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, reachable


class Evens(Model):
    """Counting by twos."""

    limit: int = constant(7, "the largest number")

    number: Annotated[int, UpTo("limit")] = 0

    @action
    def add_two(self) -> None:
        """The next even number."""
        self.number += 2

    @invariant
    def even(self) -> bool:
        """The number is even."""
        return self.number % 2 == 0

    @reachable
    def six(self) -> bool:
        """There are three twos."""
        return self.number // 2 == 3

    @reachable
    def odd(self) -> bool:
        """A number is odd."""
        return self.number % 2 == 1
