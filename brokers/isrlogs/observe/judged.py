"""The rules over a table of events, on Spark: a task judges a topic's partition as its rows stream past."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from isrlogs.observe.facts import Broken
from isrlogs.observe.missing import NAMING, LinesByBroker, marks_of
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
_NODES = pa.schema({"run": pa.string(), "node": pa.string(), "kind": pa.string()})
_NAMING = pa.array(NAMING)


def find_broken_rules(spark: "SparkSession", folder: Path, most: int) -> tuple[list[tuple[Broken, str]], int]:
    """The first broken rules of a table of events, each with the event's line, and how many there are."""
    judgements = on_each_file(spark, folder, partial(_judge, most), _COLUMNS).localCheckpoint()
    first = judgements.orderBy("run", "topic", "partition", "rule", "node", "source", "order").limit(most)
    rows = first.toArrow().to_pylist()
    return [(Broken(**{name: row[name] for name in Broken._fields}), row["line"]) for row in rows], judgements.count()


def lines_by_broker(spark: "SparkSession", folder: Path) -> LinesByBroker:
    """The kinds of line that each broker wrote, and the brokers that lines name."""
    rows = on_each_file(spark, folder, _nodes, "run string, node string, kind string").distinct().toArrow().to_pylist()
    lines = LinesByBroker()
    for row in rows:
        lines.add(row["run"], row["node"], row["kind"])
    return lines


def _nodes(file: str) -> Rows:
    """Yield each node with the kinds of its lines in a file, and the brokers that these lines name."""
    nodes: set[tuple[str, str, str]] = set()
    with pq.ParquetFile(file) as table:
        for batch in table.iter_batches(columns=["run", "node", "source", "kind"]):
            logs = batch.filter(pc.equal(batch["source"], "log")).select(["run", "node", "kind"])
            kinds = pa.table(logs).group_by(["run", "node", "kind"]).aggregate([]).to_pylist()
            nodes |= {(row["run"], row["node"], row["kind"]) for row in kinds}
    nodes |= {mark for event in read_events(file, _names_brokers) for mark in marks_of(event)}
    columns = zip(*nodes, strict=True) if nodes else [()] * len(_NODES)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, _NODES.types, strict=True)]
    yield pa.RecordBatch.from_arrays(arrays, schema=_NODES)


def _names_brokers(batch: pa.RecordBatch) -> pa.Array:
    return pc.and_(pc.is_in(batch["kind"], _NAMING), pc.is_valid(batch["topic"]))


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
