"""The rules over a table of events, on Spark: a task judges a topic's partition as its rows stream past."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from isrcheck.engines.spark.session import map_in_arrow
from isrmodel.observe.columns import events_of
from isrmodel.observe.facts import Broken
from isrmodel.observe.rules import KINDS, judge

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEYS = ("run", "topic", "partition")
_FILES_A_TASK = 4  # of the table: without their lines, some 60 MB
_SCHEMA = pa.schema(
    {
        "run": pa.string(),
        "topic": pa.string(),
        "partition": pa.int32(),
        "rule": pa.string(),
        "node": pa.string(),
        "source": pa.string(),
        "order": pa.int64(),
        "kind": pa.string(),
        "why": pa.string(),
    }
)
_COLUMNS = (
    "run string, topic string, partition int, rule string, node string, source string, order bigint, "
    "kind string, why string"
)


def broken_rules(spark: "SparkSession", folder: Path, most: int) -> tuple[list[tuple[Broken, str]], int]:
    """The first broken rules of a table of events, each with the event's line, and how many there are."""
    from pyspark.sql import functions as f

    events = spark.read.parquet(folder.resolve().as_uri())
    judged = events.where(
        f.col("kind").isin(*KINDS) & f.col("source").isin("log", "client") & f.col("topic").isNotNull()
    ).withColumn("line", f.lit(""))
    tasks = max(2, len(list(folder.glob("*.parquet"))) // _FILES_A_TASK)
    judged = judged.repartition(tasks, *_KEYS).sortWithinPartitions(*_KEYS, "node", "source", "order")
    found = map_in_arrow(judged, _judge, _COLUMNS).localCheckpoint()
    count = found.count()
    first = found.orderBy(*_KEYS, "rule", "node", "order").limit(most)
    place = ["run", "node", "source", "order"]
    lines = first.join(events.select(*place, "line"), place, "left").orderBy(*_KEYS, "rule", "node", "order")
    rows = lines.select(*_SCHEMA.names, "line").toArrow().to_pylist() if count else []
    return [(Broken(**{name: row[name] for name in Broken._fields}), row["line"] or "") for row in rows], count


def _judge(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = list(judge(chain.from_iterable(map(events_of, batches))))
    columns = zip(*rows, strict=True) if rows else [()] * len(_SCHEMA)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, _SCHEMA.types, strict=True)]
    yield pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)
