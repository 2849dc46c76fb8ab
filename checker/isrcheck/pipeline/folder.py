"""The folder of a sweep: every cell that was ever computed, and the tables of the spec as it is now.

The tables are there only if they are whole: they are taken away when a sweep begins and written when it has ended.
"""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.pipeline.parquet import read_table, write_table
from isrcheck.pipeline.row import OF_THE_MACHINE, Row
from isrcheck.pipeline.schema import CELLS, SCHEMA

SWEEP = "isrcheck.sweep/1"
MARK = "sweep.json"
TABLES = ("matrix", "frontier")
_FORMS = ("parquet", "csv", "md")
_REMEDY = "take it away, and the next run computes its cells again."


@dataclass(frozen=True)
class KnownRow:
    """An earlier row, as far as planning needs it."""

    file: Path
    model: str
    constants: tuple[tuple[str, str], ...]
    status: str
    bits: int | None
    seconds: float  # in all


class Folder:
    """One sweep's folder. Raises UsageError if it holds something else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.computed = path / "computed"
        self.cells = path / "cells.parquet"
        self._refuse_another()

    def _refuse_another(self) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise UsageError(
                f"{self.path} is a file: give a folder for the sweep, a new one or that of an earlier sweep."
            )
        mark = self.path / MARK
        if not mark.is_file():
            if any(self.path.iterdir()):
                raise UsageError(f"{self.path} holds something else than a sweep: give a folder that is new or empty.")
            return
        try:
            schema = json.loads(mark.read_text(encoding="utf-8")).get("schema")
        except (OSError, ValueError, AttributeError):
            raise UsageError(f"{mark} is damaged: take it away with the folder, or give another.") from None
        if schema != SWEEP:
            raise UsageError(f"{mark} has the schema {schema}, and {SWEEP} was expected: give another folder.")

    def begin(self, about: Mapping[str, Any]) -> None:
        """Take the tables of the last sweep away and say what is going on."""
        self._mark(about, complete=False)
        for file in [self.cells, *(self.path / f"{name}.{form}" for name in TABLES for form in _FORMS)]:
            file.unlink(missing_ok=True)

    def end(self, about: Mapping[str, Any]) -> None:
        """Say that everything is there."""
        self._mark(about, complete=True)

    def _mark(self, about: Mapping[str, Any], complete: bool) -> None:
        whole = {"schema": SWEEP, "complete": complete, **about}
        write_aside(self.path / MARK, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")

    # Rows

    def known(self) -> dict[str, KnownRow]:
        """Every row that was ever computed, by its key, the newest. Raises UsageError for a damaged file."""
        found: dict[str, KnownRow] = {}
        for file in self._files():
            for row in read_table(file, CELLS, _REMEDY).select(_PLANNED).to_pylist():
                constants = tuple(sorted(row["constants"]))
                known = KnownRow(file, row["model"], constants, row["status"], row["bits"], row["total_seconds"])
                found[row["key"]] = known
        return found

    def _files(self) -> list[Path]:
        return sorted(self.computed.glob("part-*.parquet")) if self.computed.is_dir() else []

    def keep(self, rows: Iterable[Row]) -> None:
        """Write rows down, all or none. Raises UsageError if they cannot be."""
        last = max((int(f.stem.split("-")[1]) for f in self._files()), default=0)
        name = f"part-{last + 1:06}-{secrets.token_hex(4)}.parquet"  # another sweep may be writing here, too
        write_table(self.computed / name, pa.Table.from_pylist(list(rows), SCHEMA))

    def gather(self, keys: Iterable[str]) -> pa.Table:
        """The newest rows with these keys, in this order, written as the sweep's cells."""
        order = list(keys)
        wanted = set(order)
        rows: dict[str, Row] = {}
        for file in self._files():
            table = read_table(file, CELLS, _REMEDY)
            mask = pa.array([key in wanted for key in table.column("key").to_pylist()], pa.bool_())
            rows.update({row["key"]: row for row in table.filter(mask).to_pylist()})
        table = pa.Table.from_pylist([rows[key] for key in order], SCHEMA)
        write_table(self.cells, table)
        return table


_PLANNED = ["key", "model", "constants", "status", "bits", "total_seconds"]


def missing(keys: Iterable[str], known: Mapping[str, KnownRow]) -> set[str]:
    """The keys without a row that says something about the model."""
    return {key for key in keys if key not in known or known[key].status in OF_THE_MACHINE}
