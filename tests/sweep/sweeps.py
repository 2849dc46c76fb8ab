"""Sweeps made in this process."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from isrcheck.grid.spec import parse_spec
from isrcheck.pipeline.folder import Folder
from isrcheck.pipeline.sweep import Swept, plan, sweep


def swept(text: str, folder: Path, spark: Any, tell: Any = lambda _: None) -> Swept:
    return sweep(plan(parse_spec(text, "s.toml")), Folder(folder), lambda: spark, {"spec": text}, tell)


def cells(folder: Path) -> list[dict[str, Any]]:
    """The rows of a sweep."""
    rows: list[dict[str, Any]] = pq.read_table(folder / "cells.parquet").to_pylist()
    return [{**row, "constants": dict(row["constants"])} for row in rows]
