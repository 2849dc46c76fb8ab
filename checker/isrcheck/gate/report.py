"""A verdict as a document: all of it, and the summary that a job and a commit hook show."""

from collections.abc import Iterator
from itertools import groupby

from isrcheck.errors import quantity
from isrcheck.evidence import document as doc
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.places import place_of_finding, place_of_vacuity
from isrcheck.wrap import plain

_TONES = {Status.MET: doc.Tone.GOOD, Status.DIFFERS: doc.Tone.BAD, Status.ERROR: doc.Tone.BAD}
_MOST = 40  # runs shown in full
_MOST_NAMED = 3  # of library text: the note is one line
INTERRUPTED = "The gate was interrupted: what is missing is not known."


def verdict_document(verdict: GateVerdict) -> doc.Document:
    wrong = [judged for judged in verdict.cells if judged.wrong]
    blocks: list[doc.Block] = [_specs(verdict)]
    blocks += [doc.Paragraph(*_wrong(judged)) for judged in wrong[:_MOST]]
    if len(wrong) > _MOST:
        sentence = f"… and {len(wrong) - _MOST:,} runs more; --json FILE has all of them."
        blocks.append(doc.Paragraph(sentence, tone=doc.Tone.UNSURE))
    vacuous: list[doc.Line] = [
        (doc.unsure("vacuous  "), f"{each.sentence}  {each.place or place_of_vacuity(each).place}")
        for each in verdict.vacuous
    ]
    vacuous += [(doc.unsure("not known  "), each.sentence) for each in verdict.maybe_vacuous]
    if verdict.maybe_vacuous:
        vacuous.append(doc.quiet("The search for what is vacuous ended early; strict = true looks to the end."))
    if vacuous:
        blocks.append(doc.Paragraph(*vacuous, *_name_zeros(verdict)))
    if verdict.vacuous_not_asked:
        blocks.append(doc.Paragraph(doc.quiet(_not_asked(verdict))))
    if verdict.interrupted:
        blocks.append(doc.Paragraph(INTERRUPTED, tone=doc.Tone.UNSURE))
    return [*blocks, doc.Paragraph(_last_line(verdict), tone=doc.Tone.BAD if verdict.exit else doc.Tone.GOOD)]


def _name_zeros(verdict: GateVerdict) -> Iterator[doc.Line]:
    """Name the constants that are 0 in every run of a model with vacuity: what they bound cannot happen."""
    for model in dict.fromkeys(each.model for each in (*verdict.vacuous, *verdict.maybe_vacuous)):
        outcomes = [judged.outcome for judged in verdict.cells if judged.cell.model == model]
        constants = [outcome.constants for outcome in outcomes if outcome is not None]
        zeros = [
            name
            for name in (constants[0] if constants else ())
            if all(str(each.get(name)) == "0" for each in constants)
        ]
        if zeros:
            yield doc.quiet(
                f"What these bound never happens in {model}, since each is 0 in every run: {', '.join(zeros)}."
            )


def _not_asked(verdict: GateVerdict) -> str:
    owners = list(dict.fromkeys(each.what for each in verdict.vacuous_not_asked))
    names = ", ".join(owners[:_MOST_NAMED]) + (", …" if len(owners) > _MOST_NAMED else "")
    count = quantity(len(verdict.vacuous_not_asked), "vacuous line")
    return f"Note: {count} in library text that no spec asks about ({names}); strict = true asks about all of it."


def _specs(verdict: GateVerdict) -> doc.Table:
    statuses = [status for status in Status if status is Status.MET or verdict.count(status)]
    rows: list[doc.TableRow] = []
    for spec, judged in groupby(verdict.cells, lambda j: str(j.cell.terms.spec)):
        own = list(judged)
        counts = [(status, sum(each.status is status for each in own)) for status in statuses]
        shown = [doc.Piece(f"{n:,}", _TONES.get(s, doc.Tone.UNSURE)) if n else doc.quiet("·") for s, n in counts]
        rows.append([spec, f"{len(own):,}", *shown, f"{sum(each.seconds for each in own):,.1f}"])
    titles = ("runs", *(status.value for status in statuses), "s")
    return doc.Table(["spec", *(doc.Column(title, is_number=True, fixed=True) for title in titles)], rows)


def _wrong(judged: JudgedCell) -> Iterator[doc.Line]:
    cell = judged.cell
    yield doc.strong(cell.model), "  ", "  ".join(cell.chosen)
    for finding in judged.wrong:
        tone = _TONES.get(finding.status, doc.Tone.UNSURE)
        yield (
            doc.Piece(f"  {finding.status.value}  ", tone),
            doc.strong(f"{finding.what}: "),
            f"expected {finding.expected}, found ",
            doc.Piece(finding.actual, tone),
        )
        if finding.kind == "property":
            located = place_of_finding(cell, finding)
            yield doc.quiet(f"      {located.place}  {located.sentence}")
        yield doc.quiet(f"      expected in {cell.terms.place(finding.what)}")
    if judged.outcome:
        yield doc.quiet(f"      {judged.outcome.command}")


