"""Steps that can follow a violation: the shortest way on to a leader without a record that is missing so far.

It is an aid of drawings, apart from the trace: nothing is decided by it, and a search that is too long is given up.
"""

from collections import deque

from isrcheck.catalogue import models_by_name
from isrcheck.engines.contract import Path
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import IsrcheckError
from isrcheck.evidence.forms.scene import Painter
from isrcheck.ir.frozen import replace
from isrcheck.lang.drawing import Crown
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.run.replay import action_sentences, path_to_verdict, states_along, step_of_state, steps_of
from isrcheck.run.trace import Trace

MOST_STATES = 500  # an election is two or three steps, 30 to 300 states in the Kafka models
MOST_STEPS = 4


def with_what_follows(trace: Trace) -> Trace:
    """The trace with the steps that can follow. A model in a file is left alone: drawing a trace runs nobody's file."""
    cls = models_by_name().get(trace.model)
    if cls is None or trace.loop is not None or _painter_of_loss(trace) is None:
        return trace
    try:
        model = bind(read_model(cls), trace.constants)
        return add_steps_that_follow(model, trace, path_to_verdict(model, trace, "the trace"))[0]
    except IsrcheckError:  # it is of another version, and is drawn as it is
        return trace


def add_steps_that_follow(model: BoundModel, trace: Trace, path: Path) -> tuple[Trace, Path]:
    """The trace with the steps that can follow, and their instances, if there are any within the bounds.

    `path` is the trace's own, and must replay. Raises ModelError if the model's text goes wrong beyond it.
    """
    painter = _painter_of_loss(trace)
    if painter is None:
        return trace, ()
    stepper = ReferenceStepper(model)
    onward = _onward(stepper, painter, states_along(stepper, path, trace.name, "reference")[-1])
    states = states_along(stepper, (*path, *onward), trace.name, "reference")
    steps = steps_of(stepper, onward, states[len(path) :])[1:]
    sentences = action_sentences(model)
    actions = {**trace.actions, **{step.action: sentences[step.action] for step in steps}}
    return replace(trace, follows=steps, actions=actions), onward


def _painter_of_loss(trace: Trace) -> Painter | None:
    """The painter of all states, if somebody lacks a record in the end, may be elected and is not yet; else None."""
    crowns = [mark for mark in trace.drawing.words if isinstance(mark, Crown)] if trace.drawing else []
    if not trace.kind.is_violation or not any(crown.elected for crown in crowns):
        return None
    painter = Painter(trace)
    losses = [painter.losses(step) for step in trace.steps][-1]
    return painter if any(loss.electable for loss in losses) and not any(loss.leads for loss in losses) else None


def _onward(stepper: ReferenceStepper, painter: Painter, state: State) -> Path:
    """The shortest way to lose a record."""
    waiting: deque[tuple[State, Painter, Path]] = deque([(state, painter, ())])
    known = {state}
    while waiting:
        state, painter, path = waiting.popleft()
        for instance, after in stepper.steps(state):
            if after is None or after in known or len(known) >= MOST_STATES:
                continue
            known.add(after)
            onward = painter.fork()
            if any(loss.leads for loss in onward.losses(step_of_state(stepper, after))):
                return (*path, instance)
            if len(path) + 1 < MOST_STEPS:
                waiting.append((after, onward, (*path, instance)))
    return ()
