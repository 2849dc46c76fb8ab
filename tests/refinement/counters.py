"""Counters that refine a counter, or do not."""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, refines, require


class Counter(Model):
    most: int = constant(3, "the largest number")
    n: Annotated[int, UpTo("most")] = 0

    @action
    def up(self) -> None:
        self.n += 1

    @action
    def reset(self) -> None:
        require(self.n == self.most)
        self.n = 0


class Halves(Model):
    """Counts halves: every other step is none of the counter."""

    most: int = constant(3, "the largest number of the counter")
    halves: Annotated[int, UpTo("2 * most + 1")] = 0

    @action
    def step(self) -> None:
        require(self.halves < 2 * self.most + 1)
        self.halves += 1

    @action
    def reset(self) -> None:
        require(self.halves // 2 == self.most)
        self.halves = 0

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """Whole numbers are those of the counter."""
        whole: int = self.halves // 2
        abstract.n = whole


class Jumps(Model):
    """Goes on by two, which the counter cannot."""

    most: int = constant(3, "the largest number of the counter")
    n: Annotated[int, UpTo("most")] = 0

    @action
    def one(self) -> None:
        self.n += 1

    @action
    def two(self) -> None:
        require(self.n == 1)
        self.n += 2

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Wide(Model):
    """Beyond what the counter can hold."""

    most: int = constant(2, "the largest number of the counter")
    n: Annotated[int, UpTo("most + 1")] = 0

    @action
    def up(self) -> None:
        self.n += 1

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Late(Model):
    """Begins elsewhere."""

    most: int = constant(2, "the largest number of the counter")
    n: Annotated[int, UpTo("most")] = 1

    @action
    def up(self) -> None:
        self.n += 1

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Still(Model):
    """Begins elsewhere and stays there."""

    most: int = constant(2, "the largest number of the counter")
    n: Annotated[int, UpTo("most")] = 1

    @action
    def up(self) -> None:
        require(self.n > self.most)
        self.n += 1

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Pair(Model):
    """One number at a time."""

    a: Annotated[int, UpTo(2)] = 0
    b: Annotated[int, UpTo(2)] = 0

    @action
    def first(self) -> None:
        self.a += 1

    @action
    def second(self) -> None:
        self.b += 1


class Both(Model):
    """Both at once."""

    n: Annotated[int, UpTo(2)] = 0

    @action
    def up(self) -> None:
        self.n += 1

    @refines(Pair)
    def pairs(self, abstract: Pair) -> None:
        """Two of one."""
        abstract.a = self.n
        abstract.b = self.n


class Short(Model):
    """A sequence."""

    some: Annotated[tuple[bool, ...], UpTo(1)] = ()

    @action
    def more(self) -> None:
        self.some += (True,)


class Long(Model):
    """A longer one, whose end the other has no place for."""

    some: Annotated[tuple[bool, ...], UpTo(2)] = ()

    @action
    def more(self) -> None:
        self.some += (True,)

    @refines(Short)
    def grows(self, abstract: Short) -> None:
        """By name."""
