"""Intervals of integers, and symbolic constants: what stands for a value that z3 chooses."""

import re
from typing import Any

from isrcheck.ir.frozen import Frozen

RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)?")  # 1..8; 0.. has no upper end, and is refused

Interval = tuple[int, int]


def add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def sub(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def mul(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def floordiv(a: Interval, by: int) -> Interval:
    """The interval divided by a positive number, rounded down."""
    return a[0] // by, a[1] // by


def least(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])


def greatest(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


class Span(Frozen):
    """The integers from `low` to `high`, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def value(self, position: int) -> int:
        """Return the integer at a position, from 0 on."""
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
