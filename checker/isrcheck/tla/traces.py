"""TLC's counterexamples as traces of ours."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import UsageError
from isrcheck.ir import domains
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import decides, replay, retrace
from isrcheck.run.trace import Trace, encode
from isrcheck.tla.export import Exported
from isrcheck.tla.vocabulary import NAME, TAG, Vocabulary, field, is_bag


def read_tlc_trace(file: Path, exported: Exported, model: BoundModel, model_name: str) -> Trace:
    """TLC's counterexample as a trace of the model. Raises UsageError if it is not one."""
    wanted = [_key(_state(s, exported.writer.names, model, file)) for s in _states(file)]
    stepper = ReferenceStepper(model)
    firsts = [first for first in stepper.initials if _key(stepper.values(first)) == wanted[0]]
    states, path = firsts[:1], tuple[int, ...]()
    if not states:
        raise UsageError(f"{file} does not begin in the initial state of {model_name} with these constants.")
    for number, state in enumerate(wanted[1:], start=1):
        steps = ((i, s) for i, s in stepper.steps(states[-1]) if s is not None and _key(stepper.values(s)) == state)
        step, after = next(steps, (None, None))
        if step is None or after is None:
            gap = f"{file} goes from state {number} to state {number + 1} by no step of {model_name}"
            raise UsageError(f"{gap}: give the constants that TLC had with -c, and the model as it was exported.")
        path += (step,)
        states.append(after)
    name = _first_decided_property(stepper, states, path)
    return replay(model, name, path, model_name, "TLC") if name else retrace(model, path, model_name, "TLC")


def _first_decided_property(stepper: ReferenceStepper, states: list[tuple[Any, ...]], path: tuple[int, ...]) -> str:
    """The first property violated in the last state, else met; or empty."""
    for method in sorted(stepper.model.properties, key=lambda p: p.kind.holds_by_target):
        if (path or not method.kind.is_of_steps) and decides(stepper, method.name, path, states):
            return method.name
    return ""


def _states(file: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(file.read_text("utf-8"))
        states = [state for _, state in sorted(data["counterexample"]["state"], key=lambda pair: pair[0])]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{file} is not a trace of TLC: give what it wrote with -dumpTrace json.") from None
    if not states or not all(isinstance(state, dict) for state in states):
        raise UsageError(f"{file} has no states: TLC found nothing to show.")
    return states


def _state(data: Mapping[str, Any], vocabulary: Vocabulary, model: BoundModel, file: Path) -> dict[str, Any]:
    values = {}
    for name, of in model.domains.items():
        called = vocabulary.variables[name]
        if called not in data:
            raise UsageError(f"{file} has no variable {called}: it is a trace of another module.")
        if is_bag(of):
            raise UsageError(f"{file} cannot be read: TLC's JSON does not tell the messages of {called} apart.")
        try:
            values[name] = _decode(data[called], of)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(f"{file}: {json.dumps(data[called])[:80]} is not a value of {called}.") from None
    return values


def _decode(data: Any, domain: Domain) -> Any:
    """A value of this domain; TLC has sets as lists, and model values as strings."""
    match domain:
        case domains.OptionalDomain(of):
            return None if data == "None" or of is None else _decode(data, of)
        case domains.BoolDomain() | domains.IntDomain():
            if isinstance(data, bool) != isinstance(domain, domains.BoolDomain) or not isinstance(data, int):
                raise ValueError(data)
            return data
        case domains.SequenceDomain(of) | domains.SetDomain(of):
            elements = [_decode(element, of) for element in data] if of is not None else []
            return frozenset(elements) if isinstance(domain, domains.SetDomain) else tuple(elements)
        case domains.RecordDomain(fields=fields, make=make):
            return make(*(_decode(data[field(name)], of) for name, of in fields))
        case domains.SumDomain(members):
            if isinstance(data, dict):
                return _decode(data, next(m for m in members if m.name == data.get(TAG)))
            return next(v for m in members for v in codec(m).values() if show(v) == data)
        case domains.MapDomain(key, value):
            keys = list(codec(key).values())
            if not isinstance(data, list):  # a function over 1..n is a sequence to TLC
                data = [data[str(k).upper() if isinstance(k, bool) else show(k)] for k in keys]
            return {k: _decode(v, value) for k, v in zip(keys, data, strict=True)}
    data = data[NAME] if isinstance(data, dict) else data
    return {show(v): v for v in codec(domain).values()}[data]


def _key(state: Mapping[str, Any]) -> str:
    return json.dumps({name: encode(value) for name, value in state.items()}, sort_keys=True)
