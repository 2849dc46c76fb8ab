"""A counter that leaves its bound.

Known, at the defaults: 0 to 3, 4 distinct, depth 4. Counting up is pruned at 3, doubling at 2 and 3: 9 generated, 3
pruned. `below_three` breaks after 4 states.
"""

from typing import Annotated

from isrcheck import Model, UpTo, action, assume, constant, invariant, require

Count = Annotated[int, UpTo("limit")]


class Counter(Model):
    """Nothing but the bound keeps the counter low."""

    limit: int = constant(3, "where counting ends")

    count: Count = 0

    @assume
    def room_for_three(self) -> bool:
        """The limit is 3 or more, or the property could not break."""
        return self.limit >= 3

    @action
    def up(self) -> None:
        """One more."""
        self.count += 1

    @action
    def double(self) -> None:
        """Twice as many."""
        self.count = self.count * 2

    @action
    def down(self) -> None:
        """One less."""
        require(self.count > 0)
        self.count -= 1

    @invariant
    def within_limit(self) -> bool:
        """A count above the limit is never seen."""
        return self.count <= self.limit

    @invariant
    def below_three(self) -> bool:
        """The count stays below 3."""
        return self.count < 3
