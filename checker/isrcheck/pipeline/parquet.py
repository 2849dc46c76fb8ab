"""Parquet files that are whole or not there, and are known by their schema's name."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from isrcheck.errors import UsageError
from isrcheck.files import write_aside


def write_table(file: Path, table: pa.Table) -> None:
    """A whole file, or the one that was there before. Raises UsageError if it cannot be written."""
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    write_aside(file, buffer.getvalue().to_pybytes())


def read_table(file: Path, schema: str, remedy: str, columns: list[str] | None = None) -> pa.Table:
    """The table in a file whose schema has this name.

    Raises UsageError, with what to do about it, for a file that is damaged, cut short or of another kind.
    """
    try:
        table = pq.ParquetFile(file, page_checksum_verification=True).read(columns)
    except (pa.ArrowException, OSError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise UsageError(f"{file} is damaged, or is not Parquet ({why}): {remedy}") from None
    found = (table.schema.metadata or {}).get(b"schema", b"none").decode("utf-8", "replace")
    if found != schema:
        raise UsageError(f"{file} has the schema {found}, and {schema} was expected: {remedy}")
    return table