def _last_line(verdict: GateVerdict) -> str:
    stand = verdict.expectations
    parts = [f"{stand[s]:,} {_verb(s, stand[s])}" for s in Status if stand[s] or s is Status.MET]
    vacuities = ((verdict.vacuous, "vacuous"), (verdict.maybe_vacuous, "maybe vacuous"))
    parts += [f"{len(findings)} {adjective}" for findings, adjective in vacuities if findings]
    cells, expectations = quantity(len(verdict.cells), "run"), quantity(sum(stand.values()), "expectation")
    ended = f"{verdict.seconds:.1f} s, {quantity(verdict.workers, 'worker')}. Exit {verdict.exit}."
    return f"gate: {cells}, {expectations}: {', '.join(parts)}; {ended}"


MOST_CHARACTERS = 60_000  # of Markdown; a comment on GitHub may have 65,536
_MOST_ROWS = 10
_MOST_IN_A_CELL = 160  # characters
_MOST_DRAWN = 3  # each about a screen high
_MOST_MERMAID = 50_000  # characters; Mermaid's maxTextSize, above which GitHub shows an error
_ORDER = (Status.DIFFERS, Status.ERROR, Status.UNDETERMINED, Status.LEFT_OUT)

Row = tuple[JudgedCell, Finding]


def summary_markdown(verdict: GateVerdict) -> str:
    """Return the summary as Markdown, with as many drawings as fit."""
    blocks = list(summary_document(verdict))
    for fold in _drawings(verdict):
        if len(markdown_of([*blocks, fold])) <= MOST_CHARACTERS:
            blocks.append(fold)
    return markdown_of(blocks)


def summary_document(verdict: GateVerdict) -> doc.Document:
    """Return the summary without drawings."""
    blocks: list[doc.Block] = [doc.Heading(_title(verdict), 2), doc.Paragraph(_measure(verdict))]
    rows = [_row(judged, finding) for judged, finding in _rows(verdict)]
    if rows:
        blocks.append(doc.Table(["model", "constants", "what", "expected", "found"], rows[:_MOST_ROWS]))
    if len(rows) > _MOST_ROWS:
        blocks.append(doc.Paragraph(f"… and {len(rows) - _MOST_ROWS:,} more, which the gate's own output has."))
    items = [f"vacuous: {_cut(each.sentence)}." for each in verdict.vacuous[:_MOST_ROWS]]
    if len(verdict.vacuous) > _MOST_ROWS:
        items.append(f"… and {len(verdict.vacuous) - _MOST_ROWS:,} more are vacuous.")
    items += _not_known(verdict)
    if items:
        blocks.append(doc.Bullets(items))
    return [*blocks, doc.Paragraph(INTERRUPTED)] if verdict.interrupted else blocks


def _not_known(verdict: GateVerdict) -> Iterator[str]:
    if count := len(verdict.maybe_vacuous):
        parts = f"{quantity(count, 'part')} {'is' if count == 1 else 'are'}"
        yield f"Not known, since the search for it ended early: whether {parts} vacuous."


def _title(verdict: GateVerdict) -> str:
    if verdict.exit == 0:
        return "isrcheck gate: as expected"
    stand = verdict.expectations
    counts = [f"{stand[s]:,} {_verb(s, stand[s])}" for s in _ORDER if stand[s]]
    counts += [f"{len(verdict.vacuous):,} vacuous"] if verdict.vacuous else []
    counts += [f"{stand[Status.MET]:,} {Status.MET.value}"]
    return f"isrcheck gate: {', '.join(counts)} (exit {verdict.exit})"


def _verb(status: Status, count: int) -> str:
    return "differ" if status is Status.DIFFERS and count != 1 else status.value


def _measure(verdict: GateVerdict) -> doc.Line:
    expectations = quantity(sum(verdict.expectations.values()), "expectation")
    return f"{quantity(len(verdict.cells), 'run')}, {expectations}, {verdict.seconds:.1f} s."


def _rows(verdict: GateVerdict) -> list[Row]:
    """The findings that are not as expected, changed verdicts first."""
    wrong = [(judged, finding) for judged in verdict.cells for finding in judged.wrong]
    return sorted(wrong, key=lambda row: (_ORDER.index(row[1].status), row[1].kind != "property"))


def _row(judged: JudgedCell, finding: Finding) -> doc.TableRow:
    return [*_of_run(judged), _cut(finding.what), _cut(finding.expected), doc.strong(_cut(finding.actual))]


def _of_run(judged: JudgedCell) -> tuple[doc.Line, doc.Line]:
    chosen = judged.cell.chosen
    return doc.code(_cut(judged.cell.model)), doc.code(_cut(" ".join(chosen))) if chosen else ""


def _cut(sentence: str) -> str:
    """Shorten a sentence to fit one cell of a table, on one line."""
    line = plain(" ".join(sentence.split()))
    return line if len(line) <= _MOST_IN_A_CELL else f"{line[: _MOST_IN_A_CELL - 1]}…"


def _drawings(verdict: GateVerdict) -> Iterator[doc.Fold]:
    """Yield the traces of the first findings that differ, drawn and folded, if they are short enough."""
    left = _MOST_DRAWN
    for judged, finding in _rows(verdict):
        if left and finding.trace and finding.status is Status.DIFFERS:
            drawn = render_trace(finding.trace, "mermaid")
            if len(drawn) <= _MOST_MERMAID:
                left -= 1
                title = _cut(f"{judged.cell.title}: {finding.what} {finding.actual}")
                yield doc.Fold(title, [doc.Verbatim(drawn, "mermaid")])
