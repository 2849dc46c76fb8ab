"""A table of events as tasks read it, file by file: all of a partition is in one, and sorted: nothing is moved."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from isrcheck import UsageError
from isrcheck.plugin import Cluster, session
from isrlogs.observe.columns import ROWS, SCHEMA, events_of
from isrlogs.observe.event import Event

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SMALL = [name for name in SCHEMA.names if name != "line"]
_PLACE = ["node", "source", "order"]

Rows = Iterator[pa.RecordBatch]
Chosen = Callable[[pa.RecordBatch], pa.Array]  # which rows are read
Judge = Callable[[str], Rows]  # of a file


def map_in_arrow(rows: "DataFrame", function: Callable[[Iterable[pa.RecordBatch]], Rows], schema: str) -> "DataFrame":
    """DataFrame.mapInArrow, which refuses to work where pandas is not installed; `schema` is the result's, as DDL.

    All that it does besides is done here (PySpark 4.1 to 4.3, sql/pandas/functions.py: pandas_udf).
    """
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.functions import vectorized_udf  # type: ignore[attr-defined] # its stub omits it
    from pyspark.util import PythonEvalType

    convert = vectorized_udf(function, returnType=schema, functionType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    columns = convert(*[rows[name] for name in rows.columns])
    return DataFrame(rows._jdf.mapInArrow(columns._jc, False, None), rows.sparkSession)


@contextmanager
def tables_on(cluster: Cluster, workers: int, options: Mapping[str, str] | None = None) -> Iterator["SparkSession"]:
    """A session of Spark's in which a task that failed is a sentence: UsageError if its machine lacks a file."""
    from pyspark.errors import PySparkException

    with session(cluster, workers, options) as spark:
        try:
            yield spark
        except PySparkException as error:  # Java has its text, and ends with the session
            lines = [line for line in str(error).splitlines() if re.match(r"[\w.]*(Error|Exception)\b", line)]
            if missing := re.match(r"FileNotFoundError: .*'(.+)'", lines[-1] if lines else ""):
                raise UsageError(f"a worker has no {missing[1]}: give a folder that all machines mount.") from None
            raise RuntimeError((lines or [str(error)])[-1]) from None


def on_each_file(spark: "SparkSession", table: Path, judge: Judge, columns: str) -> "DataFrame":
    """Apply `judge` to each file of a table, one a task."""
    files = [str(file.resolve()) for file in sorted(table.glob("*.parquet"))]
    numbers = spark.range(0, len(files), 1, numPartitions=max(1, len(files)))
    return map_in_arrow(numbers, partial(_judge_files, files, judge), columns)


def _judge_files(files: Sequence[str], judge: Judge, rows: Iterable[pa.RecordBatch]) -> Rows:
    for batch in rows:
        for number in batch.column(0).to_pylist():
            yield from judge(files[number])


def read_events(file: str, chosen: Chosen) -> Iterator[Event]:
    """The chosen events of a file, sorted by run, topic, partition, node, source and order; without their lines."""
    with pq.ParquetFile(file) as table:
        for batch in table.iter_batches(ROWS, columns=_SMALL):
            yield from events_of(batch.filter(chosen(batch)))


def lines_of(file: str, wanted: Iterable[tuple[str, str, str, int]]) -> dict[tuple[str, str, str, int], str]:
    """The lines of some events of a file by run, node, source and order."""
    places = set(wanted)
    orders = pa.array([place[-1] for place in places], pa.int64())
    lines = {}
    with pq.ParquetFile(file) as table:
        for batch in table.iter_batches(ROWS, columns=["run", *_PLACE, "line"]) if places else ():
            for row in batch.filter(pc.is_in(batch["order"], orders)).to_pylist():
                *place, line = row.values()
                if (place := tuple(place)) in places:
                    lines[place] = line
    return lines
