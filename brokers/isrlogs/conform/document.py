"""Verdicts for people."""

from collections import Counter
from collections.abc import Sequence

from isrcheck.plugin import Column, Document, Heading, Paragraph, Piece, Table, bad, good, quiet, unsure
from isrlogs.conform.verdict import CONFORMS, DEPARTS, EXITS, Verdict

_MOST = 40  # verdicts that are told one by one


def document(verdicts: Sequence[Verdict]) -> Document:
    """One paragraph a verdict; of several models first the matrix. Of many verdicts, those that are not `conforms`."""
    models = list(dict.fromkeys(verdict.model for verdict in verdicts))
    others = [verdict for verdict in verdicts if verdict.verdict != CONFORMS]
    is_long = len(verdicts) > _MOST
    if is_long:
        yield _counts(verdicts, models)
    elif len(models) > 1:
        yield _matrix(verdicts, models)
    for verdict in others[:_MOST] if is_long else verdicts:
        yield Heading(f"{verdict.partition} and {verdict.model}")
        yield Paragraph(_first(verdict))
        if unexplained := verdict.unexplained:
            which = "that nothing explains" if verdict.verdict == DEPARTS else "that is not explained"
            yield Paragraph(
                f"The first event {which}, of {unexplained.node}: {unexplained.event}",
                unexplained.because,
            )
    if is_long and len(others) > _MOST:
        yield Paragraph(quiet(f"{len(others) - _MOST:,} more do not conform: --json names them."))


def _counts(verdicts: Sequence[Verdict], models: Sequence[str]) -> Table:
    counts = Counter((verdict.model, verdict.verdict) for verdict in verdicts)
    rows = [[model, *(f"{counts[model, each]:,}" for each in EXITS)] for model in models]
    return Table([Column("partitions by model"), *(Column(each, is_number=True) for each in EXITS)], rows)


def _matrix(verdicts: Sequence[Verdict], models: Sequence[str]) -> Table:
    by = {(verdict.partition, verdict.model): verdict for verdict in verdicts}
    partitions = list(dict.fromkeys(verdict.partition for verdict in verdicts))
    rows: list[list[str | Piece]] = [
        [p, *(_piece_of(by[p, model]) if (p, model) in by else quiet("-") for model in models)] for p in partitions
    ]
    return Table([Column("partition"), *map(Column, models)], rows, keys=1)


def _piece_of(verdict: Verdict) -> Piece:
    tones = {CONFORMS: good, DEPARTS: bad}
    return tones.get(verdict.verdict, unsure)(verdict.verdict)


def _first(verdict: Verdict) -> tuple[str | Piece, ...]:
    piece = _piece_of(verdict)
    head = Piece(piece.content.capitalize(), piece.tone)
    searched = f"{verdict.positions:,} positions, {verdict.seconds:.1f} s"
    if verdict.verdict == CONFORMS:
        steps = f"{verdict.inferred} inferred step{'' if verdict.inferred == 1 else 's'}"
        known = f" {verdict.why}." if verdict.why else ""
        return head, f": a behaviour explains all {verdict.events:,} events, with {steps} ({searched}).{known}"
    if verdict.verdict == DEPARTS:
        return (
            head,
            f": no behaviour explains more than {verdict.observed:,} of {verdict.events:,} events ({searched}).",
        )
    return head, f": {verdict.why}; {verdict.observed:,} of {verdict.events:,} events are explained ({searched})."
