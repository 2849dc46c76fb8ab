"""A run's results in a notebook: HTML without scripts and network, and tables for data frames."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from isrcheck.evidence import document as doc
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.outcome_document import TONES, outcome_document, proof_document
from isrcheck.evidence.report.entry import from_outcome
from isrcheck.evidence.report.facts import facts_of
from isrcheck.evidence.report.matrix import verdict_word
from isrcheck.evidence.writers.html import fragment_of
from isrcheck.run.displayed import Columns, Displayed, Tabular
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.trace import Trace, Value, show_encoded

if TYPE_CHECKING:
    from isrcheck.proofs.prover import ProofRun


_COUNTS = ("distinct", "generated", "depth", "pruned")


def runs_table(runs: Sequence[dict[str, Any]]) -> Columns:
    """A row for each property of each run; one for a run without a verdict, or of which nothing was asked."""
    rows = [row for run in runs for row in _rows(run)]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _column([row.get(name) for row in rows]) for name in names}


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
    for own in [_columns_of_property(run, decided) for decided in run["properties"]] or [
        _NOTHING_ASKED | {"verdict": run["verdict"]}
    ]:
        yield {**about, **constants, **own, **counts, "cut": run["cut"]}


def _columns_of_property(run: dict[str, Any], decided: dict[str, Any]) -> dict[str, Value]:
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


def _column(values: Sequence[Value]) -> Any:
    """Numbers, truth values or texts, and None among them; texts where they are mixed."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 and kinds <= {int, bool, str}:
        return list(values)
    return [None if value is None else show_encoded(value) for value in values]


def _plain(value: Value) -> str | int | bool:
    return value if isinstance(value, str | int | bool) else show_encoded(value)


# A drawing of so many states takes about 90 kB; notebooks are files that are sent and compared.
_MOST_DRAWN = 60


def html_of(thing: Displayed) -> str:
    return fragment_of(_document(thing))


def _document(thing: Displayed) -> doc.Document:
    match thing:
        case Outcome():
            return outcome_document(thing, is_folded=True)
        case PropertyOutcome():
            return _property(thing)
        case Trace():
            return _trace(thing)
    run: ProofRun = thing  # type: ignore[assignment]  # the one class that is left, and its module imports z3
    return proof_document(run, {})


def _property(decided: PropertyOutcome) -> doc.Document:
    sentence = doc.Piece(decided.sentence, TONES[decided.verdict])
    yield doc.Paragraph((doc.strong(decided.name), "  ", sentence, "  ", doc.quiet(decided.assurance)))
    if decided.trace is not None:
        yield from _trace(decided.trace)


def _trace(trace: Trace) -> doc.Document:
    if trace.length <= _MOST_DRAWN:
        return [doc.Picture(render_trace(trace, "svg"), repr(trace)[1:-1])]
    too_long = f"{trace.length:,} states are too many to be drawn here: trace.table() has them all."
    return [doc.Paragraph(doc.strong(repr(trace)[1:-1])), doc.Paragraph(too_long)]


def table_of(thing: Tabular) -> Columns:
    match thing:
        case Outcome():
            return runs_table(facts_of([from_outcome(thing)], thing.version, thing.command)["runs"])
        case Trace():
            return trace_table(thing)
    raise TypeError(f"{type(thing).__name__} says itself which table it is")
