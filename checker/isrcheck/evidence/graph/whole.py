"""The whole reachable graph as a view: a node a state, an edge a step."""

from isrcheck.errors import counted
from isrcheck.evidence.graph.advice import advice
from isrcheck.evidence.graph.explored import Explored
from isrcheck.evidence.graph.view import View
from isrcheck.run.trace import chosen, encode


def whole(found: Explored, title: str) -> View:
    """Every state and step that was found."""
    elements, states = found.elements, found.states
    nodes = (
        elements.node(state, stuck=place in found.stuck, unexpanded=int(place >= found.looked_at))
        for place, state in enumerate(states)
    )
    edges = (elements.edge(source, states[source], i, target, states[target]) for source, i, target in found.steps)
    return View(
        title=title,
        about=about(found),
        nodes=tuple(nodes),
        edges=tuple(edges),
        actions=found.stepper.actions,
        advice=advice(found),
        cut=found.cut,
    )


def about(found: Explored) -> tuple[str, ...]:
    """The lines of a caption: constants, counts, and whether the graph is complete."""
    states, steps = counted(len(found.states), "state"), counted(len(found.steps), "step")
    counts = f"{states}, {steps}, depth {found.depth}, {found.pruned:,} pruned"
    constants = " ".join(chosen({n: encode(v) for n, v in found.stepper.model.constants.items()}))
    cut = f"Not the whole graph: the search was cut off {found.cut}." if found.cut else ""
    return tuple(line for line in (constants, counts, cut) if line)
