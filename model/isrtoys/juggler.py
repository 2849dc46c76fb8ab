"""A juggler: statements in unusual orders, which every engine must take as Python does.

A guard after an effect disables the step all the same, a value above its bound that comes down again before the step
ends is not pruned, names swap at once, and a step that writes beyond the last hand is pruned there and then, whatever
guard would have followed.
"""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, each, invariant, reachable, require

Height = Annotated[int, UpTo("ceiling")]
Hand = Annotated[int, UpTo(1)]
Throws = Annotated[tuple[Height, ...], UpTo(3)]


class Juggler(Model):
    """Two hands, each at a height; the throws so far are remembered, the oldest forgotten."""

    ceiling: int = constant(2, "how high a hand goes", at_least=2)

    left: Height = 0
    right: Height = 1
    throws: Throws = ()
    busy: frozenset[Hand] = frozenset()
    caught: dict[Hand, bool] = each(Hand, False)

    @action
    def swap(self) -> None:
        self.left, self.right = self.right, self.left
        require(self.left != self.right)

    @action
    def throw(self, high: bool) -> None:
        """The left hand throws; of four throws the oldest is forgotten before anybody sees four."""
        height: int = self.left
        height += 1
        if high:
            height += 1
        elif self.right == self.ceiling:
            height -= 1
        else:
            pass
        self.throws = self.throws + (height,)
        if len(self.throws) > 3:
            self.throws = self.throws[1:4]
        require(height > -self.right)
        require(len(self.throws) < 3 or self.throws[0] <= self.throws[1])

    @action
    def stretch(self) -> None:
        """The right hand goes beyond the ceiling and comes back by two, if it started from the ceiling."""
        self.right += 2
        if self.right > self.ceiling + 1:
            self.right -= 2

    @action
    def grab(self, hand: Hand) -> None:
        """A hand takes hold, and so does the one after it if the first is free; then both are counted."""
        first, second = hand, hand + 1
        self.caught[first] = True
        self.caught[second] = not self.caught[first]
        require(first not in self.busy)
        self.busy |= {first, second}
        require(len(self.busy) >= 1)
        self.busy &= frozenset({0, 1})

    @action
    def drop(self) -> None:
        """Everything is let go, if both hands or neither were busy."""
        both = frozenset({0, 1})
        require(both & self.busy == both if len(self.busy) > 1 else self.busy < both)
        self.busy -= both
        self.caught = {h: h in self.busy for h in range(2)}
        self.settle(0)

    @invariant
    def hands_within_reach(self) -> bool:
        """Both hands stay under the ceiling."""
        return max(self.left, self.right) <= self.ceiling and min(self.left, self.right, self.ceiling) >= 0

    @invariant
    def throws_are_upward(self) -> bool:
        """No throw is lower than the floor above."""
        return all(t >= 1 for t in self.throws)

    @reachable
    def three_equal_throws(self) -> bool:
        """Three throws of one height are remembered."""
        return self.throws == (1, 1, 1)

    @invariant
    def throws_add_up(self) -> bool:
        """No throw is more than all together, nor more than the highest."""
        return sum(self.throws) >= max(self.throws, default=0) and self.throws == tuple(
            t for t in self.throws if t in frozenset(self.throws)
        )

    @reachable
    def caught_one(self) -> bool:
        """One hand holds on, the other does not."""
        return any(self.caught[h] and not self.caught[1 - h] for h in range(2))

    def settle(self, height: Height) -> None:
        """The left hand rests, if nothing was thrown."""
        if len(self.throws) == 0:
            self.left = height
