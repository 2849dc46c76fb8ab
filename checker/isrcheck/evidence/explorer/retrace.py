"""A trace from a file, walked again in its model: the way in, or the sentence that says where it parts."""

import json

from isrcheck.engines.contract import DEADLOCK, Path
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import Disagreement, ModelError, UsageError
from isrcheck.evidence.forms.wrap import plain
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace, TraceStep, Value, encode


def retrace(model: BoundModel, trace: Trace, file: str) -> Path:
    """The positions of the trace's instances. Raises UsageError if the reference does not go the same way."""
    stepper = ReferenceStepper(model)
    known = {_key(stepper, position): position for position in range(len(stepper.instances))}
    if trace.steps[0].action:
        raise _parts(file, 0, "it begins with a step and not with a state")
    path = []
    for number, step in enumerate(trace.steps[1:], 1):
        position = known.get(_text(step.action, step.arguments))
        if position is None:
            raise _parts(file, number, f"{_call(step)} is no step of {model.ir.name} with these constants")
        path.append(position)
    _walk(model, stepper, trace, tuple(path), file)
    return tuple(path)


def _walk(model: BoundModel, stepper: ReferenceStepper, trace: Trace, path: Path, file: str) -> None:
    if trace.name != DEADLOCK and trace.name not in stepper.roles:
        raise UsageError(f"{file} does not replay: {model.ir.name} has no property {plain(trace.name)}.")
    state = stepper.initial
    for number, step in enumerate(trace.steps):
        try:
            after = stepper.step(state, path[number - 1]) if number else state
        except ModelError as error:
            raise _parts(file, number, error.sentence.removesuffix(".")) from None
        if after is None:
            raise _parts(file, number, f"{_call(step)} cannot happen there")
        if {n: encode(v) for n, v in stepper.values(after).items()} != step.state:
            raise _parts(file, number, "the model's state is another one")
        state = after
    try:
        replay(model, trace.name, path, trace.model, "trace's")
    except (Disagreement, IndexError):  # a step property, and no step
        raise _parts(file, trace.length - 1, f"{plain(trace.name)} is not decided there") from None


def _parts(file: str, number: int, what: str) -> UsageError:
    where = f"at step {number}" if number else "in the initial state"
    return UsageError(
        f"{file} does not replay: {where}, {what}. It is of another model or version, or was changed: "
        "make it again with isrcheck check --trace-dir."
    )


def _call(step: TraceStep) -> str:
    given = ", ".join(f"{n}={json.dumps(v) if isinstance(v, dict | list) else v}" for n, v in step.arguments.items())
    return plain(f"{step.action}({given})")


def _key(stepper: ReferenceStepper, position: int) -> str:
    taken = stepper.taken(position)
    return _text(taken.action, {n: encode(v) for n, v in stepper.arguments(position).items()})


def _text(action: str, arguments: dict[str, Value]) -> str:
    return json.dumps([action, arguments], sort_keys=True)
