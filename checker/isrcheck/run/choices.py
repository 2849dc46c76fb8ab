"""Symbolic constants in an outcome: the values at which a property is violated or reached, and in how many states."""

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
    """The choices at which one property is violated (a reachability property: reached), smallest first."""

    name: str
    kind: PropertyKind
    every: bool  # there is no other choice at which it applies
    choices: tuple[Choice, ...]

    def to_dict(self) -> dict[str, Any]:
        encoded = [asdict(choice) for choice in self.choices]
        return {"name": self.name, "kind": self.kind.name, "every": self.every, "found": encoded}


@dataclass(frozen=True)
class Choices:
    """The ranges; and for each property the choices found in `steps` steps, with `all` every one."""

    ranges: dict[str, str]
    all: bool  # or the smallest alone
    steps: int  # looked at
    properties: tuple[PropertyChoices, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "properties": [p.to_dict() for p in self.properties]}
