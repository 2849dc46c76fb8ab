"""Packed states in files of Arrow's: uncompressed, so that they are written and read as fast as memory."""

import secrets
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from isrcheck.engines.spark.level_log import BucketFile, folder
from isrcheck.engines.spark.storage import Storage, StoredFile

SCHEMA = "isrcheck.states/2"
_COLUMN = "words"
_KEY = b"isrcheck"
_ROWS = 1 << 20  # in a batch


def to_arrow(words: Any, size: int) -> Any:
    """Packed states of `size` bytes."""
    count = len(words) // size
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(size), count, [None, pa.py_buffer(words)])
    schema = pa.schema([pa.field(_COLUMN, pa.binary(size), nullable=False)], metadata={_KEY: SCHEMA.encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_table(pa.Table.from_arrays([column], schema=schema), max_chunksize=_ROWS)
    return sink.getvalue()


def from_arrow(content: Any, size: int) -> Iterator[Any]:
    """The packed states of a file, in pieces one after the other. Raises ValueError."""
    try:
        file = pa.ipc.open_file(pa.BufferReader(content))
        if (file.schema.metadata or {}).get(_KEY) != SCHEMA.encode() or file.schema.types != [pa.binary(size)]:
            raise ValueError("not a file of such states")
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            batch.validate()
            column = batch.column(0)
            if column.null_count:
                raise ValueError("a state that is missing")
            yield column.buffers()[1][column.offset * size : (column.offset + len(column)) * size]
    except (pa.ArrowException, OSError) as error:
        raise ValueError(str(error)) from None


def read_states(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
    """The states of a file, in pieces. Raises StorageFailed unless it is what was written."""
    try:
        yield from from_arrow(storage.read(written), size)
    except ValueError:
        raise storage.damage_error(written.name) from None


def write_states(storage: Storage, level: int, bucket: int, words: Any, size: int) -> BucketFile:
    """The name is this attempt's own."""
    name = f"{folder(level)}/bucket-{bucket:05}-{secrets.token_hex(8)}.arrow"
    return BucketFile(bucket, len(words) // size, storage.write(name, to_arrow(words, size)))
