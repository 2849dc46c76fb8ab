"""Integers below 0: in arithmetic, maps, sets, sequences, records and optional values."""

from typing import Annotated, NamedTuple

from tests.lang.models.words import Count

from isrcheck import Between, Model, UpTo, action, constant, each, invariant, reachable, require, start

Debt = Annotated[int, Between("-most", "most - 1")]
Row = Annotated[tuple[Debt, ...], UpTo("2")]


class Pair(NamedTuple):
    one: Debt
    two: Debt | None


class Below(Model):
    """Whatever holds a number holds one below 0."""

    most: int = constant(2, "the largest number", at_least=1)

    n: Debt = start("-most")
    last: Debt | None = None
    pair: Pair = Pair(0, None)
    row: Row = ()
    seen: frozenset[Debt] = frozenset()
    at: dict[Debt, Count] = each(Debt, 0)

    @action
    def add(self, by: Debt) -> None:
        require(by != 0 and (self.n + by < 0 or self.seen == frozenset()))
        self.n += by if self.n + by >= -self.most else 0
        self.at[self.n] = 1

    @action
    def keep(self) -> None:
        require(self.n not in self.seen)
        self.seen = frozenset({self.n, -1}) if len(self.seen) == 0 else frozenset()
        self.last = None if self.n > 0 else min(self.n, -1)
        self.at[self.n] = 0

    @action
    def push(self) -> None:
        self.row = (self.n,) + self.row[:1]
        self.pair = Pair(self.n, self.last) if self.n in self.seen else Pair(-1, None)

    @invariant
    def in_range(self) -> bool:
        return all(-self.most <= e < self.most for e in self.row) and self.n // 2 >= -self.most

    @reachable
    def lowest(self) -> bool:
        return self.pair == Pair(-1, -1) or (self.last is not None and self.last == -self.most)
