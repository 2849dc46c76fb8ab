"""The matrix of verdicts as CSV: one line for each variant, bounds and property."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from isrcheck.evidence.report.facts import word
from isrcheck.evidence.report.matrix import groups
from isrcheck.evidence.report.words import said

COLUMNS = (
    "model",
    "constants",
    "property",
    "kind",
    "verdict",
    "assurance",
    "steps",
    "states",
    "pruned",
    "cut",
    "error",
)
_WORDS = {"absent": "n/a", "unasked": "not asked", "failed": "no verdict", "within": "holds within bounds"}


def matrix_csv(runs: Sequence[dict[str, Any]]) -> str:
    """The lines in the order of the runs, under `COLUMNS`. `steps` is one less than the states of a trace."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    for group in groups(runs):
        for row in group.rows:
            writer.writerows([_tame(cell) for cell in line] for line in _lines(row.run, group.properties))
    return written.getvalue()


def _lines(run: dict[str, Any], properties: Sequence[tuple[str, str]]) -> Iterator[list[Any]]:
    about = [run["model"], " ".join(f"{n}={word(v)}" for n, v in run["constants"].items())]
    if "failed" in run:
        yield [*about, "", "", _WORDS["failed"], *[""] * 5, f"exit {run['exit']}: {run['failed']}"]
        return
    counts = [run["states"]["distinct"], run["states"]["pruned"], run["cut"] or "", ""]
    for name, kind in properties:
        found = next((p for p in run["properties"] if p["name"] == name), None)
        look = said(run, name).look
        verdict = _WORDS.get(look, found["verdict"] if found else look)
        steps = found["length"] - 1 if found and found["length"] else ""
        yield [*about, name, kind, verdict, found["assurance"] if found else "", steps, *counts]


def _tame(cell: Any) -> Any:
    """A text that a spreadsheet would take for a formula, as text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in tuple("=+-@\t\r") else cell
