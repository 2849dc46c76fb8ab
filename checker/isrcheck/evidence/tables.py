"""Outcomes, matrices and traces as columns by name."""

from collections.abc import Iterable, Sequence
from typing import Any

from isrcheck.evidence.report.matrix import verdict_word
from isrcheck.run.displayed import Columns
from isrcheck.run.trace import Trace, Value, show_encoded

_COUNTS = ("distinct", "generated", "depth", "pruned")


def runs_table(runs: Sequence[dict[str, Any]]) -> Columns:
    """A row for each property of each run; one for a run without a verdict, or of which nothing was asked."""
    rows = [row for run in runs for row in _rows(run)]
    return _columns(rows, dict.fromkeys(name for row in rows for name in row))


def _rows(run: dict[str, Any]) -> Iterable[dict[str, Value]]:
    about = {"model": run["model"]}
    constants = {f"constants.{n}" if n in (*_OWN, "error") else n: _plain(v) for n, v in run["constants"].items()}
    if "failed" in run:
        nothing: dict[str, Value] = dict.fromkeys(_OWN[1:-1])
        yield {
            **about,
            **constants,
            **nothing,
            "verdict": "no verdict",
            "error": f"exit {run['exit']}: {run['failed']}",
        }
        return
    counts = {name: run["states"][name] for name in _COUNTS}
    for own in [_property(run, decided) for decided in run["properties"]] or [
        _NOTHING_ASKED | {"verdict": run["verdict"]}
    ]:
        yield {**about, **constants, **own, **counts, "cut": run["cut"]}


def _property(run: dict[str, Any], decided: dict[str, Any]) -> dict[str, Value]:
    own = {"property": decided["name"], "kind": decided["kind"], "verdict": verdict_word(run, decided["name"])}
    return {**own, "assurance": decided["assurance"], "length": decided["length"]}


_NOTHING_ASKED: dict[str, Value] = dict.fromkeys(("property", "kind", "verdict", "assurance", "length"))
_OWN = ("model", *_NOTHING_ASKED, *_COUNTS, "cut")


_OF_STEPS = ("step", "action", "arguments")


def trace_table(trace: Trace) -> Columns:
    """A row for each state; a variable that is a map or a record in every state has a column for each of its parts."""
    states = {name: [step.state[name] for step in trace.steps] for name in trace.steps[0].state}
    parts = {path: column for name, values in states.items() for path, column in _parts(name, values)}
    arguments = [", ".join(f"{n}={show_encoded(v)}" for n, v in step.arguments.items()) for step in trace.steps]
    actions = [step.action for step in trace.steps]
    own: Columns = dict(zip(_OF_STEPS, (list(range(trace.length)), actions, arguments), strict=True))
    return own | {f"state.{path}" if path in own else path: _column(values) for path, values in parts.items()}


def _parts(path: str, values: Sequence[Value]) -> Iterable[tuple[str, Sequence[Value]]]:
    """A variable's parts by path, as hw[r1]; itself where its states differ in form."""
    match values[0]:
        case {"map": entries} if entries and all(_keys(value) == _keys(values[0]) for value in values):
            for place, (key, _) in enumerate(entries):
                yield from _parts(f"{path}[{show_encoded(key)}]", [value["map"][place][1] for value in values])
        case {"record": name, "fields": fields} if all(_record(value) == name for value in values):
            for field in fields:
                yield from _parts(f"{path}.{field}", [value["fields"][field] for value in values])
        case _:
            yield path, values


def _keys(value: Value) -> list[Value] | None:
    return [key for key, _ in value["map"]] if isinstance(value, dict) and "map" in value else None


def _record(value: Value) -> str | None:
    return value["record"] if isinstance(value, dict) and "record" in value else None


def _columns(rows: Sequence[dict[str, Value]], names: Iterable[str]) -> Columns:
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _column(values: Sequence[Value]) -> Any:
    """Numbers, truth values or texts, and None among them; texts where they are mixed."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 and kinds <= {int, bool, str}:
        return list(values)
    return [None if value is None else show_encoded(value) for value in values]


def _plain(value: Value) -> str | int | bool:
    return value if isinstance(value, str | int | bool) else show_encoded(value)
