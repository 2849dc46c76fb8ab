"""The matrix of verdicts as a document: what all runs say together, then runs below each other by properties."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from isrcheck.errors import counted
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.report.facts import title, word
from isrcheck.evidence.report.matrix import MatrixRow, RunGroup, groups, is_undecided, tally
from isrcheck.evidence.report.words import LEGEND

TONES = {
    "violated": Tone.BAD,
    "holds": Tone.GOOD,
    "within": Tone.WITHIN,
    "undetermined": Tone.UNSURE,
    "failed": Tone.BAD,
}


def comparison(facts: dict[str, Any], with_command: bool = False) -> doc.Document:
    """The facts of a report as one matrix; a page also has the command that makes it again."""
    runs = facts["runs"]
    made = doc.Fold(f"Made by isrcheck {facts['version']}", [doc.Verbatim(facts["command"])])
    title = doc.Heading(f"Comparison of {counted(len(runs), 'run')}", 1)
    return [title, doc.Paragraph(summary(runs)), *([made] if with_command else []), *matrix(runs)]


def matrix(runs: Sequence[dict[str, Any]], pages: bool | None = None) -> Iterator[doc.Block]:
    """A table for runs that are alike, what its signs mean, and what they hide.

    On the page of a report its cells lead to runs and drawings, and with `pages` to the pages of traces.
    """
    found = groups(runs)
    yield from (_table(group, pages) for group in found)
    looks = {cell.look for group in found for row in group.rows for _, cell, _ in row.cells}
    yield doc.Paragraph(*(f"{sign} {text}" for look, (sign, text) in LEGEND.items() if look in looks), tone=Tone.QUIET)
    remarks = [remark for run in runs for remark in _remarks(run)]
    if remarks:
        yield doc.Bullets(remarks)


def summary(runs: Sequence[dict[str, Any]]) -> str:
    """How many cells say what, as a sentence."""
    total = tally(runs)
    verdicts = (("violated", "violated"), ("holds", "hold"), ("within", "hold within bounds"))
    parts = [f"{total[look]} {verb}" for look, verb in (*verdicts, ("undetermined", "undetermined"))]
    failed = [f"{counted(total['failed'], 'run')} without a verdict"] if total["failed"] else []
    return f"{', '.join(parts + failed)}."


def _table(group: RunGroup, pages: bool | None) -> doc.Table:
    columns = [doc.Column(doc.Lines([name, doc.quiet(kind)])) for name, kind in group.properties]
    rows = [[_model(row, group, pages), _states(row.run), *_cells(row, pages)] for row in group.rows]
    shared = f"all with {_constants(group.constants)}" if group.constants else ""
    return doc.Table(["model", doc.Column("states", is_number=True), *columns], rows, shared, keys=1)


def _model(row: MatrixRow, group: RunGroup, pages: bool | None) -> doc.Lines:
    name = row.run["model"]
    own = _constants({n: v for n, v in row.run["constants"].items() if n not in group.constants})
    linked = doc.Piece(name, Tone.STRONG, f"#run-{row.number + 1}") if pages is not None else doc.code(name)
    return doc.Lines([linked, *([doc.quiet(own)] if own else [])])


def _constants(constants: dict[str, Any]) -> str:
    return " ".join(f"{n}={word(v)}" for n, v in constants.items())


def _states(run: dict[str, Any]) -> doc.Lines:
    """How many states a run found, or saw, where it did not see all of them; that it has no verdict, if it failed."""
    if "failed" in run:
        return doc.Lines(["! no verdict"])
    states = run["states"]
    seen = "-" if states["distinct"] is None else f"{states['distinct']:,}{' seen' if run['cut'] else ''}"
    return doc.Lines([seen, *([doc.quiet(f"{states['pruned']:,} pruned")] if states["pruned"] else [])])


def _cells(row: MatrixRow, pages: bool | None) -> Iterator[doc.Lines]:
    for name, verdict, drawn in row.cells:
        file = f"traces/{quote(drawn)}" if drawn and pages is not None else ""
        brief = doc.Piece(verdict.brief, link=f"{file}.html" if file and pages else "")
        drawing = [doc.Piece("drawing", link=f"{file}.svg")] if file else []
        hint = f"{name}: {verdict.reach}"
        yield doc.Lines([(f"{verdict.sign} ", brief), *drawing], TONES.get(verdict.look, Tone.QUIET), hint)


def _remarks(run: dict[str, Any]) -> Iterator[doc.Line]:
    """What the row of a run that ended early or came to nothing does not say."""
    if "failed" in run:
        failed = " ".join(run["failed"].split())
        yield ("! ", doc.code(title(run)), ": ", doc.bad("no verdict"), f", exit {run['exit']}: {failed}")
    elif is_undecided(run):
        cut = run["cut"] or "before every state was seen"
        yield ("? ", doc.code(title(run)), ": ", doc.unsure("undetermined"), f", the run ended {cut}.")
