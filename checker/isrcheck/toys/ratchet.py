"""A ratchet that slips at the top: properties of steps, not states.

Known, at the defaults: 3 distinct, depth 3, 7 generated (3 of them at rest), 1 pruned. `never_back` breaks in a trace
of 4 states, longer than the graph is deep; `always_moves` in one of 2 that are the same.
"""

from typing import Annotated, Self

from isrcheck import Model, UpTo, action, constant, require, step


class Ratchet(Model):
    """It goes up tooth by tooth, and from the top back to the bottom."""

    top: int = constant(2, "teeth", at_least=1)

    tooth: Annotated[int, UpTo("top")] = 0

    @action
    def up(self) -> None:
        """One tooth up."""
        self.tooth += 1

    @action
    def slip(self) -> None:
        """From the top to the bottom."""
        require(self.tooth == self.top)
        self.tooth = 0

    @action
    def rest(self) -> None:
        """Nothing happens."""

    @step
    def never_back(self, before: Self) -> bool:
        """The ratchet does not go back."""
        return before.tooth <= self.tooth

    @step
    def always_moves(self, before: Self) -> bool:
        """The ratchet never stands still."""
        return before.tooth != self.tooth

    @step
    def one_tooth_at_a_time(self, before: Self) -> bool:
        """The ratchet skips nothing on its way up."""
        return self.tooth <= before.tooth + 1
