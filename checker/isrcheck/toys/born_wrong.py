"""A lamp that is on where it should be off: the initial state itself is wrong.

Known: 2 distinct, 3 generated, depth 2; `dark` breaks in a trace of 1 state, `bright` is reached in it.
"""

from isrcheck import Model, action, invariant, reachable


class BornWrong(Model):
    """A lamp with a switch."""

    on: bool = True

    @action
    def switch(self) -> None:
        """Somebody presses the switch."""
        self.on = not self.on

    @invariant
    def dark(self) -> bool:
        """The lamp is off."""
        return not self.on

    @reachable
    def bright(self) -> bool:
        """The lamp is on."""
        return self.on
