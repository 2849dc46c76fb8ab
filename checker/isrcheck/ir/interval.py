"""Intervals of integers, and symbolic constants: what stands for a value that z3 chooses.

A missing end is `ENDLESS` (or -ENDLESS), far above every number that a bounded system makes, so
that plain comparisons are right; what comes near it is set to it.
"""

import re
from typing import Any, Final

from isrcheck.ir.frozen import Frozen

ENDLESS: Final = 1 << 200
_NEAR: Final = 1 << 199
RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)?")  # 1..8, or 0.. without an upper end

Interval = tuple[int, int]


def end(number: int) -> int:
    return ENDLESS if number >= _NEAR else -ENDLESS if number <= -_NEAR else number


def is_endless(number: int) -> bool:
    return abs(number) >= _NEAR


def add(a: Interval, b: Interval) -> Interval:
    return end(a[0] + b[0]), end(a[1] + b[1])


def sub(a: Interval, b: Interval) -> Interval:
    return end(a[0] - b[1]), end(a[1] - b[0])


def mul(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return end(min(corners)), end(max(corners))


def floordiv(a: Interval, by: int) -> Interval:
    """The interval divided by a positive number, rounded down."""
    low, high = (x if is_endless(x) else x // by for x in a)
    return low, high


def least(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])


def greatest(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


class Span(Frozen):
    """The integers from `low` to `high`, both included; ENDLESS without an upper end."""

    low: int
    high: int = ENDLESS

    def __str__(self) -> str:
        return f"{self.low}.." if is_endless(self.high) else f"{self.low}..{self.high}"

    @property
    def size(self) -> int:
        return ENDLESS if is_endless(self.high) else self.high - self.low + 1

    def value(self, position: int) -> int:
        """Positions count from 0."""
        return self.low + position

    def place(self, value: int) -> int:
        return value - self.low


class OneOf(Frozen):
    """Truth values or members, in order."""

    members: tuple[Any, ...]

    def __str__(self) -> str:
        return ",".join(str(getattr(m, "name", m)).lower().replace("_", "-") for m in self.members)

    @property
    def size(self) -> int:
        return len(self.members)

    def value(self, position: int) -> Any:
        return self.members[position]

    def place(self, value: Any) -> int:
        return self.members.index(value)


ValueRange = Span | OneOf
