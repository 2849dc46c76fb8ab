"""Symbolic constants in an outcome: for which of their values something was found, and in how many states."""

from dataclasses import asdict, dataclass
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


def replay_choices(
    ir: ModelIR, model_name: str, request: Request, ranges: dict[str, ValueRange], seen: "ChoiceFindings"
) -> tuple[Choices, dict[str, Trace]]:
    """As a replay, raises Disagreement."""
    # A violation at one choice decides; a reachability property needs every choice.
    of = {p.name: p.kind for p in ir.properties} | {DEADLOCK: kinds.DEADLOCK}
    listed, traces = [], {}
    for name in (*request.properties, *([DEADLOCK] if request.deadlock else [])):
        ways = [
            (way, replay(bind(ir, way.constants), name, way.path, model_name, "symbolic"))
            for way in seen.found.get(name, [])
        ]
        shown = ways[:1] if of[name].is_violation and not request.all_choices else ways
        encoded = [{n: encode(way.constants[n]) for n in ranges} for way, _ in shown]
        found = tuple(Choice(c, way.rank, t.length) for c, (way, t) in zip(encoded, shown, strict=True))
        listed.append(PropertyChoices(name, of[name], name in seen.every, found))
        if ways and (of[name].is_violation or name in seen.every):
            traces[name] = ways[0][1]
    written = {name: str(choice) for name, choice in ranges.items()}
    steps = max(seen.result.depth - 1, 0)
    return Choices(written, request.all_choices, steps, tuple(listed)), traces
