"""The Parquet schema of a sweep's cells. Whatever changes in it changes its name."""

import pyarrow as pa

CELLS = "isrcheck.sweep-cells/1"
MATRIX = "isrcheck.sweep-matrix/1"
FRONTIER = "isrcheck.sweep-frontier/1"

_PROPERTY = pa.struct(
    {
        "name": pa.string(),
        "kind": pa.string(),
        "verdict": pa.string(),
        "assurance": pa.string(),
        "length": pa.int64(),
        "trace": pa.string(),
    }
)
_ACTION = pa.struct({"name": pa.string(), "generated": pa.int64(), "distinct": pa.int64()})
_LIMITS = pa.struct({"states": pa.int64(), "depth": pa.int64(), "seconds": pa.float64(), "memory": pa.int64()})

SCHEMA = pa.schema(
    {
        "key": pa.string(),
        "grid": pa.string(),
        "model": pa.string(),
        "text": pa.string(),
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
        "distinct": pa.int64(),
        "generated": pa.int64(),
        "depth": pa.int64(),
        "pruned": pa.int64(),
        "digest": pa.string(),
        "bits": pa.int64(),
        "cut": pa.string(),
        "seconds": pa.float64(),
        "startup_seconds": pa.float64(),
        "total_seconds": pa.float64(),
        "peak_rss_bytes": pa.int64(),
        "version": pa.string(),
        "command": pa.string(),
        "outcome": pa.string(),
    },
    metadata={"schema": CELLS},
)
