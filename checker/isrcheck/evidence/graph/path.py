"""A trace alone as a graph: its states, those that are equal as one node, and its steps. No model is asked."""

import json

from isrcheck.errors import counted
from isrcheck.evidence.graph.view import View, ViewEdge, ViewNode
from isrcheck.ir import property_kinds as kinds
from isrcheck.run.trace import Trace, chosen


def path(trace: Trace) -> View:
    """The way of the trace through its states."""
    places: dict[str, int] = {}
    at = [places.setdefault(json.dumps(step.state, sort_keys=True), len(places)) for step in trace.steps]
    numbers: dict[int, list[int]] = {}
    for number, place in enumerate(at):
        numbers.setdefault(place, []).append(number)
    broken = trace.kind == kinds.STEP
    edges = [
        ViewEdge(
            source=at[number - 1],
            target=at[number],
            action=step.action,
            arguments=step.arguments,
            violates=(trace.name,) if broken and number == trace.length - 1 else (),
            numbers=(number,),
        )
        for number, step in enumerate(trace.steps[1:], 1)
    ]
    return View(
        title=trace.model,
        about=_about(trace, len(places)),
        nodes=tuple(_node(trace, places, at, place, tuple(found)) for place, found in numbers.items()),
        edges=tuple(edges),
        actions=tuple(dict.fromkeys(step.action for step in trace.steps[1:])),
    )


def _node(trace: Trace, places: dict[str, int], at: list[int], place: int, numbers: tuple[int, ...]) -> ViewNode:
    last = place == at[-1]
    return ViewNode(
        values=trace.steps[numbers[0]].state,
        initial=place == at[0],
        violates={trace.name: 1} if last and trace.kind == kinds.INVARIANT else {},
        meets={trace.name: 1} if last and trace.kind == kinds.REACHABLE else {},
        stuck=last and trace.kind == kinds.DEADLOCK,
        numbers=numbers,
    )


def _about(trace: Trace, different: int) -> tuple[str, ...]:
    constants = " ".join(chosen(trace.constants))
    again = "" if different == trace.length else f", through {counted(different, 'state')}"
    lines = (constants, f"{trace.name} {trace.verb} {trace.when}{again}")
    return tuple(line for line in lines if line)
