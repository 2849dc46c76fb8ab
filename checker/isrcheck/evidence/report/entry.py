"""The runs of which a report is made."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isrcheck.errors import IsrcheckError, ModelError, UsageError
from isrcheck.files import read_json
from isrcheck.ir.property_kinds import Verdict, kind_by_name
from isrcheck.run.outcome import SCHEMA, Outcome
from isrcheck.run.trace import Trace, read_trace

_PLACE = re.compile(r"^(.+?)(:\d+:\d+: )")
_KNOWN_BY = {
    Verdict.HOLDS: ("exhaustive", "proved", "replayed"),
    Verdict.VIOLATED: ("exhaustive", "replayed"),
    Verdict.UNDETERMINED: ("bounded", "sampled"),
}


@dataclass(frozen=True)
class Measured:
    """An outcome as JSON, and traces."""

    outcome: dict[str, Any]
    traces: dict[str, Trace] = field(default_factory=dict)
    # why properties do not apply
    not_asked: dict[str, str] = field(default_factory=dict)
    # "vacuous" or "not known", by part; no
    # places; None where nobody looked
    vacuous: dict[str, str] | None = None


@dataclass(frozen=True)
class Failed:
    model: str
    constants: dict[str, Any]
    exit: int
    sentence: str


ReportedRun = Measured | Failed


def sentence_of(error: IsrcheckError) -> str:
    """Return an error as one line in which files stand without their folders."""
    if isinstance(error, ModelError):
        place = f"{Path(error.place.file).name}:{error.place.line}: " if error.place.line else ""
        return f"{place}{error.sentence}"
    return _PLACE.sub(lambda match: f"{Path(match[1]).name}{match[2]}", " ".join(str(error).split()))


def from_outcome(outcome: Outcome) -> Measured:
    actions = {action.name for action in outcome.actions}
    not_asked = {name: why for name, why in outcome.not_asked.items() if name not in actions}
    traces = {p.name: p.trace for p in outcome.properties if p.trace}
    vacuous = None if outcome.parts is None else {f"{p.sentence}: {p.source}": "vacuous" for p in outcome.vacuous}
    if vacuous is not None:
        vacuous |= {f"{p.sentence}: {p.source}": "not known" for p in outcome.maybe_vacuous}
    data, fairness = outcome.to_dict(), " ".join(outcome.invocation.options.fairness)
    if fairness:  # it tells runs apart as constants do
        data["constants"] = {**data["constants"], "fairness": fairness}
    return Measured(data, traces, not_asked, vacuous)


def from_file(file: Path) -> Measured:
    """Read an outcome of `check --json`, with its traces. Raises UsageError if it is incomplete or contradictory."""
    outcome, traces = _read(file), {}
    for each in outcome["properties"]:
        named = each["trace"] and each["trace"]["file"]
        if named:
            traces[each["name"]] = _trace(file, Path(named), outcome, each)
    return Measured(outcome, traces)


def _read(file: Path) -> dict[str, Any]:
    outcome = read_json(file, "an outcome", "isrcheck check --json FILE", SCHEMA)
    try:
        _check(outcome)
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{file} is not a whole outcome: {error.args[0]} is missing. Make it again.") from None
    except ValueError as error:
        raise UsageError(f"{file} contradicts itself: {error}. Make it again.") from None
    return outcome


# Counts of unmade states are null.
_OUTCOME = {
    str: "version model engine verdict command",
    int | float: "workers exit seconds startup_seconds peak_rss_bytes",
    dict: "constants states invocation",
    list: "properties actions",
    bool: "symmetry",
    str | None: "cut",
}
_INVOCATION = {str: "line", list | None: "properties"}
_STATES = {int: "depth bits", int | None: "distinct generated pruned", str | None: "digest", list: "levels"}
_ACTION = {str: "name", int: "generated distinct"}
_PROPERTY = {str: "name kind verdict assurance", dict | None: "trace"}
_TRACE = {int: "length", str | None: "file"}


def _check(outcome: dict[str, Any]) -> None:
    """Require a complete and possible outcome. Raises KeyError if a key is missing, ValueError if not possible."""
    _need(outcome, _OUTCOME)
    _need(outcome["invocation"], _INVOCATION)
    _need(outcome["states"], _STATES)
    for action in outcome["actions"]:
        _need(action, _ACTION)
    for each in outcome["properties"]:
        _need(each, _PROPERTY)
        if each["trace"]:
            _need(each["trace"], _TRACE)
        _check_verdict(each, outcome["cut"])
    _check_levels(outcome)


def _need(data: Any, shape: dict[Any, str]) -> None:
    for kind, names in shape.items():
        for name in names.split():
            if not isinstance(data[name], kind):
                raise KeyError(name)


def _check_verdict(decided: dict[str, Any], cut: str | None) -> None:
    known_by = decided["assurance"].partition("(")[0]
    said = f"{decided['name']} is said to be {decided['verdict']} and {decided['assurance']}"
    if decided["verdict"] not in {v.value for v in Verdict} or known_by not in _KNOWN_BY[Verdict(decided["verdict"])]:
        raise ValueError(said)
    is_target = decided["verdict"] == ("holds" if kind_by_name(decided["kind"]).holds_by_target else "violated")
    if known_by == "replayed" and not is_target:
        raise ValueError(f"{said}, and what was replayed shows the contrary")
    if known_by == "exhaustive" and cut:
        raise ValueError(f"{said}, and the run ended {cut}")


def _check_levels(outcome: dict[str, Any]) -> None:
    states = outcome["states"]
    levels = states["levels"]
    if states["distinct"] is None and not levels:
        return
    if not all(isinstance(n, int) and n > 0 for n in levels) or len(levels) != states["depth"]:
        raise ValueError(f"{states['depth']} levels are announced, and the levels are {levels}")
    if outcome["cut"] is None and sum(levels) != states["distinct"]:
        raise ValueError(f"the levels add up to {sum(levels)} states, not {states['distinct']}")


def _trace(file: Path, path: Path, outcome: dict[str, Any], decided: dict[str, Any]) -> Trace:
    places = (path, file.parent / path, file.parent / path.name)
    place = next((p for p in places if p.is_file()), None)
    if place is None:
        raise UsageError(f"{file} names the trace {path}, which is not there: keep it beside {file.name}.")
    trace = read_trace(place)
    ours = (outcome["model"], outcome["constants"], decided["name"], decided["trace"]["length"])
    if (trace.model, trace.constants, trace.name, trace.length) != ours:
        raise UsageError(
            f"{place} is a trace of {trace.name} in {trace.model} with {trace.length} states, not the one of "
            f"{decided['name']} in {outcome['model']} that {file} names: make both again."
        )
    return trace
