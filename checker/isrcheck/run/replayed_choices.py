"""Replays of violations over symbolic constants."""

from isrcheck.engines.contract import DEADLOCK, Request
from isrcheck.engines.symbolic.engine import ChoiceFindings
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import ModelIR
from isrcheck.passes import bind
from isrcheck.run.choices import Choice, Choices, PropertyChoices
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace, encode


def replay_choices(
    ir: ModelIR, model_name: str, request: Request, ranges: dict[str, ValueRange], findings: ChoiceFindings
) -> tuple[Choices, dict[str, Trace]]:
    """Replay each violation at its constants: the choices by property, and a trace of each. Raises Disagreement."""
    # A violation at one choice decides; a reachability property needs every choice.
    of = {p.name: p.kind for p in ir.properties} | {DEADLOCK: kinds.DEADLOCK}
    listed, traces = [], {}
    for name in (*request.properties, *([DEADLOCK] if request.deadlock else [])):
        ways = [
            (way, replay(bind(ir, way.constants), name, way.path, model_name, "symbolic"))
            for way in findings.violations.get(name, [])
        ]
        shown = ways[:1] if of[name].is_violation and not request.all_choices else ways
        encoded = [{n: encode(way.constants[n]) for n in ranges} for way, _ in shown]
        choices = tuple(Choice(c, way.rank, t.length) for c, (way, t) in zip(encoded, shown, strict=True))
        listed.append(PropertyChoices(name, of[name], name in findings.every, choices))
        if ways and (of[name].is_violation or name in findings.every):
            traces[name] = ways[0][1]
    written = {name: str(choice) for name, choice in ranges.items()}
    steps = max(findings.result.depth - 1, 0)
    return Choices(written, request.all_choices, steps, tuple(listed)), traces
