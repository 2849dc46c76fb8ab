"""Spark as a search sees it: settings, and jobs that are started when first needed, and ended when asked."""

import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from isrcheck.engines.contract import Cluster
from isrcheck.engines.spark import levels_job
from isrcheck.engines.spark.level_log import LevelLog
from isrcheck.engines.spark.levels_job import LOOK_SECONDS, BackgroundJob, JobFailed, LevelsJob, begin
from isrcheck.engines.spark.session import is_local, kill_own, master_of, session
from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.share import ShareLimits
from isrcheck.engines.spark.storage import Storage
from isrcheck.errors import UsageError, nearest

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession


_PREFIX = "spark.isrcheck."
_OPTIONS = {  # by name, the setting and its least value
    "partitions": ("buckets", 1),
    "localStates": ("local_states", 0),
    "sliceStates": ("slice_states", 64),
    "markedStates": ("marked_states", 1),
    "keptStates": ("kept_states", 0),
}
_MOST_PARTITIONS = 1 << 16
SEARCH_OPTIONS = {
    # Tasks of a search run all at once or not at all. It begins again itself, with as many as have room then.
    "spark.stage.maxConsecutiveAttempts": "1",
    "spark.dynamicAllocation.enabled": "false",
    "spark.python.task.killTimeout": "100ms",  # a task that is to end has nothing to put away
}


@dataclass(frozen=True)
class Settings:
    cluster: Cluster = field(default=Cluster())
    workers: int = 2
    buckets: int = 4  # partitions by hash
    local_states: int = 250_000  # a level of more is the first that goes to the cluster
    slice_states: int = 1 << 17  # that a task expands at a time: they and their successors fit a core's cache
    marked_states: int = 1 << 24  # of one level, that tracing holds in memory
    kept_states: int | None = None  # seen, that a worker keeps in memory; by its machine's memory if that is not said


def settings_of(cluster: Cluster, workers: int) -> Settings:
    """The settings that a cluster's options give. Raises UsageError for an unknown name or number."""
    local = re.match(r"local\[(\d+)", master_of(cluster, workers))
    threads = int(local[1]) if local else 2  # those of a cluster are not known before it is asked
    numbers = {name.removeprefix(_PREFIX): value for name, value in cluster.conf if name.startswith(_PREFIX)}
    chosen = dict(_number(name, value) for name, value in numbers.items())
    return Settings(cluster, workers, **{"buckets": 2 * max(workers, threads), **chosen})


def _number(name: str, value: str) -> tuple[str, int]:
    if name not in _OPTIONS:
        raise UsageError(f"there is no option {_PREFIX}{name}.{nearest(name, _OPTIONS)}")
    setting, least = _OPTIONS[name]
    if not value.isdecimal() or int(value) < least or (name == "partitions" and int(value) > _MOST_PARTITIONS):
        most = f" to {_MOST_PARTITIONS}" if name == "partitions" else ""
        raise UsageError(f"{_PREFIX}{name}={value} is out of range: write a number from {least}{most}.")
    return setting, int(value)


_SETTLED_SECONDS = 2.0  # without another executor
_EXECUTOR_SECONDS = 60.0
Halt = Callable[[], object]  # raises Stopped


class Spark:
    def __init__(self, settings: Settings, plan: KernelPlan, storage: Storage) -> None:
        self.settings, self.plan, self._storage = settings, plan, storage
        self._stack = ExitStack()
        self._running: tuple[SparkSession, levels_job.Job] | None = None
        self.startup_seconds = 0.0

    def close(self) -> None:
        self._stack.close()

    def start(self) -> tuple["SparkSession", levels_job.Job]:
        if self._running is None:
            began, settings = time.perf_counter(), self.settings
            spark = self._stack.enter_context(session(settings.cluster, settings.workers, SEARCH_OPTIONS))
            plan = spark.sparkContext.broadcast(self.plan)
            self._stack.callback(_tell_java, plan.destroy)
            limits = ShareLimits(settings.slice_states, settings.kept_states)
            self._running = spark, levels_job.Job(plan, self._storage, limits, settings.marked_states)
            self.startup_seconds = time.perf_counter() - began
        return self._running

    def kill(self) -> None:
        """End what Spark does at once, if that is this search's alone."""
        if self._running is not None:
            kill_own(self._running[0])

    @contextmanager
    def search_levels(self, log: LevelLog) -> Iterator["LevelsJob"]:
        """A job that goes on from the last level of a log. What it wrote for itself is removed when the block ends."""
        spark, job = self.start()
        context = spark.sparkContext
        begun = begin(log, _slots(spark))
        self._storage.create(begun.folder)
        group = f"isrcheck-{begun.folder}"
        rows = (
            context.parallelize(range(begun.tasks), begun.tasks)
            .barrier()
            .mapPartitions(partial(levels_job.search, job, begun))
        )
        cancel = partial(_tell_java, context.cancelJobGroup, group)
        running = LevelsJob(begun, self._storage, lambda: _collect(rows, group), cancel)
        try:
            yield running
        finally:
            running.end()
            self._storage.remove(begun.folder)

    def for_buckets(self, function: Callable[..., Iterator[str]], halt: Halt, *known: Any) -> list[str]:
        """Run a function in a task of each bucket, given the job, what is known, and the bucket; returns answers."""
        spark, job = self.start()
        count = self.plan.buckets
        rows = spark.sparkContext.parallelize(range(count), count)
        group = f"isrcheck-{secrets.token_hex(8)}"

        def cancel() -> None:
            self.kill()
            _tell_java(rows.context.cancelJobGroup, group)

        answers = rows.flatMap(partial(function, job, *known))
        running = BackgroundJob(lambda: _collect(answers, group), cancel)
        try:
            while not running.is_over(LOOK_SECONDS):
                halt()
            return running.rows()
        finally:
            running.end()


def _tell_java(call: Callable[..., Any], *words: Any) -> None:
    from py4j.protocol import Py4JError

    with suppress(Py4JError, OSError):  # it is gone
        call(*words)


def _collect(rows: "RDD[str]", group: str) -> list[str]:
    """Collect the rows of a job; raises JobFailed."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        rows.context.setJobGroup(group, "isrcheck", interruptOnCancel=True)
        return rows.collect()
    except (Py4JError, PySparkException, OSError) as error:
        raise JobFailed(str(error)) from None


def _slots(spark: "SparkSession") -> int:
    """How many tasks can run at once. A cluster's executors come one after the other."""
    context: Any = spark.sparkContext
    java = context._jsc.sc()
    profile = java.resourceProfileManager().defaultResourceProfile()
    if is_local(context.master):
        return int(java.maxNumConcurrentTasks(profile))
    slots, since = 0, time.monotonic()
    while True:
        now, here = time.monotonic(), int(java.maxNumConcurrentTasks(profile))
        if here != slots:
            slots, since = here, now
        if now - since >= (_SETTLED_SECONDS if slots else _EXECUTOR_SECONDS):
            break
        time.sleep(LOOK_SECONDS)
    if not slots:
        raise JobFailed(f"SparkException: no executor came within {_EXECUTOR_SECONDS:g} seconds")
    return slots
