"""A trace and what lies near it: its states in order, and every state within some steps of one of them."""

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.errors import UsageError, counted
from isrcheck.evidence.graph.explored import MAX_STATES, answers, broken_by
from isrcheck.evidence.graph.view import View, ViewEdge, ViewNode
from isrcheck.run.trace import Trace, chosen, encode
from isrcheck.wrap import plain

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

    A smaller radius is taken, and said to be, if there would be more than `max_states`. Raises UsageError like `walk`.
    """
    path = walk(stepper, trace)
    along = [stepper.initial, *(state for _, state in path)]
    steps, reached_from, reached = _within(stepper, along, radius, max_states)
    place = {state: number for number, state in enumerate(steps)}
    numbers: dict[State, list[int]] = {stepper.initial: [0]}
    taken: dict[tuple[State, int], list[int]] = {}
    before = stepper.initial
    for number, (instance, state) in enumerate(path, 1):
        numbers.setdefault(state, []).append(number)
        taken.setdefault((before, instance), []).append(number)
        before = state
    nodes = []
    for state, found in steps.items():
        violated, met = answers(stepper, properties, state)
        nodes.append(
            ViewNode(
                values={n: encode(v) for n, v in stepper.values(state).items()},
                initial=state == stepper.initial,
                violates=dict.fromkeys(violated, 1),
                meets=dict.fromkeys(met, 1),
                numbers=tuple(numbers.get(state, ())),
                since=place[reached_from[state]] if state in reached_from else None,
                hidden=len({after for _, after in found if after not in place}),
            )
        )
    edges = tuple(
        ViewEdge(
            source=place[state],
            target=place[after],
            action=stepper.actions[stepper.action_of[instance]],
            arguments={n: encode(v) for n, v in stepper.arguments(instance).items()},
            violates=broken_by(stepper, properties, state, instance, after),
            numbers=tuple(taken.get((state, instance), ())),
        )
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


def walk(stepper: ReferenceStepper, trace: Trace) -> Steps:
    """The steps of a trace on a model. Raises UsageError, naming the first step that the model cannot take."""
    first = trace.steps[0]
    if _encoded(stepper, stepper.initial) != first.state:
        raise _not_of_this_model(stepper, trace, "does not begin in its initial state")
    state, path = stepper.initial, Steps()
    for number, step in enumerate(trace.steps[1:], 1):
        for instance, after in stepper.steps(state):
            if after is None or stepper.actions[stepper.action_of[instance]] != step.action:
                continue
            given = {n: encode(v) for n, v in stepper.arguments(instance).items()}
            if given == step.arguments and _encoded(stepper, after) == step.state:
                path.append((instance, after))
                state = after
                break
        else:
            what = f"{plain(step.action)} as step {number}, which cannot happen there"
            raise _not_of_this_model(stepper, trace, f"takes {what}")
    return path


def _not_of_this_model(stepper: ReferenceStepper, trace: Trace, why: str) -> UsageError:
    return UsageError(
        f"the trace of {plain(trace.model)} {why}: {plain(stepper.model.ir.name)} is another model, or has changed. "
        "Make the trace again with --trace-dir."
    )


def _encoded(stepper: ReferenceStepper, state: State) -> dict[str, object]:
    return {name: encode(value) for name, value in stepper.values(state).items()}


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
