"""A sweep's folder: every cell ever computed, and the tables of the spec as it is now, whole or not there.

A cell's row says what its run said, or why there was none.
"""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import structs

from isrcheck.errors import UsageError
from isrcheck.files import as_json, read_mark, refuse_another, write_aside
from isrcheck.grid.cells import GridCell
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import Outcome

DECIDED = "decided"  # all that was asked
CUT = "cut"  # by a limit, before that
ASSUMPTION_FALSE = "assumption-false"  # the constants contradict the model's
MODEL_ERROR = "model-error"
DISAGREEMENT = "disagreement"  # of engines
FAULT = "fault"  # ours, or the machine's
TIMEOUT = "timeout"  # far longer than the search may take
LOST = "lost"  # killed twice

# They say nothing of the model, so that the
# next run computes such cells again.
OF_THE_MACHINE = (FAULT, TIMEOUT, LOST)

_EXIT = {ASSUMPTION_FALSE: 10, MODEL_ERROR: 75, DISAGREEMENT: 70, FAULT: 70, TIMEOUT: 20, LOST: 20}

Row = dict[str, Any]

CELLS = "isrcheck.sweep-cells/1"  # it has another name, as those below, once its columns are others
MATRIX = "isrcheck.sweep-matrix/1"
FRONTIER = "isrcheck.sweep-frontier/1"

_NAMES = dict.fromkeys(("name", "kind", "verdict", "assurance"), pa.string())
_PROPERTY = pa.struct({**_NAMES, "length": pa.int64(), "trace": pa.string()})
_ACTION = pa.struct({"name": pa.string(), "generated": pa.int64(), "distinct": pa.int64()})
_LIMITS = pa.struct({"states": pa.int64(), "depth": pa.int64(), "seconds": pa.float64(), "memory": pa.int64()})

SCHEMA = pa.schema(
    {
        **dict.fromkeys(("key", "grid", "model", "text"), pa.string()),
        "constants": pa.map_(pa.string(), pa.string()),
        "limits": _LIMITS,
        "status": pa.string(),
        "sentence": pa.string(),
        "exit": pa.int32(),
        "attempts": pa.int32(),
        "verdict": pa.string(),
        "properties": pa.list_(_PROPERTY),
        "actions": pa.list_(_ACTION),
        "levels": pa.list_(pa.int64()),
        **dict.fromkeys(("distinct", "generated", "depth", "pruned"), pa.int64()),
        "digest": pa.string(),
        "bits": pa.int64(),
        "cut": pa.string(),
        **dict.fromkeys(("seconds", "startup_seconds", "total_seconds"), pa.float64()),
        "peak_rss_bytes": pa.int64(),
        **dict.fromkeys(("version", "command", "outcome"), pa.string()),
    },
    metadata={"schema": CELLS},
)


def status_of(exit_code: int) -> str:
    return {10: ASSUMPTION_FALSE, 75: MODEL_ERROR}.get(exit_code, FAULT)


_COUNTS = ("distinct", "generated", "depth", "pruned", "digest")
_OF_OUTCOME = (*_COUNTS, "exit", "cut", "command", "seconds", "startup_seconds", "peak_rss_bytes")


def row_of_outcome(outcome: Outcome, total_seconds: float) -> Row:
    """The row of an outcome, without the columns of `row_of_cell`."""
    undecided = outcome.verdict is Verdict.UNDETERMINED or any(
        p.verdict is Verdict.UNDETERMINED for p in outcome.properties
    )
    return {
        "status": CUT if undecided else DECIDED,
        "sentence": f"The search was cut off {outcome.cut}." if undecided else None,
        "verdict": outcome.verdict.value,
        "properties": [
            {
                "name": p.name,
                "kind": p.kind.name,
                "verdict": p.verdict.value,
                "assurance": p.assurance,
                "length": p.trace.length if p.trace else None,
                "trace": p.trace.to_json() if p.trace else None,
            }
            for p in outcome.properties
        ],
        "actions": [asdict(action) for action in outcome.actions],
        "levels": list(outcome.levels),
        "bits": outcome.state_bits,
        "total_seconds": total_seconds,
        "outcome": json.dumps(outcome.to_dict(), ensure_ascii=False),
        **{name: getattr(outcome, name) for name in _OF_OUTCOME},
    }


def row_of_failure(status: str, sentence: str, properties: tuple[str, ...], total_seconds: float = 0.0) -> Row:
    """A run without an outcome: every property asked is there, and none has a verdict."""
    return {
        "status": status,
        "sentence": " ".join(sentence.split()),
        "exit": _EXIT[status],
        "properties": [{"name": name} for name in properties],
        "actions": [],
        "levels": [],
        "total_seconds": total_seconds,
    }


