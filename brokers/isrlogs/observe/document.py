"""The result of `isrcheck observe`, for people."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isrcheck.plugin import Column, Document, Paragraph, Table, bad, good, quantity, quiet, unsure
from isrlogs.observe.facts import Broken
from isrlogs.observe.missing import LinesByBroker
from isrlogs.observe.patterns import NEWEST, newer_release
from isrlogs.observe.rules import KINDS, RULES

_METADATA_LOG = "__cluster_metadata-0"
_MOST_NAMED = 8  # files, and logs
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
    unknown = sum(missed_of_logger["lines"] for missed_of_logger in missed.values())
    rows = [(f"{lines[name]:,}", words) for name, words in _LINES.items()]
    rows.append((f"{unknown:,}", "that could matter and were not understood"))
    yield Table([Column("", is_number=True), Column("")], [*rows, (f"{lines['events']:,}", "events")])
    if not lines["events"]:
        yield Paragraph((unsure("Nothing was read"), " that brokers, controllers or clients do: no line is an event."))
    if (newer := newer_release(about.get("releases", ()))) is not None:
        yield Paragraph(
            (unsure(f"Kafka {newer} is newer"), f" than the newest release whose lines are known, {NEWEST}.")
        )
    yield from unread_paragraphs([Path(path) for path in about["unread"]])
    if about["cut"]:
        files = ", ".join(sorted(about["cut"])[:3])
        yield Paragraph((unsure("Lines have no end"), f" in {quantity(len(about['cut']), 'file')}: {files}."))
    if missed:
        columns = [Column("logger"), Column("lines", is_number=True), Column("the first")]
        rows_of = [
            (name, f"{missed_there['lines']:,}", missed_there["example"])
            for name, missed_there in sorted(missed.items())
        ]
        yield Paragraph((unsure("Not understood"), ": please report these lines."))
        yield Table(columns, rows_of)


def unread_paragraphs(unread: Sequence[Path]) -> Document:
    """Say which files were not read, and what makes a text of the metadata log."""
    if unread:
        names = _enumerate(sorted({path.name for path in unread}))
        yield Paragraph(quiet(f"{quantity(len(unread), 'file')} of no known kind: not read: {names}."))
    segments = [path for path in unread if path.parent.name == _METADATA_LOG and path.suffix == ".log"]
    if segments:
        printed = f"kafka-dump-log.sh --cluster-metadata-decoder --files {segments[0]} > metadata-log.txt"
        yield Paragraph((unsure("The metadata log"), f" is read as text, which this prints: {printed}"))


def _enumerate(names: Sequence[str]) -> str:
    more = f", and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def reasons_for_doubt(about: Mapping[str, Any], lines: LinesByBroker) -> list[str]:
    """Why rules that no line breaks may be broken all the same, a phrase each: what was not read might tell of it."""
    unknown = sum(missed_of_logger["lines"] for missed_of_logger in about["not_understood"].values())
    without_log = lines.without_log()
    reasons = {
        "no line that a rule reads was there": about["kinds"].keys().isdisjoint(KINDS),
        f"{quantity(unknown, 'line')} that could matter, not understood": unknown,
        f"{quantity(about['lines']['cut'], 'line')} without an end": about["lines"]["cut"],
        f"brokers without a log: {_enumerate(without_log)}": without_log,
        **{f"no line by {logger}: {_enumerate(at)}": at for logger, at in lines.silent_loggers().items()},
    }
    return [reason for reason, applies in reasons.items() if applies]


def rules_document(broken_rules: Sequence[tuple[Broken, str]], count: int, doubts: Sequence[str]) -> Document:
    """The document of broken rules: rule, partition, event and reason; and what is not known."""
    if doubts:
        yield Paragraph((unsure("The rules are undetermined"), f" where lines are missing: {'; '.join(doubts)}."))
    if not count:
        yield Paragraph((good("No rule is broken"), " by what was read."))
        return
    yield Paragraph((bad(f"{quantity(count, 'time')} a rule is broken"), ":"))
    for broken, line in broken_rules:
        where = f"{broken.run}, {broken.topic}-{broken.partition}, {broken.node}"
        yield Paragraph((bad(broken.rule), f": {RULES[broken.rule]}."), f"{where}: {broken.why}.", quiet(line))
    if count > len(broken_rules):
        yield Paragraph(quiet(f"{count - len(broken_rules):,} more are not shown."))
