"""Events as Arrow batches, and back."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import Any

import pyarrow as pa

from isrlogs.observe.event import Event

ROWS = 1 << 14  # of a batch: some 8 MB
FIELDS = pa.map_(pa.string(), pa.string())
SCHEMA = pa.schema(
    {
        "run": pa.string(),
        "node": pa.string(),
        "source": pa.string(),
        "order": pa.int64(),
        "start_ns": pa.int64(),
        "end_ns": pa.int64(),
        "wall_ms": pa.int64(),
        "kind": pa.string(),
        "topic": pa.string(),
        "partition": pa.int32(),
        "fields": FIELDS,
        "line": pa.string(),
    }
)


def batches(events: Iterable[Event]) -> Iterator[pa.RecordBatch]:
    rest = iter(events)
    while rows := list(islice(rest, ROWS)):
        yield batch_of(rows)


def batch_of(rows: Sequence[Event]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(SCHEMA)
    return pa.RecordBatch.from_arrays(
        [
            _fields(column) if name == "fields" else pa.array(column, SCHEMA.field(name).type)
            for name, column in zip(SCHEMA.names, columns, strict=True)
        ],
        schema=SCHEMA,
    )


def _fields(maps: Sequence[dict[str, str]]) -> pa.MapArray:
    """Built from its parts: ten times as fast as from pairs."""
    offsets = pa.array([0, *accumulate(map(len, maps))], pa.int32())
    keys = pa.array(list(chain.from_iterable(maps)), pa.string())
    items = pa.array(list(chain.from_iterable(m.values() for m in maps)), pa.string())
    return pa.MapArray.from_arrays(offsets, keys, items)


def events_of(batch: pa.RecordBatch) -> Iterator[Event]:
    """The events of a batch, which may lack the column `line`."""
    columns: list[Sequence[Any]] = [
        _dicts(column) if name == "fields" else column.to_pylist()
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    if "line" not in batch.schema.names:
        columns.append([""] * batch.num_rows)
    return map(Event._make, zip(*columns, strict=True))


def _dicts(maps: pa.MapArray) -> list[dict[str, str]]:
    """The dicts of a map column, built from its arrays: five times as fast as from pairs."""
    offsets, keys, items = maps.offsets.to_pylist(), maps.keys.to_pylist(), maps.items.to_pylist()
    return [dict(zip(keys[a:b], items[a:b], strict=True)) for a, b in pairwise(offsets)]
