"""A trace and what lies near it: its states in order, and every state within some steps of one of them."""

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.errors import counted
from isrcheck.evidence.graph.elements import GraphElements
from isrcheck.evidence.graph.explored import MAX_STATES
from isrcheck.evidence.graph.view import View
from isrcheck.run.trace import Trace, chosen
from isrcheck.run.trace_path import trace_path

Steps = list[tuple[int, State]]  # instances with the states they lead to


def neighbourhood(
    stepper: ReferenceStepper,
    properties: tuple[str, ...],
    trace: Trace,
    radius: int,
    title: str,
    max_states: int = MAX_STATES,
) -> View:
    """The trace's states, and those that `radius` steps from one of them lead to.

    A smaller radius is taken, and said to be, if there would be more than `max_states`. Raises UsageError for a trace
    that is not one of this model.
    """
    path = trace_path(stepper.model, trace, "the trace")
    along = [stepper.initial]
    for instance in path:
        after = stepper.step(along[-1], instance)
        assert after is not None
        along.append(after)
    steps, reached_from, reached = _within(stepper, along, radius, max_states)
    place = {state: number for number, state in enumerate(steps)}
    numbers: dict[State, list[int]] = {}
    taken: dict[tuple[State, int], list[int]] = {}
    for number, state in enumerate(along):
        numbers.setdefault(state, []).append(number)
        if number:
            taken.setdefault((along[number - 1], path[number - 1]), []).append(number)
    elements = GraphElements(stepper, properties)
    nodes = [
        elements.node(
            state,
            numbers=tuple(numbers.get(state, ())),
            since=place[reached_from[state]] if state in reached_from else None,
            hidden=len({after for _, after in found if after not in place}),
        )
        for state, found in steps.items()
    ]
    edges = tuple(
        elements.edge(place[state], state, instance, place[after], after, tuple(taken.get((state, instance), ())))
        for state, found in steps.items()
        for instance, after in found
        if after in place
    )
    return View(
        title=title,
        about=_about(trace, radius, reached, len(steps)),
        nodes=tuple(nodes),
        edges=edges,
        actions=stepper.actions,
        advice=f"--radius {reached - 1}" if reached else "",
        cut=None if reached == radius else f"{counted(reached, 'step')} from the trace",
    )


def _within(
    stepper: ReferenceStepper, states: list[State], radius: int, max_states: int
) -> tuple[dict[State, Steps], dict[State, State], int]:
    """Those states and all within so many steps of one, each with its steps; where the others were reached from; and
    the radius, which is smaller if there would be too many states. Pruned steps are left out.
    """
    steps: dict[State, Steps] = {}
    reached_from: dict[State, State] = {}
    level = list(dict.fromkeys(states))
    for distance in range(radius + 1):
        for state in level:
            steps[state] = [(instance, after) for instance, after in stepper.steps(state) if after is not None]
        near: dict[State, State] = {}
        for state in level:
            for _, after in steps[state]:
                if after not in steps:
                    near.setdefault(after, state)
        if distance == radius or len(steps) + len(near) > max_states:
            return steps, reached_from, distance
        reached_from |= near
        level = list(near)
    raise AssertionError("a radius is 0 or more")


def _about(trace: Trace, radius: int, reached: int, states: int) -> tuple[str, ...]:
    constants = " ".join(chosen(trace.constants))
    near = f"the {counted(trace.length, 'state')} of a trace of {trace.name}, and all within {counted(reached, 'step')}"
    less = "" if reached == radius else f"Not the {counted(radius, 'step')} asked for: there would be too many states."
    beside = "a state beside the trace shows how it differs from the one that first leads to it"
    return tuple(line for line in (constants, f"{near}: {counted(states, 'state')} in all", less, beside) if line)
