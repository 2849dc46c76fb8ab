"""A trace in Apalache's ITF (ADR-015)."""

from typing import Any

from isrcheck.files import as_json
from isrcheck.run.trace import Trace, TraceStep, Value, shown

_FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf_text(trace: Trace) -> str:
    states = [_state(index, trace) for index in range(trace.length)]
    # The last state is that of the loop again: what comes after the one comes after the other.
    loop = {} if trace.loop is None else {"loop": min(trace.loop + 1, trace.length - 1)}
    whole = {
        "#meta": {
            "format": "ITF",
            "format-description": _FORMAT,
            "description": f"{trace.model}: {trace.name}: {' '.join(trace.sentence.split())}",
            "source": trace.place,
            "property": {"name": trace.name, "kind": trace.kind.name},
            "model": trace.model,
        },
        "params": list(trace.constants),
        "vars": list(trace.steps[0].state),
        "states": states,
        **loop,
    }
    return as_json(whole)


def _state(index: int, trace: Trace) -> dict[str, Any]:
    step = trace.steps[index]
    meta: dict[str, Any] = {"index": index}
    if index:
        before = trace.steps[index - 1].state
        meta["action"] = step.action
        meta["arguments"] = {name: itf_value(value) for name, value in step.arguments.items()}
        meta["actor"] = _actor(step)
        meta["changed"] = [name for name, value in step.state.items() if value != before[name]]
    params = {} if index else trace.constants
    return {"#meta": meta, **{name: itf_value(value) for name, value in (*params.items(), *step.state.items())}}


def _actor(step: TraceStep) -> str:
    first = next(iter(step.arguments.values()), None)
    return shown(first) if isinstance(first, str) else step.action.partition("_")[0]


def itf_value(value: Value) -> Any:
    match value:
        case bool() | str():
            return value
        case int():
            return {"#bigint": str(value)}
        case None:
            return {"tag": "None", "value": {"tag": "UNIT", "value": "U_OF_UNIT"}}
        case {"set": elements}:
            return {"#set": [itf_value(v) for v in elements]}
        case {"map": entries}:
            return {"#map": [[itf_value(k), itf_value(v)] for k, v in entries]}
        case {"record": _, "fields": fields}:
            return {name: itf_value(v) for name, v in fields.items()}
        case list():
            return [itf_value(v) for v in value]
        case _:
            return {"#unserializable": shown(value)}
