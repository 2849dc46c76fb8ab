"""A table of many partitions on Spark: a task judges one after another as their rows stream past."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isrcheck.engines.spark.session import map_in_arrow
from isrmodel.conform.judge import judge
from isrmodel.conform.reading import event_of, settings_of
from isrmodel.conform.search import Limits
from isrmodel.observe.columns import events_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEYS = ("run", "topic", "partition")
_SCHEMA = pa.schema({"run": pa.string(), "topic": pa.string(), "partition": pa.int32(), "verdict": pa.string()})
_COLUMNS = "run string, topic string, partition int, verdict string"


def judged_on_spark(
    spark: "SparkSession", folder: Path, models: Sequence[str], given: Mapping[str, str], limits: Limits, tasks: int
) -> list[dict[str, Any]]:
    """The verdicts as JSON, by run, topic and partition, of every topic that is not Kafka's own."""
    from pyspark.sql import functions as f

    events = spark.read.parquet(folder.resolve().as_uri()).withColumn("line", f.lit(""))
    shared = [tuple(row) for row in events.where(f.col("partition").isNull()).collect()]
    own = events.where(f.col("partition").isNotNull() & ~f.col("topic").startswith("__"))
    own = own.repartition(tasks, *_KEYS).sortWithinPartitions(*_KEYS, "node", "source", "order")
    found = map_in_arrow(own, partial(_judge, shared, models, given, limits), _COLUMNS)
    rows = found.orderBy(*_KEYS).toArrow().to_pylist()
    return [json.loads(row["verdict"]) for row in rows]


def _judge(
    shared: Sequence[tuple[Any, ...]],
    models: Sequence[str],
    given: Mapping[str, str],
    limits: Limits,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """`shared`: what is of no partition, such as a stop, is of all partitions of its run."""
    rows = chain.from_iterable(map(events_of, batches))
    for (run, topic, partition), own in groupby(rows, key=lambda row: (row.run, row.topic, row.partition)):
        of_run = [event_of(*row[:-1]) for row in shared if row[0] == run]
        events = [*of_run, *(event_of(*row[:-1]) for row in own)]
        for model in models:
            settings = settings_of(None, events)
            verdict = judge(f"{run} {topic}-{partition}", events, settings, model, given, limits)
            text = json.dumps(verdict.as_json())
            yield pa.RecordBatch.from_pylist(
                [{"run": run, "topic": topic, "partition": partition, "verdict": text}], schema=_SCHEMA
            )
