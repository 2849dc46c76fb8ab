"""The whole reachable graph as a view: a node a state, an edge a step."""

from isrcheck.errors import counted
from isrcheck.evidence.graph.advice import advice
from isrcheck.evidence.graph.explored import Explored, answers, broken_by
from isrcheck.evidence.graph.view import View, ViewEdge, ViewNode
from isrcheck.run.trace import chosen, encode


def whole(found: Explored, title: str) -> View:
    """Every state and step that was found."""
    stepper = found.stepper
    return View(
        title=title,
        about=about(found),
        nodes=tuple(_node(found, place) for place in range(len(found.states))),
        edges=tuple(
            ViewEdge(
                source=source,
                target=target,
                action=stepper.actions[stepper.action_of[instance]],
                arguments={n: encode(v) for n, v in stepper.arguments(instance).items()},
                violates=broken_by(stepper, found.properties, found.states[source], instance, found.states[target]),
            )
            for source, instance, target in found.steps
        ),
        actions=stepper.actions,
        advice=advice(found),
        cut=found.cut,
    )


def _node(found: Explored, place: int) -> ViewNode:
    state = found.states[place]
    violated, met = answers(found.stepper, found.properties, state)
    return ViewNode(
        values={name: encode(value) for name, value in found.stepper.values(state).items()},
        initial=not place,
        violates=dict.fromkeys(violated, 1),
        meets=dict.fromkeys(met, 1),
        stuck=place in found.stuck,
        unexpanded=int(place >= found.looked_at),
    )


def about(found: Explored) -> tuple[str, ...]:
    """The lines of a caption: constants, counts, and whether the graph is whole."""
    counts = (
        f"{counted(len(found.states), 'state')}, {counted(len(found.steps), 'step')}, depth {found.depth}, "
        f"{found.pruned:,} pruned"
    )
    constants = " ".join(chosen({n: encode(v) for n, v in found.stepper.model.constants.items()}))
    lines = [constants, counts]
    if found.cut:
        lines.append(f"Not the whole graph: the search was cut off {found.cut}.")
    return tuple(line for line in lines if line)
