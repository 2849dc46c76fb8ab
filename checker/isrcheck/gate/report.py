"""A verdict as a document."""

from collections.abc import Iterator
from itertools import groupby

from isrcheck.errors import quantity
from isrcheck.evidence import document as doc
from isrcheck.gate.judge import GateVerdict, JudgedCell, Status
from isrcheck.gate.places import place_of_finding, place_of_vacuity

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
    if vacuous:
        blocks.append(doc.Paragraph(*vacuous))
    if verdict.vacuous_not_asked:
        blocks.append(doc.Paragraph(doc.quiet(_not_asked(verdict))))
    if verdict.interrupted:
        blocks.append(doc.Paragraph(INTERRUPTED, tone=doc.Tone.UNSURE))
    return [*blocks, doc.Paragraph(_last_line(verdict), tone=doc.Tone.BAD if verdict.exit else doc.Tone.GOOD)]


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
    parts = [
        f"{stand[s]:,} {'differ' if s is Status.DIFFERS and stand[s] != 1 else s.value}"
        for s in Status
        if stand[s] or s is Status.MET
    ]
    vacuities = ((verdict.vacuous, "vacuous"), (verdict.maybe_vacuous, "maybe vacuous"))
    parts += [f"{len(findings)} {adjective}" for findings, adjective in vacuities if findings]
    cells, expectations = quantity(len(verdict.cells), "run"), quantity(sum(stand.values()), "expectation")
    ended = f"{verdict.seconds:.1f} s, {quantity(verdict.workers, 'worker')}. Exit {verdict.exit}."
    return f"gate: {cells}, {expectations}: {', '.join(parts)}; {ended}"
