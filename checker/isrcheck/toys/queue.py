"""A bounded queue of coloured things.

Known, at the defaults: 7 queues of at most 2 things in 2 colours, and 3 values of what was taken last: 21 distinct,
depth 5, 37 generated; each of the 12 states with a full queue prunes 2 steps. Every property holds.
"""

from enum import Enum
from typing import Annotated, Self

from isrcheck import Model, UpTo, action, constant, invariant, reachable, require, step


class Colour(Enum):
    """What distinguishes one thing from another."""

    RED = 1
    BLUE = 2


class Queue(Model):
    """First in, first out; no guard says that it may be full."""

    capacity: int = constant(2, "things that the queue holds")

    queue: Annotated[tuple[Colour, ...], UpTo("capacity")] = ()
    last: Colour | None = None

    @action
    def put(self, colour: Colour) -> None:
        """A thing arrives."""
        self.queue += (colour,)

    @action
    def take(self) -> None:
        """The oldest thing leaves."""
        require(len(self.queue) > 0)
        self.last = self.queue[0]
        self.queue = self.queue[1:]

    @invariant
    def never_too_long(self) -> bool:
        """The queue keeps to its capacity."""
        return len(self.queue) <= self.capacity

    @step
    def order_is_kept(self, before: Self) -> bool:
        """Either the oldest left, or the newest arrived."""
        return self.queue == before.queue[1:] or self.queue[: len(before.queue)] == before.queue

    @reachable
    def full_of_red(self) -> bool:
        """There can be as many red things as there is room for."""
        return len(self.queue) == self.capacity and Colour.BLUE not in self.queue and Colour.RED in self.queue

    @reachable
    def newest_is_like_the_last(self) -> bool:
        """The newest thing has the colour of the one taken last."""
        return self.newest() is not None and self.newest() == self.last

    def newest(self) -> Colour | None:
        """What arrived last and is still there."""
        if len(self.queue) == 0:
            return None
        return self.queue[-1]
