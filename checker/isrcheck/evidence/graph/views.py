"""State graphs of a search or a trace."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from isrcheck.engines.reference.stepper import ReferenceStepper, State
from isrcheck.errors import quantity
from isrcheck.evidence.graph.explored import MAX_STATES, Explored, advice
from isrcheck.evidence.graph.expressions import GroupExpression
from isrcheck.evidence.graph.view import GraphElements, View, ViewEdge, ViewNode
from isrcheck.ir.frozen import replace
from isrcheck.run.replay import states_along, trace_path
from isrcheck.run.trace import Trace, constant_options

Steps = list[tuple[int, State]]  # instances with the states they lead to


def complete_view(graph: Explored, title: str) -> View:
    elements = graph.elements
    states = graph.states
    nodes = (
        elements.node(state, stuck=n in graph.stuck, unexpanded=int(n >= graph.looked_at))
        for n, state in enumerate(states)
    )
    edges = (elements.edge(source, states[source], i, target, states[target]) for source, i, target in graph.steps)
    return _of_explored(graph, title, nodes, edges)


def quotient(graph: Explored, by: Sequence[GroupExpression], title: str) -> View:
    groups: dict[str, list[int]] = {}  # positions, by what is alike
    for n, state in enumerate(graph.states):
        values = [expression.value(state) for expression in by]
        groups.setdefault(json.dumps(values, ensure_ascii=False), []).append(n)
    alike = ", ".join(expression.source for expression in by)
    group_of = {place: number for number, places in enumerate(groups.values()) for place in places}
    nodes = (_group(graph, by, places) for places in groups.values())
    said = f"{quantity(len(groups), 'group')} of states alike in {alike}"
    return replace(_of_explored(graph, title, nodes, _edges(graph, group_of), said), grouped=True)


def _of_explored(graph: Explored, title: str, nodes: Iterable[ViewNode], edges: Iterable[ViewEdge], *more: str) -> View:
    return View(
        title=title,
        about=(*graph.about, *more),
        nodes=tuple(nodes),
        edges=tuple(edges),
        actions=graph.stepper.actions,
        advice=advice(graph),
        cut=graph.cut,
    )


def _group(graph: Explored, by: Sequence[GroupExpression], places: Sequence[int]) -> ViewNode:
    targets = [graph.elements.targets(graph.states[place]) for place in places]
    return ViewNode(
        values={expression.source: expression.value(graph.states[places[0]]) for expression in by},
        states=len(places),
        initial=places[0] == 0,
        violates=Counter(name for violated, _ in targets for name in violated),
        meets=Counter(name for _, met in targets for name in met),
        unexpanded=sum(place >= graph.looked_at for place in places),
    )


def _edges(graph: Explored, group_of: dict[int, int]) -> tuple[ViewEdge, ...]:
    steps: Counter[tuple[int, int, int]] = Counter()
    broken: dict[tuple[int, int, int], dict[str, None]] = {}
    for source, instance, target in graph.steps:
        edge = (group_of[source], group_of[target], graph.stepper.action_of[instance])
        steps[edge] += 1
        names = graph.elements.violations_of_step(graph.states[source], instance, graph.states[target])
        broken.setdefault(edge, {}).update(dict.fromkeys(names))
    actions = graph.stepper.actions
    return tuple(
        ViewEdge(source=s, target=t, action=actions[a], steps=steps[s, t, a], violates=tuple(broken[s, t, a]))
        for s, t, a in sorted(steps)
    )


def neighbourhood(
    stepper: ReferenceStepper,
    properties: tuple[str, ...],
    trace: Trace,
    radius: int,
    title: str,
    max_states: int = MAX_STATES,
) -> View:
    """The states of a trace, and those within `radius` steps, or fewer if these are more than `max_states`.

    Raises UsageError for a trace that is not one of this model.
    """
    path = trace_path(stepper.model, trace, "the trace")
    along = states_along(stepper, path, trace.name, "reference")
    steps, reached_from, reached = _within(stepper, along, radius, max_states)
    place = {state: number for number, state in enumerate(steps)}
    numbers: dict[State, list[int]] = {}
    taken: dict[tuple[State, int], list[int]] = {}
    for number, state in enumerate(along):
        numbers.setdefault(state, []).append(number)
        if number:
            taken.setdefault((along[number - 1], path[number - 1]), []).append(number)
    elements = GraphElements(stepper, properties)
    nodes = (
        elements.node(
            state,
            numbers=tuple(numbers.get(state, ())),
            since=place[reached_from[state]] if state in reached_from else None,
            hidden=len({after for _, after in successors if after not in place}),
        )
        for state, successors in steps.items()
    )
    edges = (
        elements.edge(place[state], state, instance, place[after], after, tuple(taken.get((state, instance), ())))
        for state, steps_out in steps.items()
        for instance, after in steps_out
        if after in place
    )
    near = (
        f"the {quantity(trace.length, 'state')} of a trace of {trace.name}, and all within {quantity(reached, 'step')}"
    )
    less = "" if reached == radius else f"Not the {quantity(radius, 'step')} asked for: there would be too many states."
    return View(
        title=title,
        about=(
            " ".join(constant_options(trace.constants)),
            f"{near}: {quantity(len(steps), 'state')} in all",
            less,
            "a state beside the trace shows how it differs from the one that first leads to it",
        ),
        nodes=tuple(nodes),
        edges=tuple(edges),
        actions=stepper.actions,
        advice=f"--radius {reached - 1}" if reached else "",
        cut=None if reached == radius else f"{quantity(reached, 'step')} from the trace",
    )


def _within(
    stepper: ReferenceStepper, states: list[State], radius: int, max_states: int
) -> tuple[dict[State, Steps], dict[State, State], int]:
    """All states within so many steps, with their steps; where others were reached from; and the radius taken."""
    steps: dict[State, Steps] = {}
    reached_from: dict[State, State] = {}
    level, distance = list(dict.fromkeys(states)), 0
    while True:
        for state in level:
            steps[state] = [(instance, after) for instance, after in stepper.steps(state) if after is not None]
        near: dict[State, State] = {}
        for before, after in ((state, after) for state in level for _, after in steps[state] if after not in steps):
            near.setdefault(after, before)
        if distance == radius or len(steps) + len(near) > max_states:
            return steps, reached_from, distance
        reached_from |= near
        level, distance = list(near), distance + 1
