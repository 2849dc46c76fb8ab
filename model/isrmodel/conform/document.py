"""Verdicts for people."""

from collections.abc import Sequence

from isrcheck.evidence.document import Column, Document, Heading, Paragraph, Piece, Table, bad, good, unsure
from isrmodel.conform.verdict import CONFORMS, DEPARTS, Verdict


def document(verdicts: Sequence[Verdict]) -> Document:
    """One paragraph a verdict; of several models first the matrix."""
    models = list(dict.fromkeys(verdict.model for verdict in verdicts))
    if len(models) > 1:
        yield _matrix(verdicts, models)
    for verdict in verdicts:
        yield Heading(f"{verdict.partition} and {verdict.model}")
        yield Paragraph(_first(verdict))
        if found := verdict.unexplained:
            yield Paragraph(f"The first event that nothing explains, of {found.node}: {found.event}", found.because)


def _matrix(verdicts: Sequence[Verdict], models: Sequence[str]) -> Table:
    by = {(verdict.partition, verdict.model): verdict for verdict in verdicts}
    partitions = list(dict.fromkeys(verdict.partition for verdict in verdicts))
    rows: list[list[str | Piece]] = [[p, *(_word(by[p, model]) for model in models)] for p in partitions]
    return Table([Column("partition"), *map(Column, models)], rows)


def _word(verdict: Verdict) -> Piece:
    tones = {CONFORMS: good, DEPARTS: bad}
    return tones.get(verdict.verdict, unsure)(verdict.verdict)


def _first(verdict: Verdict) -> tuple[str | Piece, ...]:
    word = _word(verdict)
    head = Piece(word.text.capitalize(), word.tone)
    searched = f"{verdict.positions:,} positions, {verdict.seconds:.1f} s"
    if verdict.verdict == CONFORMS:
        steps = f"{verdict.inferred} inferred step{'' if verdict.inferred == 1 else 's'}"
        return head, f": a behaviour explains all {verdict.events:,} events, with {steps} ({searched})."
    if verdict.verdict == DEPARTS:
        return (
            head,
            f": no behaviour explains more than {verdict.observed:,} of {verdict.events:,} events ({searched}).",
        )
    return head, f": {verdict.why}; {verdict.observed:,} of {verdict.events:,} events are explained ({searched})."
