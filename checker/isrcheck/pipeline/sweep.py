"""A sweep from spec to tables: what is missing is computed, and only that."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isrcheck.catalogue import find_model, known_models
from isrcheck.grid.cells import Expansion, GridCell, chosen_models, expand
from isrcheck.grid.models import GridModel, read_grid_model
from isrcheck.grid.spec import Spec
from isrcheck.pipeline.folder import Folder, missing
from isrcheck.pipeline.key import cell_key, text_key
from isrcheck.pipeline.order import longest_first
from isrcheck.pipeline.row import CUT, DECIDED, Row, cell_part, failed_row, status_of
from isrcheck.pipeline.run import OPTIONS, SparkPool
from isrcheck.pipeline.sources import sources_of
from isrcheck.pipeline.tables import axes, tables, write_tables
from isrcheck.run.outcome import worst
from isrcheck.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEEP_SECONDS = 5.0  # how often finished cells are written down
_NO_TEXT = ""  # of a model that cannot be read

__all__ = ["OPTIONS", "SweepPlan", "Swept", "plan", "sweep"]


@dataclass(frozen=True)
class SweepPlan:
    """The cells of a spec by key, and what computing them needs."""

    expansion: Expansion
    cells: dict[str, GridCell]
    texts: dict[str, str]  # by model
    sources: dict[str, dict[str, str]]  # by model


@dataclass(frozen=True)
class Swept:
    """What a sweep ended with: tables, the number of cells computed and known before, and cells by status."""

    cells: pa.Table
    matrix: list[Row]
    frontier: list[Row]
    computed: int
    known: int
    statuses: dict[str, int]
    seconds: float
    exit: int

    def rows(self) -> Iterator[Row]:
        """The cells, one by one."""
        for batch in self.cells.to_batches(100):
            yield from batch.to_pylist()


@dataclass(frozen=True)
class SweepTally:
    """How far a sweep is."""

    done: int
    of: int
    statuses: dict[str, int]
    seconds: float


Tell = Callable[[SweepTally], None]


def plan(spec: Spec) -> SweepPlan:
    """The cells of a spec. Raises UsageError for whatever is wrong with it."""
    read: Callable[[str], GridModel] = cache(lambda name: read_grid_model(name, find_model))
    chosen = {g.place: {n: read(n) for n in chosen_models(g, known_models())} for g in spec.grids}
    expansion = expand(spec, chosen)
    variants = {name: variant for each in chosen.values() for name, variant in each.items()}
    texts = {name: text_key(v.ir) if v.ir else _NO_TEXT for name, v in variants.items()}
    sources = {name: sources_of(name) if v.ir else {} for name, v in variants.items()}
    cells = {cell_key(cell, texts[cell.model], __version__): cell for cell in expansion.cells}
    return SweepPlan(expansion, cells, texts, sources)


def sweep(
    planned: SweepPlan, folder: Folder, spark: Callable[[], "SparkSession"], about: Mapping[str, Any], tell: Tell
) -> Swept:
    """Compute what is missing in a folder and write its tables.

    `spark` starts a session. `about` is what the folder says of itself. Raises UsageError for a file that is damaged
    or cannot be written, and SparkGone; whatever was computed until then is kept.
    """
    began = time.monotonic()
    known = folder.known()
    wanted = missing(planned.cells, known)
    folder.begin(about)
    refused = {key: cell for key, cell in planned.cells.items() if cell.refused and key in wanted}
    if refused:
        folder.keep(_refused_row(cell, key, planned.texts) for key, cell in refused.items())
    todo = {key: cell for key, cell in planned.cells.items() if key in wanted and not cell.refused}
    order = longest_first(todo, known.values())
    session = spark()
    _compute(SparkPool(session, todo, planned.texts, planned.sources), order, folder, tell, began)
    cells = folder.gather(planned.cells)
    made = tables(session, folder.cells, axes(planned.cells.values(), planned.expansion.dimensions))
    write_tables(folder.path, made)
    folder.end(about)
    return _swept(cells, made, len(wanted), time.monotonic() - began)


def _refused_row(cell: GridCell, key: str, texts: Mapping[str, str]) -> Row:
    assert cell.refused is not None
    code, sentence = cell.refused
    row = failed_row(status_of(code), sentence, cell.properties)
    return row | cell_part(cell, key, texts[cell.model], __version__, 0)


def _compute(crew: SparkPool, order: list[str], folder: Folder, tell: Tell, began: float) -> None:
    """Every row as it comes; whatever ends this early, those that came are written down."""
    rows: list[Row] = []
    statuses: Counter[str] = Counter()
    kept = time.monotonic()

    def tick() -> None:
        tell(SweepTally(statuses.total(), len(order), dict(statuses), time.monotonic() - began))

    try:
        for row in crew.rows(order, tick, 1.0):
            rows.append(row)
            statuses[row["status"]] += 1
            if time.monotonic() - kept > _KEEP_SECONDS:
                written, rows = rows, []
                folder.keep(written)
                kept = time.monotonic()
    finally:
        if rows:
            folder.keep(rows)


def _swept(cells: pa.Table, made: Mapping[str, pa.Table], computed: int, seconds: float) -> Swept:
    statuses = Counter(cells.column("status").to_pylist())
    undecided = [20] * (statuses[CUT] > 0)
    failed = zip(cells.column("status").to_pylist(), cells.column("exit").to_pylist(), strict=True)
    codes = [code for status, code in failed if status not in (DECIDED, CUT) and code != 10]
    return Swept(
        cells=cells,
        matrix=made["matrix"].to_pylist(),
        frontier=made["frontier"].to_pylist(),
        computed=computed,
        known=cells.num_rows - computed,
        statuses=dict(statuses),
        seconds=seconds,
        exit=worst([*codes, *undecided]),
    )
