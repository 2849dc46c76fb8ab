"""A sweep from spec to tables: what is missing is computed, and only that, long cells first.

A cell costs what the same choice of constants took before; else a guess from its size.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isrcheck.grid.cells import Expansion, GridCell, expand, guess_seconds, read_grid_model
from isrcheck.grid.spec import Spec
from isrcheck.pipeline.folder import (
    CUT,
    DECIDED,
    Folder,
    KnownRow,
    Row,
    keys_to_compute,
    row_of_cell,
    row_of_failure,
    status_of,
)
from isrcheck.pipeline.run import SparkPool
from isrcheck.pipeline.tables import axes, tables, write_tables
from isrcheck.pipeline.task import cell_key, sources_of, text_key
from isrcheck.run.outcome import worst
from isrcheck.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEEP_SECONDS = 5.0  # between writings
_NO_TEXT = ""  # it cannot be read


@dataclass(frozen=True)
class SweepPlan:
    expansion: Expansion
    cells: dict[str, GridCell]
    texts: dict[str, str]  # by model
    sources: dict[str, dict[str, str]]


@dataclass(frozen=True)
class SweepResult:
    matrix: list[Row]
    frontier: list[Row]
    computed: int
    known: int
    statuses: dict[str, int]
    seconds: float
    exit: int


def plan(spec: Spec) -> SweepPlan:
    """Plan the cells of a sweep. Raises UsageError for a bad spec."""
    read = cache(read_grid_model)
    expansion = expand(spec, read)
    models = {name: read(name) for name in expansion.dimensions}
    texts = {name: text_key(model.ir) if model.ir else _NO_TEXT for name, model in models.items()}
    sources = {name: sources_of(name) if model.ir else {} for name, model in models.items()}
    cells = {cell_key(cell, texts[cell.model], __version__): cell for cell in expansion.cells}
    return SweepPlan(expansion, cells, texts, sources)


def longest_first(cells: Mapping[str, GridCell], known: Iterable[KnownRow]) -> list[str]:
    """The keys of these cells in the order in which to compute them."""
    exact = {(row.model, row.constants): row.seconds for row in known}
    own = {key: (cell.model, tuple(sorted(cell.constants.items()))) for key, cell in cells.items()}
    return sorted(cells, key=lambda key: -exact.get(own[key], guess_seconds(cells[key])))


def sweep(
    planned: SweepPlan,
    folder: Folder,
    spark: Callable[[], "SparkSession"],
    about: Mapping[str, Any],
    tell: Callable[[str], object],
) -> SweepResult:
    """Compute the missing cells of a plan. Raises UsageError and SparkGone; rows computed until then stay."""
    began = time.monotonic()
    known = folder.rows_by_key()
    wanted = keys_to_compute(planned.cells, known)
    folder.begin(about)
    refused = [
        row_of_failure(status_of(cell.refusal[0]), cell.refusal[1], cell.properties)
        | row_of_cell(cell, key, planned.texts[cell.model], __version__, 0)
        for key, cell in planned.cells.items()
        if cell.refusal and key in wanted
    ]
    if refused:
        folder.keep(refused)
    todo = {key: cell for key, cell in planned.cells.items() if key in wanted and not cell.refusal}
    order = longest_first(todo, known.values())
    session = spark()
    _compute(SparkPool(session, todo, planned.texts, planned.sources), order, folder, tell, began)
    cells = folder.gather(planned.cells)
    results = tables(session, cells, axes(planned.cells.values(), planned.expansion.dimensions))
    write_tables(folder.path, results)
    folder.mark(about, complete=True)
    return _swept(cells, results, len(wanted), time.monotonic() - began)


def _compute(pool: SparkPool, order: list[str], folder: Folder, tell: Callable[[str], object], began: float) -> None:
    """Compute and write the rows as they come; whatever ends this early, those that came are written."""
    rows: list[Row] = []
    statuses: Counter[str] = Counter()
    kept = time.monotonic()

    def tick() -> None:
        said = ", ".join(f"{count:,} {status}" for status, count in sorted(statuses.items()))
        how_far = f"{statuses.total():,} of {len(order):,} cells, {time.monotonic() - began:.0f} s"
        tell(f"{how_far}: {said}" if said else how_far)

    try:
        for row in pool.rows(order, tick, 1.0):
            rows.append(row)
            statuses[row["status"]] += 1
            if time.monotonic() - kept > _KEEP_SECONDS:
                written, rows = rows, []
                folder.keep(written)
                kept = time.monotonic()
    finally:
        if rows:
            folder.keep(rows)


def _swept(cells: pa.Table, results: Mapping[str, pa.Table], computed: int, seconds: float) -> SweepResult:
    ended = [(row["status"], row["exit"]) for row in cells.select(["status", "exit"]).to_pylist()]
    statuses = Counter(status for status, _ in ended)
    failed = {code for status, code in ended if status not in (DECIDED, CUT)} - {10}
    return SweepResult(
        matrix=results["matrix"].to_pylist(),
        frontier=results["frontier"].to_pylist(),
        computed=computed,
        known=cells.num_rows - computed,
        statuses=dict(statuses),
        seconds=seconds,
        exit=worst(failed | ({20} if statuses[CUT] else set())),
    )
