"""A table of many partitions on Spark: a task judges one after another as their rows stream past."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from isrlogs.conform.kept import SharedJudge
from isrlogs.conform.reading import event_of, settings_of
from isrlogs.conform.search import Limits
from isrlogs.observe.event import Event
from isrlogs.observe.order import once
from isrlogs.observe.stored import Rows, on_each_file, read_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEYS = ("run", "topic", "partition")
_SCHEMA = pa.schema({"run": pa.string(), "topic": pa.string(), "partition": pa.int32(), "verdict": pa.string()})
_COLUMNS = "run string, topic string, partition int, verdict string"

Shared = Mapping[tuple[str, str | None], Sequence[Event]]  # by run, and by topic or None


def judge_on_spark(
    spark: "SparkSession", folder: Path, models: Sequence[str], given: Mapping[str, str], limits: Limits
) -> list[dict[str, Any]]:
    """The verdicts as JSON, by run, topic and partition, of every topic that is not Kafka's own."""
    shared: dict[tuple[str, str | None], list[Event]] = {}
    for file in sorted(folder.glob("*.parquet")):
        for event in once(read_events(str(file), _of_no_partition)):
            shared.setdefault((event.run, event.topic), []).append(event)
    verdicts = on_each_file(spark, folder, partial(_judge, shared, models, given, limits), _COLUMNS)
    return [json.loads(row["verdict"]) for row in verdicts.orderBy(*_KEYS).toArrow().to_pylist()]


@cache
def _judge_of_process() -> SharedJudge:
    """The judge of this process, which does one task after another."""
    return SharedJudge()


def _judge(shared: Shared, models: Sequence[str], given: Mapping[str, str], limits: Limits, file: str) -> Rows:
    rows = once(read_events(file, _of_a_partition))
    for (run, topic, partition), own in groupby(rows, key=lambda row: (row.run, row.topic, row.partition)):
        events = [event_of(*event[:-1]) for event in (*_common_events(shared, run, topic), *own)]
        settings = settings_of(None, events)
        for model in models:
            verdict = _judge_of_process().judge(f"{run} {topic}-{partition}", events, settings, model, given, limits)
            row = {"run": run, "topic": topic, "partition": partition, "verdict": json.dumps(verdict.as_json())}
            yield pa.RecordBatch.from_pylist([row], schema=_SCHEMA)


def _common_events(shared: Shared, run: str, topic: str) -> Iterator[Event]:
    """Yield the events of all partitions of a run or of a topic, such as a broker's stop."""
    yield from shared.get((run, None), ())
    yield from shared.get((run, topic), ())


def _of_no_partition(batch: pa.RecordBatch) -> pa.Array:
    return pc.is_null(batch["partition"])


def _of_a_partition(batch: pa.RecordBatch) -> pa.Array:
    own = pc.invert(pc.starts_with(batch["topic"], "__"))
    return pc.and_(pc.is_valid(batch["partition"]), pc.fill_null(own, fill_value=False))
