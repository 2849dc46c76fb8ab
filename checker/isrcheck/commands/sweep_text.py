"""A sweep on a terminal: how far it is, and what it found."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.progress import TallyLine

if TYPE_CHECKING:
    from isrcheck.pipeline.sweep import SweepTally, Swept

_MOST_ROWS = 40  # of a table; of a larger matrix, what does not hold everywhere comes first
_TONES = {"violated": Tone.BAD, "undetermined": Tone.UNSURE, "holds": Tone.GOOD}


class SweepProgress(TallyLine):
    """How many cells are done."""

    def __call__(self, standing: "SweepTally") -> None:
        self.say(_sentence(standing))


def _sentence(standing: "SweepTally") -> str:
    said = ", ".join(f"{count:,} {status}" for status, count in sorted(standing.statuses.items()))
    return f"{standing.done:,} of {standing.of:,} cells, {standing.seconds:.0f} s{': ' + said if said else ''}"


def swept_document(made: "Swept", output: Path) -> Iterator[doc.Block]:
    """The matrix by model, the frontier, and where everything is."""
    counts = ", ".join(f"{count:,} {status}" for status, count in sorted(made.statuses.items()))
    yield doc.Paragraph(
        f"{made.computed:,} cells computed, {made.known:,} known before, {made.seconds:.1f} s: {counts}.",
        f"Written: {output / 'matrix.md'}, frontier.md, both as csv and parquet, and cells.parquet.",
    )
    rows = made.matrix
    if len(rows) > _MOST_ROWS:
        rows = [row for row in rows if row["verdict"] != "holds"]
    yield doc.Heading("Verdicts")
    yield from _some(_matrix(rows), len(made.matrix), output / "matrix.md")
    if made.frontier:
        yield doc.Heading("Least sizes that violate a property")
        yield from _some(_frontier(made.frontier), len(made.frontier), output / "frontier.md")


def _some(table: doc.Table, of: int, file: Path) -> Iterator[doc.Block]:
    """The first rows of a table, and where the rest of them is."""
    yield replace(table, rows=table.rows[:_MOST_ROWS])
    left = of - len(table.rows[:_MOST_ROWS])
    if left:
        yield doc.Paragraph(f"... and {left:,} more rows in {file}.")


def _matrix(rows: list[dict[str, Any]]) -> doc.Table:
    numbers = [doc.Column(title, is_number=True) for title in ("cells", "violated", "undetermined", "steps")]
    models = _said_once([row["model"] for row in rows])
    return doc.Table(
        ["model", "property", "verdict", *numbers],
        [
            [
                model,
                row["property"],
                doc.Piece(row["verdict"] or "impossible", _TONES.get(row["verdict"], Tone.QUIET)),
                str(row["cells"]),
                str(row["violated"] or ""),
                str(row["undetermined"] + row["failed"] or ""),
                _steps(row["shortest"]),
            ]
            for model, row in zip(models, rows, strict=True)
        ],
    )


def _frontier(rows: list[dict[str, Any]]) -> doc.Table:
    models = _said_once([row["model"] for row in rows])
    names = _said_once([(row["model"], row["property"]) for row in rows])
    return doc.Table(
        ["model", "property", "setting", "least", doc.Column("steps", is_number=True)],
        [
            [model, name and name[1], row["setting"], _least(row), _steps(row["length"])]
            for model, name, row in zip(models, names, rows, strict=True)
        ],
    )


def _said_once(names: list[Any]) -> list[Any]:
    """Each name where it is another than the one before, and else nothing."""
    return [name if name != before else "" for before, name in zip([None, *names], names, strict=False)]


def _least(row: Mapping[str, Any]) -> str:
    least = str(row["least"])
    return least + (f" (or less: {row['open']} cells below have no verdict)" if row["open"] else "")


def _steps(length: int | None) -> str:
    return "" if length is None else str(length - 1)
