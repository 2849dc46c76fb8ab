"""Packed states as Parquet files: one column of fixed width, so that a file's states lie in memory as kernels want."""

from collections.abc import Iterator
from typing import Any

SCHEMA = "isrcheck.states/1"
_COLUMN = "words"
_KEY = b"isrcheck"
_ROWS = 1 << 20  # in a row group: what is decoded at once


def to_parquet(words: Any, size: int) -> Any:
    """The file for packed states of `size` bytes that lie one after the other in a buffer."""
    import pyarrow as pa
    from pyarrow import parquet

    count = len(words) // size
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(size), count, [None, pa.py_buffer(words)])
    schema = pa.schema([pa.field(_COLUMN, pa.binary(size), nullable=False)], metadata={_KEY: SCHEMA.encode()})
    sink = pa.BufferOutputStream()
    with parquet.ParquetWriter(sink, schema, compression="lz4", use_dictionary=False, write_statistics=False) as writer:
        writer.write_table(pa.Table.from_arrays([column], schema=schema), row_group_size=_ROWS)
    return sink.getvalue()


def from_parquet(content: Any, size: int) -> Iterator[Any]:
    """The packed states of a file, in pieces: buffers in which they lie one after the other. Raises ValueError."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(content))
        schema = file.schema_arrow
        if (schema.metadata or {}).get(_KEY) != SCHEMA.encode() or schema.field(_COLUMN).type != pa.binary(size):
            raise ValueError("not a file of such states")
        for group in range(file.num_row_groups):
            for chunk in filter(len, file.read_row_group(group, use_threads=False).column(_COLUMN).chunks):
                yield chunk.buffers()[1][chunk.offset * size : (chunk.offset + len(chunk)) * size]
    except (pa.ArrowException, KeyError, OSError) as error:
        raise ValueError(str(error)) from None
