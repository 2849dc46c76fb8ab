"""TLC's counterexamples as traces of ours."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import UsageError
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import replay, retrace
from isrcheck.run.trace import Trace, encode
from isrcheck.tla.export import Exported
from isrcheck.tla.trace_values import NOT_A_VALUE, TLC, decoded
from isrcheck.tla.vocabulary import Vocabulary


def read_tlc_trace(file: Path, exported: Exported, model: BoundModel, model_name: str) -> Trace:
    """TLC's counterexample as a trace of the model, each step named by the action that makes it.

    Raises UsageError if the file is not one, or the model does not go that way.
    """
    states = [_state(s, exported.writer.vocabulary, model, file) for s in _states(file)]
    stepper = ReferenceStepper(model)
    wanted = [_key(s) for s in states]
    now, path = stepper.initial, []
    if _key(stepper.values(now)) != wanted[0]:
        raise UsageError(f"{file} does not begin in the initial state of {model_name} with these constants.")
    for position, state in enumerate(wanted[1:], start=2):
        found = ((i, s) for i, s in stepper.steps(now) if s is not None and _key(stepper.values(s)) == state)
        instance, after = next(found, (None, None))
        if instance is None or after is None:
            raise UsageError(
                f"{file} goes from state {position - 1} to state {position} by no step of {model_name}: give the "
                f"constants that TLC had with -c, and the model as it was exported."
            )
        path.append(instance)
        now = after
    name = _shown(stepper, model, path)
    if name:
        return replay(model, name, tuple(path), model_name, "TLC")
    return retrace(model, tuple(path), model_name, "TLC")


def _shown(stepper: ReferenceStepper, model: BoundModel, path: list[int]) -> str:
    """The first property that the last state violates, else the first reachability property that it meets; or empty."""
    before, now = stepper.initial, stepper.initial
    for instance in path:
        before, now = now, stepper.step(now, instance) or now
    for method in sorted(model.properties, key=lambda p: p.kind.holds_by_target):
        if method.kind.is_of_steps:
            found = bool(path) and method.kind.is_target(stepper.step_holds(method.name, before, path[-1], now))
        else:
            found = method.kind.is_target(stepper.holds(method.name, now))
        if found:
            return method.name
    return ""


def _states(file: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = [state for _, state in sorted(data["counterexample"]["state"], key=lambda pair: pair[0])]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{file} is not a trace of TLC: give what it wrote with -dumpTrace json.") from None
    if not found or not all(isinstance(state, dict) for state in found):
        raise UsageError(f"{file} has no states: TLC found nothing to show.")
    return found


def _state(data: Mapping[str, Any], vocabulary: Vocabulary, model: BoundModel, file: Path) -> dict[str, Any]:
    """One state of TLC's in the model's values."""
    found = {}
    for name, domain in model.domains.items():
        called = vocabulary.variables[name]
        if called not in data:
            raise UsageError(f"{file} has no variable {called}: it is a trace of another module.")
        try:
            found[name] = decoded(data[called], domain, TLC)
        except NOT_A_VALUE:
            raise UsageError(f"{file}: {json.dumps(data[called])[:80]} is not a value of {called}.") from None
    return found


def _key(state: Mapping[str, Any]) -> str:
    return json.dumps({name: encode(value) for name, value in state.items()}, sort_keys=True)
