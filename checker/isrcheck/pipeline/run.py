"""Cells on Spark: each is a task and a job of its own, so that one that dies takes no other with it."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import structs

from isrcheck.engines.spark.session import main_line
from isrcheck.errors import IsrcheckError
from isrcheck.grid.cells import GridCell
from isrcheck.pipeline.folder import LOST, Row, row_of_cell, row_of_failure
from isrcheck.pipeline.task import check_in_child
from isrcheck.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ATTEMPTS = 2
_END_SECONDS = 0.3  # of cancelled cells: an interrupted command ends within one
# A failed task fails its job, which is this cell alone: trying again is decided here, the same on every master.
OPTIONS = {"spark.task.maxFailures": "1", "spark.scheduler.mode": "FIFO", "spark.sql.shuffle.partitions": "2"}


class SparkGone(IsrcheckError):
    """Spark ended while cells were being computed; what had been written down stays."""


class SparkPool:
    def __init__(
        self, spark: "SparkSession", cells: Mapping[str, GridCell], texts: Mapping[str, str], sources: Mapping[str, Any]
    ) -> None:
        self._spark, self._cells, self._texts, self._sources = spark, cells, texts, sources
        self._waiting: Iterator[str] = iter([])
        self._done: queue.SimpleQueue[Row | BaseException] = queue.SimpleQueue()
        self._stop = threading.Event()

    def rows(self, order: list[str], tick: Callable[[], None], seconds: float) -> Iterator[Row]:
        """The rows of these cells; `tick` is called at least every so many seconds. Raises SparkGone."""
        self._waiting = iter(order)
        places = min(len(order), self._spark.sparkContext.defaultParallelism)
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(places)]
        for thread in threads:
            thread.start()
        try:
            left = len(order)
            while left:
                try:
                    row = self._done.get(timeout=seconds)
                except queue.Empty:
                    tick()
                    continue
                if isinstance(row, BaseException):
                    raise row
                left -= 1
                yield row
                tick()
        finally:
            self._end(threads)

    def _end(self, threads: list[threading.Thread]) -> None:
        self._stop.set()
        if any(t.is_alive() for t in threads) and _is_alive(self._spark):
            self._spark.sparkContext.cancelAllJobs()
        until = time.monotonic() + _END_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        try:
            for key in self._waiting:  # of all threads: a list's iterator gives each key to one
                if self._stop.is_set():
                    return
                self._done.put(self._row(key))
        except BaseException as error:
            self._done.put(error)

    def _row(self, key: str) -> Row:
        cell = self._cells[key]
        row: Row = {}
        for attempt in range(1, _ATTEMPTS + 1):
            row = self._attempt(cell)
            row |= row_of_cell(cell, key, self._texts[cell.model], __version__, attempt)
            if row["status"] != LOST or self._stop.is_set():
                break
        return row

    def _attempt(self, cell: GridCell) -> Row:
        task = {
            "model": cell.model,
            "sources": self._sources[cell.model],
            "text": self._texts[cell.model],
            "version": __version__,
            "constants": cell.constants,
            "properties": cell.properties,
            "limits": structs.asdict(cell.limits),
            "engine": cell.engine,
        }
        try:
            # not first(), which ends before its input does, and the worker of Spark's with it
            rows: list[Row] = self._spark.sparkContext.parallelize([task], 1).map(check_in_child).collect()
            return rows[0]
        except Exception as error:  # Spark's, or that of the way to its Java, which has many
            if self._stop.is_set() or _is_alive(self._spark):
                return row_of_failure(
                    LOST, f"The worker that computed it died: {main_line(str(error))}.", cell.properties
                )
            raise SparkGone("Spark ended while cells were under way: run the sweep again, it goes on.") from None


def _is_alive(spark: "SparkSession") -> bool:
    try:
        return not spark.sparkContext._jsc.sc().isStopped()
    except Exception:  # whatever Java's silence looks like
        return False