def row_of_cell(cell: GridCell, key: str, model_hash: str, version: str, attempts: int) -> Row:
    return {
        "key": key,
        "grid": cell.grid,
        "model": cell.model,
        "text": model_hash,
        "constants": list(cell.constants.items()),
        "limits": structs.asdict(cell.limits),
        "attempts": attempts,
        "version": version,
    }


SWEEP = "isrcheck.sweep/1"
MARK = "sweep.json"
TABLES = ("matrix", "frontier")
_FORMS = ("parquet", "csv", "md")
_REMEDY = "take it away, and the next run computes its cells again."
_PLANNED = ["key", "model", "constants", "status", "total_seconds"]


@dataclass(frozen=True)
class KnownRow:
    model: str
    constants: tuple[tuple[str, str], ...]
    status: str
    seconds: float  # in all


class Folder:
    """One sweep's folder. Raises UsageError if it holds something else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.computed = path / "computed"
        self.cells = path / "cells.parquet"
        refuse_another(path, MARK, "sweep", "a sweep", "sweep")
        if (path / MARK).is_file():
            read_mark(path / MARK, SWEEP, "give another folder.")

    def begin(self, about: Mapping[str, Any]) -> None:
        """Take the tables of the last sweep away and say what is going on."""
        self.mark(about, complete=False)
        for file in [self.cells, *(self.path / f"{name}.{form}" for name in TABLES for form in _FORMS)]:
            file.unlink(missing_ok=True)

    def mark(self, about: Mapping[str, Any], complete: bool) -> None:
        content = {"schema": SWEEP, "complete": complete, **about}
        write_aside(self.path / MARK, as_json(content))

    def rows_by_key(self) -> dict[str, KnownRow]:
        """Every row that was ever computed, by its key, the newest. Raises UsageError for a damaged file."""
        rows: dict[str, KnownRow] = {}
        for file in self._files():
            for row in _rows(file).select(_PLANNED).to_pylist():
                constants = tuple(sorted(row["constants"]))
                rows[row["key"]] = KnownRow(row["model"], constants, row["status"], row["total_seconds"])
        return rows

    def _files(self) -> list[Path]:
        return sorted(self.computed.glob("part-*.parquet")) if self.computed.is_dir() else []

    def keep(self, rows: Iterable[Row]) -> None:
        """Write rows down, all or none. Raises UsageError if they cannot be."""
        last = max((int(f.stem.split("-")[1]) for f in self._files()), default=0)
        name = f"part-{last + 1:06}-{secrets.token_hex(4)}.parquet"  # another sweep may be writing here, too
        write_table(self.computed / name, pa.Table.from_pylist(list(rows), SCHEMA))

    def gather(self, keys: Iterable[str]) -> pa.Table:
        """The newest rows with these keys, in this order, written as the sweep's cells."""
        rows: dict[str, Row | None] = dict.fromkeys(keys)
        for file in self._files():
            table = _rows(file)
            mask = pa.array([key in rows for key in table.column("key").to_pylist()], pa.bool_())
            rows.update({row["key"]: row for row in table.filter(mask).to_pylist()})
        table = pa.Table.from_pylist(list(rows.values()), SCHEMA)
        write_table(self.cells, table)
        return table


def keys_to_compute(keys: Iterable[str], known: Mapping[str, KnownRow]) -> set[str]:
    """The keys without a row that says something about the model."""
    return {key for key in keys if key not in known or known[key].status in OF_THE_MACHINE}


def write_table(file: Path, table: pa.Table) -> None:
    """A whole file, or the one that was there before. Raises UsageError if it cannot be written."""
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    write_aside(file, buffer.getvalue().to_pybytes())


def _rows(file: Path) -> pa.Table:
    """The rows in a file. Raises UsageError for a file that is damaged, cut short or of another kind."""
    try:
        table = pq.ParquetFile(file, page_checksum_verification=True).read()
    except (pa.ArrowException, OSError) as error:
        raise damage(file, error, _REMEDY) from None
    named_schema = (table.schema.metadata or {}).get(b"schema", b"none").decode("utf-8", "replace")
    if named_schema != CELLS:
        raise UsageError(f"{file} has the schema {named_schema}, and {CELLS} was expected: {_REMEDY}")
    return table


def damage(file: Path, error: Exception, remedy: str) -> UsageError:
    why = str(error).splitlines()[0].rstrip(".")
    return UsageError(f"{file} is damaged, or is not Parquet ({why}): {remedy}")
