"""Spark as a search sees it: settings, and jobs over buckets, started when first needed, and ended when asked."""

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from isrcheck.engines.contract import Cluster
from isrcheck.engines.spark import tasks
from isrcheck.engines.spark.level_log import BucketFile
from isrcheck.engines.spark.session import map_in_arrow, master_of, session
from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.storage import Storage, StorageFailed
from isrcheck.errors import IsrcheckError, UsageError, nearest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_PREFIX = "spark.isrcheck."
_OPTIONS = {  # by name, the setting and its least value
    "partitions": ("buckets", 1),
    "localStates": ("local_states", 0),
    "sliceStates": ("slice_states", 64),
    "markedStates": ("marked_states", 1),
    "keptStates": ("kept_states", 0),
}
_MOST_PARTITIONS = 1 << 16


@dataclass(frozen=True)
class Settings:
    cluster: Cluster = field(default=Cluster())
    workers: int = 2
    buckets: int = 4  # partitions by hash
    local_states: int = 250_000  # a level of more is the first that goes to the cluster
    slice_states: int = 1 << 20  # that a task expands at a time
    marked_states: int = 1 << 24  # of one level, that tracing holds in memory
    kept_states: int | None = None  # seen, that a worker keeps in memory; by its machine's memory if that is not said


def settings_of(cluster: Cluster, workers: int) -> Settings:
    """What a cluster's options set. Raises UsageError for an unknown name or number."""
    local = re.match(r"local\[(\d+)", master_of(cluster, workers))
    threads = int(local[1]) if local else 2  # those of a cluster are not known before it is asked
    numbers = {name.removeprefix(_PREFIX): text for name, text in cluster.conf if name.startswith(_PREFIX)}
    found = dict(_number(name, text) for name, text in numbers.items())
    return Settings(cluster, workers, **{"buckets": 2 * max(workers, threads), **found})


def _number(name: str, text: str) -> tuple[str, int]:
    if name not in _OPTIONS:
        raise UsageError(f"there is no option {_PREFIX}{name}.{nearest(name, _OPTIONS)}")
    setting, least = _OPTIONS[name]
    if not text.isdecimal() or int(text) < least or (name == "partitions" and int(text) > _MOST_PARTITIONS):
        most = f" to {_MOST_PARTITIONS}" if name == "partitions" else ""
        raise UsageError(f"{_PREFIX}{name}={text} is out of range: write a number from {least}{most}.")
    return setting, int(text)


_LOOK_SECONDS = 0.1
_ROWS_IN_A_BATCH = "8"  # a row holds up to a mebibyte
Halt = Callable[[], bool]


class Halted(Exception):
    """A job was ended on request."""


class JobFailed(Exception):
    """The text is all that Spark says."""


class Spark:
    def __init__(self, settings: Settings, plan: KernelPlan, storage: Storage) -> None:
        self.settings, self.plan, self._storage = settings, plan, storage
        self._stack = ExitStack()
        self._running: tuple[SparkSession, tasks.Job] | None = None
        self.startup_seconds = 0.0

    def close(self) -> None:
        self._stack.close()

    def started(self) -> tuple["SparkSession", tasks.Job]:
        if self._running is None:
            began, settings = time.perf_counter(), self.settings
            spark = self._stack.enter_context(session(settings.cluster, settings.workers))
            spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _ROWS_IN_A_BATCH)
            spark.conf.set("spark.sql.adaptive.enabled", "false")
            plan = spark.sparkContext.broadcast(self.plan)
            self._stack.callback(plan.destroy)
            limits = (settings.slice_states, settings.marked_states, secrets.token_hex(8), settings.kept_states)
            self._running = spark, tasks.Job(plan, self._storage, *limits)
            self.startup_seconds = time.perf_counter() - began
        return self._running

    def next_level(
        self, level: int, frontier: Mapping[int, BucketFile], visited: tasks.Visited, halt: Halt
    ) -> list[str]:
        """Search the level after these frontiers: what `insert` says of each bucket."""
        _, job = self.started()
        sent = self._over_buckets(tasks.EXPANDED, tasks.expand, frontier)
        arrived = sent.repartitionById(self.plan.buckets, "bucket")
        return self._collect(map_in_arrow(arrived, partial(tasks.insert, job, level, visited), tasks.REPORTED), halt)

    def for_buckets(self, function: Callable[..., tasks.Rows], halt: Halt, *known: Any) -> list[str]:
        """What each bucket's task says: it takes the job, what is known, and a bucket."""
        return self._collect(self._over_buckets(tasks.REPORTED, function, *known), halt)

    def _over_buckets(self, schema: str, function: Callable[..., tasks.Rows], *known: Any) -> "DataFrame":
        spark, job = self.started()
        buckets = spark.range(0, self.plan.buckets, 1, self.plan.buckets)
        return map_in_arrow(buckets, partial(tasks.over_buckets, partial(function, job, *known)), schema)

    def _collect(self, rows: "DataFrame", halt: Halt) -> list[str]:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        context = rows.sparkSession.sparkContext
        group = f"isrcheck-{id(self)}"
        context.setJobGroup(group, "isrcheck", interruptOnCancel=True)
        with _watched(halt, lambda: context.cancelJobGroup(group)) as halted:
            try:
                return [row.text for row in rows.collect()]
            except (Py4JError, PySparkException, OSError) as error:
                raise Halted if halted.is_set() else JobFailed(str(error)) from None


@contextmanager
def _watched(halt: Halt, cancel: Callable[[], Any]) -> Iterator[threading.Event]:
    over, halted = threading.Event(), threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            if halt():
                halted.set()
                cancel()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield halted
    finally:
        over.set()
        thread.join()


class SearchLost(IsrcheckError):
    """The cluster gave a search up; there is no verdict. What was committed can be resumed."""


def failure(error: JobFailed, level: int, place: str | None) -> IsrcheckError:
    """The sentence for what Spark said; a task's own is handed on. `place`: the checkpoint to resume."""
    text = str(error)
    own = re.search(r"StorageFailed: (.+)", text)
    if own:
        return StorageFailed(own[1].strip())
    again = f"; --resume {place} goes on from the level before it" if place else ""
    return SearchLost(f"Spark gave up at level {level + 1}: {_telling(text)}{again}.")


def _telling(text: str) -> str:
    """The last exception, or first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    python = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Lost|Killed)\b", line)]
    crash = [line for line in lines if "exited unexpectedly" in line or "SparkException" in line]
    return ([*crash[:1], *python[-1:], *lines[:1]] or ["it does not say why"])[0].lstrip(": ").rstrip(".")
