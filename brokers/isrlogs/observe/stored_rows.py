"""Whether a table of events has the rows that its mark counts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isrcheck import UsageError

_REMEDY = "run isrcheck observe again."


def require_all_rows(folder: Path, about: Mapping[str, Any]) -> None:
    """Require a row for each event that the mark counts, and for each line that was not understood.

    Raises UsageError, also for a file that cannot be read.
    """
    rows = sum(map(_rows_of, sorted(folder.glob("*.parquet"))))
    counted = about["lines"]["events"] + sum(missed["lines"] for missed in about["not_understood"].values())
    if rows != counted:
        raise UsageError(f"{folder} has {rows:,} events, and its mark counts {counted:,}: {_REMEDY}")


def _rows_of(file: Path) -> int:
    """The number of rows in a file of the table. Raises UsageError."""
    try:
        return int(pq.read_metadata(file).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"{file} is damaged ({error}): {_REMEDY}") from None
