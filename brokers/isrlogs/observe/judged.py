"""The rules over a table of events, on Spark: a task judges a topic's partition as its rows stream past."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from isrlogs.observe.event import Event
from isrlogs.observe.facts import Broken
from isrlogs.observe.rules import KINDS, judge
from isrlogs.observe.stored import Rows, lines_of, on_each_file, read_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
        "line": pa.string(),
    }
)
_COLUMNS = (
    "run string, topic string, partition int, rule string, node string, source string, order bigint, "
    "kind string, why string, line string"
)
_KINDS, _SOURCES = pa.array(KINDS), pa.array(["log", "client"])
_NODES = pa.schema({"run": pa.string(), "node": pa.string(), "has_log": pa.bool_()})
_NAMING = pa.array(["partition_record", "creates", "leads", "orders"])  # kinds that name who holds a partition
_BROKERS = re.compile(r"\d+")


def find_broken_rules(spark: "SparkSession", folder: Path, most: int) -> tuple[list[tuple[Broken, str]], int]:
    """The first broken rules of a table of events, each with the event's line, and how many there are."""
    judgements = on_each_file(spark, folder, partial(_judge, most), _COLUMNS).localCheckpoint()
    first = judgements.orderBy("run", "topic", "partition", "rule", "node", "source", "order").limit(most)
    rows = first.toArrow().to_pylist()
    return [(Broken(**{name: row[name] for name in Broken._fields}), row["line"]) for row in rows], judgements.count()


def brokers_without_log(spark: "SparkSession", folder: Path) -> list[tuple[str, str]]:
    """(run, node) of each broker that holds a partition, as another node says, and of which no log was read."""
    nodes = on_each_file(spark, folder, _nodes, "run string, node string, has_log boolean")
    rows = nodes.distinct().toArrow().to_pylist()
    read = {(row["run"], row["node"]) for row in rows if row["has_log"]}
    return sorted({(row["run"], row["node"]) for row in rows} - read)


def _nodes(file: str) -> Rows:
    """Yield the nodes whose lines are in a file, and the nodes that these lines name."""
    seen_nodes: set[tuple[str, str, bool]] = set()
    with pq.ParquetFile(file) as table:
        for batch in table.iter_batches(columns=["run", "node", "source"]):
            logs = batch.filter(pc.equal(batch["source"], "log")).select(["run", "node"])
            nodes = pa.table(logs).group_by(["run", "node"]).aggregate([]).to_pylist()
            seen_nodes |= {(row["run"], row["node"], True) for row in nodes}
    seen_nodes |= {
        (event.run, node, False) for event in read_events(file, _names_brokers) for node in _brokers_named_in(event)
    }
    columns = zip(*seen_nodes, strict=True) if seen_nodes else [()] * len(_NODES)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, _NODES.types, strict=True)]
    yield pa.RecordBatch.from_arrays(arrays, schema=_NODES)


def _names_brokers(batch: pa.RecordBatch) -> pa.Array:
    return pc.and_(pc.is_in(batch["kind"], _NAMING), pc.is_valid(batch["topic"]))


def _brokers_named_in(event: Event) -> Iterator[str]:
    listed = event.fields.get("replicas") or event.fields.get("isr", "")
    return (f"broker {number}" for number in _BROKERS.findall(listed))


def _judge(most: int, file: str) -> Rows:
    broken = sorted(judge(read_events(file, _matters)))
    lines = lines_of(file, {_place(each) for each in broken[:most]})
    rows = [(*each, lines.get(_place(each), "")) for each in broken]
    columns = zip(*rows, strict=True) if rows else [()] * len(_SCHEMA)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, _SCHEMA.types, strict=True)]
    yield pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)


def _matters(batch: pa.RecordBatch) -> pa.Array:
    of_rules = pc.and_(pc.is_in(batch["kind"], _KINDS), pc.is_in(batch["source"], _SOURCES))
    return pc.and_(of_rules, pc.is_valid(batch["topic"]))


def _place(broken: Broken) -> tuple[str, str, str, int]:
    return broken.run, broken.node, broken.source, broken.order
