"""A verdict for GitHub: annotations on the lines of the change, and a summary of the step in Markdown."""

import os
from collections.abc import Iterator
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.gate.judge import GateVerdict
from isrcheck.gate.places import of_finding, of_vacuity, relative
from isrcheck.gate.report import summary_document
from isrcheck.place import Place
from isrcheck.wrap import plain

_MOST = 50  # annotations; GitHub shows ten of a step


def is_github() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def annotations(verdict: GateVerdict) -> Iterator[str]:
    """A workflow command for each finding that is wrong, and one for those that are too many."""
    found = list(_all(verdict))
    yield from found[:_MOST]
    if len(found) > _MOST:
        yield f"::error title=isrcheck gate::and {len(found) - _MOST} more, in the summary"


def _all(verdict: GateVerdict) -> Iterator[str]:
    for judged in verdict.cells:
        for finding in judged.wrong:
            said = f"{judged.cell.title}: {finding.sentence}. Expected in {judged.cell.origin}."
            place = of_finding(judged.cell, finding).place
            yield _command(place, f"isrcheck: {finding.what} {finding.status.value}", said)
    for vacuous in verdict.vacuous:
        place = of_vacuity(vacuous).place
        yield _command(place, f"isrcheck: vacuous {vacuous.kind}", f"{vacuous.sentence}.")
    if verdict.interrupted:
        yield "::error title=isrcheck gate::interrupted: what is missing is not known"


def _command(place: Place, title: str, message: str) -> str:
    where = f"file={_property(relative(place.file))},line={max(place.line, 1)},col={place.column + 1}"
    return f"::error {where},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return plain(text.replace("\n", " ")).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def write_summary(verdict: GateVerdict) -> None:
    """Adds the summary to the file that GitHub names, if it names one. Raises UsageError if it cannot be written."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    try:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(markdown_of(summary_document(verdict)))
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}.") from None
