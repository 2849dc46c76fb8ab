"""Symbolic constants in an outcome: for which of their values something was found, and in how many states."""

from dataclasses import dataclass
from typing import Any

from isrcheck.ir.property_kinds import PropertyKind


@dataclass(frozen=True)
class Choice:
    """One choice of the symbolic constants, in the JSON form of `encode`, and the shortest trace's number of states.

    `rank` has the place of each value in its range.
    """

    constants: dict[str, Any]
    rank: tuple[int, ...]
    length: int


@dataclass(frozen=True)
class PropertyChoices:
    """For one property, the choices at which it is violated (a claim: met), smallest first."""

    name: str
    kind: PropertyKind
    found: tuple[Choice, ...]
    every: bool  # there is no other choice at which it applies


@dataclass(frozen=True)
class Choices:
    """The symbolic constants with their ranges; for each property the smallest choice found, or with `all` every one.

    Claims of reachability have every one in any case. What is not listed was not found in `steps` steps.
    """

    ranges: dict[str, str]
    all: bool
    steps: int
    properties: tuple[PropertyChoices, ...]

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain data."""
        return {
            "ranges": self.ranges,
            "all": self.all,
            "steps": self.steps,
            "properties": [
                {
                    "name": p.name,
                    "kind": p.kind.name,
                    "every": p.every,
                    "found": [{"constants": c.constants, "rank": list(c.rank), "length": c.length} for c in p.found],
                }
                for p in self.properties
            ],
        }
