"""Symbolic constants in an outcome: for which of their values something was found, and in how many states."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isrcheck.engines.contract import DEADLOCK, Request
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import ModelIR
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes import bind
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace, encode

if TYPE_CHECKING:  # it imports z3
    from isrcheck.engines.symbolic.engine import ChoiceFindings


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
        properties = [
            {
                "name": p.name,
                "kind": p.kind.name,
                "every": p.every,
                "found": [{"constants": c.constants, "rank": list(c.rank), "length": c.length} for c in p.found],
            }
            for p in self.properties
        ]
        return {"ranges": self.ranges, "all": self.all, "steps": self.steps, "properties": properties}


def replay_choices(
    ir: ModelIR, model_name: str, request: Request, ranges: dict[str, ValueRange], seen: "ChoiceFindings"
) -> tuple[Choices, dict[str, Trace]]:
    """The choices found for each property asked, and the trace to show of each that is decided by them.

    A violation at one choice decides a property; a reachability property is decided once every choice meets it. Raises
    Disagreement where the reference does not go a way that was found.
    """
    of = {p.name: p.kind for p in ir.properties} | {DEADLOCK: kinds.DEADLOCK}
    listed, traces = [], {}
    for name in (*request.properties, *([DEADLOCK] if request.deadlock else [])):
        ways = [
            (way, replay(bind(ir, way.constants), name, way.path, model_name, "symbolic"))
            for way in seen.found.get(name, [])
        ]
        found = tuple(
            Choice({n: encode(way.constants[n]) for n in ranges}, way.rank, trace.length) for way, trace in ways
        )
        if of[name].is_violation and not request.all_choices:
            found = found[:1]
        listed.append(PropertyChoices(name, of[name], found, name in seen.every))
        if ways and (of[name].is_violation or name in seen.every):
            traces[name] = ways[0][1]
    written, steps = {name: str(choice) for name, choice in ranges.items()}, max(seen.result.depth - 1, 0)
    return Choices(written, request.all_choices, steps, tuple(listed)), traces
