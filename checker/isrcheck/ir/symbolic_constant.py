"""Symbolic constants: what stands in place of a value that z3 chooses."""

import re
from typing import Any

from isrcheck.ir.frozen import Frozen
from isrcheck.ir.interval import ENDLESS, is_endless

RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)?")  # 1..8, or 0.. without an upper end


class Span(Frozen):
    """From `low` to `high`, both included; ENDLESS without an upper end."""

    low: int
    high: int = ENDLESS

    def __str__(self) -> str:
        return f"{self.low}.." if is_endless(self.high) else f"{self.low}..{self.high}"

    @property
    def size(self) -> int:
        return ENDLESS if is_endless(self.high) else self.high - self.low + 1

    def value(self, position: int) -> int:
        """The value at a position, counting from 0."""
        return self.low + position

    def place(self, value: int) -> int:
        return value - self.low


class OneOf(Frozen):
    """Truth values, or members of an enumeration, in order."""

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
