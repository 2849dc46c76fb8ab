"""Counters with a history, and views of them."""

from typing import Annotated, Self

from isrcheck import (
    Between,
    Model,
    Record,
    Sort,
    UpTo,
    action,
    constant,
    each,
    history,
    invariant,
    reachable,
    require,
    step,
    view,
)

N = Annotated[int, UpTo("most")]


class Side(Sort, size="2"):
    """Left or right."""


class Two(Model):
    most: int = constant(3, "the largest number")
    a: N = 0
    last: dict[Side, N] = each(Side, 0)
    ups: Annotated[int, UpTo(7)] = history(0)

    @action
    def up(self, side: Side) -> None:
        require(self.a < self.most)
        self.a += 1
        self.last[side] = self.a
        self.ups = (self.ups + 1) % 8

    @action
    def back(self) -> None:
        self.a = 0

    @invariant
    def small(self) -> bool:
        return self.a <= self.most and all(self.last[s] <= self.most for s in Side)

    @step
    def one_at_a_time(self, before: Self) -> bool:
        return self.a <= before.a + 1

    @reachable
    def five_ups(self) -> bool:
        return self.ups == 5

    @reachable
    def full(self) -> bool:
        return self.a == self.most


class Shown(Two):
    @view
    def seen(self) -> object:
        """All but the history."""
        return self.a, self.last


class OnlyA(Two):
    @view
    def seen(self) -> object:
        return self.a


class HiddenGuard(Two):
    @view
    def seen(self) -> object:
        return self.last, self.ups


class Parity(Two):
    @view
    def seen(self) -> object:
        return self.a % 2, self.last, self.ups


class Bounded(Model):
    """What is hidden leaves its bound."""

    a: Annotated[int, UpTo(3)] = 0
    ups: Annotated[int, UpTo(2)] = history(0)

    @action
    def up(self) -> None:
        self.a += 1
        self.ups += 1

    @invariant
    def small(self) -> bool:
        return self.a < 3

    @view
    def seen(self) -> object:
        return self.a


class Hopping(Model):
    """Two ways to one view, of which only the state that is kept leads on."""

    place: Annotated[int, UpTo(2)] = 0
    key: Annotated[int, UpTo(2)] = 1

    @action
    def without(self) -> None:
        require(self.place == 0)
        self.place, self.key = 1, 2

    @action
    def with_key(self) -> None:
        require(self.place == 0)
        self.place, self.key = 1, 0

    @action
    def on(self) -> None:
        require(self.place == 1 and self.key == 0)
        self.place = 2

    @reachable
    def far(self) -> bool:
        return self.place == 2

    @view
    def seen(self) -> object:
        return self.place


class Vote(Record):
    """For a side."""

    side: Side


class Fetch(Record):
    """From a place."""

    at: Annotated[int, UpTo(1)]


Message = Vote | Fetch


class Messages(Model):
    """Of several kinds, and a number below 0."""

    inbox: dict[Side, Message | None] = each(Side, None)
    flying: frozenset[Message] = frozenset()
    debt: Annotated[int, Between(-2, 0)] = 0
    ways: Annotated[int, UpTo(1)] = history(0)

    @action
    def send(self, message: Message) -> None:
        require(message not in self.flying)
        self.flying |= {message}
        self.ways = 1 - self.ways

    @action
    def take(self, side: Side, message: Message) -> None:
        require(message in self.flying)
        self.inbox[side] = message
        self.flying -= {message}

    @action
    def borrow(self) -> None:
        require(self.debt > -2)
        self.debt -= 1

    @view
    def seen(self) -> object:
        return self.inbox, self.flying, self.debt
