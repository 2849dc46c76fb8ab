"""What was read, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from isrcheck.errors import counted
from isrcheck.evidence.document import Column, Document, Paragraph, Table, bad, good, quiet, unsure
from isrmodel.observe.facts import Broken
from isrmodel.observe.rules import RULES

_LINES = {
    "read": "lines read",
    "understood": "understood",
    "other": "of other loggers",
    "rest": "without a time: stack traces, settings",
    "cut": "whose end is missing",
}


def account_document(about: Mapping[str, Any]) -> Document:
    """Lines and what became of them; then what was not understood, with an example of each logger."""
    lines, missed = about["lines"], about["not_understood"]
    unknown = sum(found["lines"] for found in missed.values())
    rows = [(f"{lines[name]:,}", words) for name, words in _LINES.items()]
    rows.append((f"{unknown:,}", "that could matter and were not understood"))
    yield Table([Column("", is_number=True), Column("")], [*rows, (f"{lines['events']:,}", "events")])
    if about["unread"]:
        yield Paragraph(quiet(f"{counted(len(about['unread']), 'file')} of no known kind: not read."))
    if about["cut"]:
        files = ", ".join(sorted(about["cut"])[:3])
        yield Paragraph((unsure("Lines have no end"), f" in {counted(len(about['cut']), 'file')}: {files}."))
    if missed:
        columns = [Column("logger"), Column("lines", is_number=True), Column("the first")]
        rows_of = [(name, f"{found['lines']:,}", found["example"]) for name, found in sorted(missed.items())]
        yield Paragraph((unsure("Not understood"), ": please report these lines."))
        yield Table(columns, rows_of)


def rules_document(found: Sequence[tuple[Broken, str]], count: int) -> Document:
    """Which rule, which partition, which event, and why."""
    if not count:
        yield Paragraph((good("No rule is broken"), " by what was read."))
        return
    yield Paragraph((bad(f"{counted(count, 'time')} a rule is broken"), ":"))
    for broken, line in found:
        where = f"{broken.run}, {broken.topic}-{broken.partition}, {broken.node}"
        yield Paragraph((bad(broken.rule), f": {RULES[broken.rule]}."), f"{where}: {broken.why}.", quiet(line))
    if count > len(found):
        yield Paragraph(quiet(f"{count - len(found):,} more are not shown."))
