"""Symbolic constants in an outcome: for which of their values something was found, and in how many states."""

from dataclasses import asdict, dataclass
from typing import Any

from isrcheck.ir.property_kinds import PropertyKind


@dataclass(frozen=True)
class Choice:
    constants: dict[str, Any]
    rank: tuple[int, ...]  # in the ranges
    length: int  # of the shortest trace


@dataclass(frozen=True)
class PropertyChoices:
    """For one property, the choices at which it is violated (a claim: met), smallest first."""

    name: str
    kind: PropertyKind
    every: bool  # there is no other choice at which it applies
    found: tuple[Choice, ...]


@dataclass(frozen=True)
class Choices:
    """The ranges; and for each property the choices found in `steps` steps, with `all` every one."""

    ranges: dict[str, str]
    all: bool  # or the smallest alone
    steps: int  # looked at
    properties: tuple[PropertyChoices, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "properties": [{**asdict(p), "kind": p.kind.name} for p in self.properties]}
