"""A sweep on a terminal: how far it is, and what it found."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from isrcheck.pipeline.sweep import SweepTally, Swept

_LINE_SECONDS = 10.0
_MOST_ROWS = 40  # of a table; of a larger matrix, what does not hold everywhere comes first
_STYLES = {"violated": "red", "undetermined": "yellow", "holds": "green"}


class SweepProgress:
    """A line that is rewritten on a terminal; elsewhere one every ten seconds."""

    def __init__(self, screen: Console) -> None:
        self._screen = screen
        self._live = Live(console=screen, transient=True, refresh_per_second=4) if screen.is_terminal else None
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live:
            self._live.stop()

    def __call__(self, standing: "SweepTally") -> None:
        if self._live:
            self._live.update(Text(_sentence(standing)))
        elif time.monotonic() - self._said >= _LINE_SECONDS:
            self._said = time.monotonic()
            self._screen.print(_sentence(standing), markup=False, highlight=False)


def _sentence(standing: "SweepTally") -> str:
    said = ", ".join(f"{count:,} {status}" for status, count in sorted(standing.statuses.items()))
    return f"{standing.done:,} of {standing.of:,} cells, {standing.seconds:.0f} s{': ' + said if said else ''}"


def print_swept(made: "Swept", output: Path, screen: Console) -> None:
    """The matrix by model, the frontier, and where everything is."""
    shown = made.matrix
    if len(shown) > _MOST_ROWS:
        shown = [row for row in shown if row["verdict"] != "holds"]
    _print_some(shown, len(made.matrix), _matrix, output / "matrix.md", screen)
    if made.frontier:
        _print_some(made.frontier, len(made.frontier), _frontier, output / "frontier.md", screen)
    counts = ", ".join(f"{count:,} {status}" for status, count in sorted(made.statuses.items()))
    for line in (
        f"{made.computed:,} cells computed, {made.known:,} known before, {made.seconds:.1f} s: {counts}.",
        f"Written: {output / 'matrix.md'}, frontier.md, both as csv and parquet, and cells.parquet.",
    ):
        screen.print(line, markup=False, highlight=False)


def _print_some(
    rows: list[dict[str, Any]], of: int, table: Callable[[list[dict[str, Any]]], Table], file: Path, screen: Console
) -> None:
    """The first of these rows, and where the rest of them is."""
    screen.print(table(rows[:_MOST_ROWS]))
    left = of - len(rows[:_MOST_ROWS])
    if left:
        screen.print(f"... and {left:,} more rows in {file}.", markup=False, highlight=False)


def _matrix(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="verdicts", title_justify="left", box=None, pad_edge=False)
    for head in ("model", "property", "verdict"):
        table.add_column(head, overflow="fold")
    for head in ("cells", "violated", "open", "steps"):
        table.add_column(head, justify="right")
    before = None
    for row in rows:
        verdict = row["verdict"] or "impossible"
        table.add_row(
            Text(row["model"] if row["model"] != before else ""),
            Text(row["property"]),
            Text(verdict, style=_STYLES.get(verdict, "dim")),
            str(row["cells"]),
            str(row["violated"] or ""),
            str(row["undetermined"] + row["failed"] or ""),
            _steps(row["shortest"]),
        )
        before = row["model"]
    return table


def _frontier(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="\nleast sizes that break a property", title_justify="left", box=None, pad_edge=False)
    for head in ("model", "property", "setting", "least"):
        table.add_column(head, overflow="fold")
    table.add_column("steps", justify="right")
    before: tuple[str, ...] = ("", "")
    for row in rows:
        names = (row["model"], row["property"])
        shown = ("", "") if names == before else ("" if row["model"] == before[0] else names[0], names[1])
        table.add_row(*map(Text, shown), Text(row["setting"]), Text(_least(row)), _steps(row["length"]))
        before = names
    return table


def _least(row: Mapping[str, Any]) -> str:
    least = str(row["least"])
    return least + (f" (or less: {row['open']} cells below have no verdict)" if row["open"] else "")


def _steps(length: int | None) -> str:
    return "" if length is None else str(length - 1)
