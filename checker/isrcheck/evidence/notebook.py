"""A run's results in a notebook: HTML without scripts and network, and tables for data frames."""

from typing import TYPE_CHECKING

from isrcheck.evidence import document as doc
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.outcome_document import TONES, outcome_document, proof_document
from isrcheck.evidence.report.entry import from_outcome
from isrcheck.evidence.report.facts import facts_of
from isrcheck.evidence.tables import runs_table, trace_table
from isrcheck.evidence.writers.fragment import fragment_of
from isrcheck.run.displayed import Columns, Displayed, Tabular
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.trace import Trace

if TYPE_CHECKING:  # what proves imports z3
    from isrcheck.proofs.prover import ProofRun

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
        return [doc.Picture(render_trace(trace, "svg", compact=True), repr(trace)[1:-1])]
    too_long = f"{trace.length:,} states are too many to be drawn here: trace.table() has them all."
    return [doc.Paragraph(doc.strong(repr(trace)[1:-1])), doc.Paragraph(too_long)]


def table_of(thing: Tabular) -> Columns:
    match thing:
        case Outcome():
            return runs_table(facts_of([from_outcome(thing)], thing.version, thing.command)["runs"])
        case Trace():
            return trace_table(thing)
    raise TypeError(f"{type(thing).__name__} says itself which table it is")
