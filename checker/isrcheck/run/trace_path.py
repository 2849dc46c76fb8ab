"""A trace from a file, walked again in its model: its instances, or the sentence that says where it cannot go on."""

import json

from isrcheck.engines.contract import DEADLOCK, Path
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import Disagreement, ModelError, UsageError
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace, TraceStep, Value, encode


def trace_path(model: BoundModel, trace: Trace, file: str) -> Path:
    """The positions of the trace's instances. Raises UsageError if the reference does not go the same way."""
    stepper = ReferenceStepper(model)
    known = {_key(stepper, position): position for position in range(len(stepper.instances))}
    if trace.steps[0].action:
        raise _stops(file, 0, "it begins with a step and not with a state")
    path: list[int] = []
    state = stepper.initial
    for number, step in enumerate(trace.steps):
        if number:
            position = known.get(_text(step.action, step.arguments))
            if position is None:
                raise _stops(file, number, f"{model.ir.name} has no step {_call(step)} with these constants")
            path.append(position)
            try:
                after = stepper.step(state, position)
            except ModelError as error:
                raise _stops(file, number, error.sentence.removesuffix(".")) from None
            if after is None:
                raise _stops(file, number, f"{_call(step)} cannot happen there")
            state = after
        if {n: encode(v) for n, v in stepper.values(state).items()} != step.state:
            raise _stops(file, number, "the model's state is another one")
    return tuple(path)


def deciding_path(model: BoundModel, trace: Trace, file: str) -> Path:
    """The same of a trace that shows what it says of its property. Raises UsageError if it does not."""
    if trace.name != DEADLOCK and trace.name not in {p.name for p in model.ir.properties}:
        raise UsageError(f"{file} does not replay: {model.ir.name} has no property {trace.name}.")
    path = trace_path(model, trace, file)
    try:
        replay(model, trace.name, path, trace.model, "trace's")
    except (Disagreement, IndexError):  # a step property, and no step
        raise _stops(file, trace.length - 1, f"{trace.name} is not decided there") from None
    return path


def _stops(file: str, number: int, why: str) -> UsageError:
    where = f"at step {number}" if number else "in the initial state"
    return UsageError(
        f"{file} does not replay: {where}, {why}. It is of another model or version, or was changed: "
        "make it again with isrcheck check --trace-dir."
    )


def _call(step: TraceStep) -> str:
    """An action with its arguments, whatever a file says that these are."""
    given = (f"{n}={json.dumps(v) if isinstance(v, dict | list) else v}" for n, v in step.arguments.items())
    return f"{step.action}({', '.join(given)})"


def _key(stepper: ReferenceStepper, position: int) -> str:
    taken = stepper.taken(position)
    return _text(taken.action, {n: encode(v) for n, v in stepper.arguments(position).items()})


def _text(action: str, arguments: dict[str, Value]) -> str:
    return json.dumps([action, arguments], sort_keys=True)
