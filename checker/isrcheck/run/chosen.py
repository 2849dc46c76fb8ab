"""What a bounded search over symbolic constants found, replayed on the reference, each way with its own constants."""

from isrcheck.engines.contract import DEADLOCK, Request
from isrcheck.engines.symbolic.choices import AtConstants, ChoiceFindings
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.model import ModelIR
from isrcheck.ir.symbolic_constant import ValueRange
from isrcheck.passes import bind
from isrcheck.run.choices import Choice, Choices, PropertyChoices
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace, encode


def replay_choices(
    ir: ModelIR, model_name: str, request: Request, ranges: dict[str, ValueRange], seen: ChoiceFindings, every: bool
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
        found = tuple(_choice(way, trace, ranges) for way, trace in ways)
        if of[name].is_violation and not every:
            found = found[:1]
        listed.append(PropertyChoices(name, of[name], found, name in seen.every))
        if ways and (of[name].is_violation or name in seen.every):
            traces[name] = ways[0][1]
    steps = max(seen.depth - 1, 0)
    return Choices({name: str(choice) for name, choice in ranges.items()}, every, steps, tuple(listed)), traces


def _choice(way: AtConstants, trace: Trace, ranges: dict[str, ValueRange]) -> Choice:
    return Choice({name: encode(way.constants[name]) for name in ranges}, way.rank, trace.length)
