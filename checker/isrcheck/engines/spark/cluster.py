"""Spark as a search sees it: jobs over buckets, started when first needed, told apart, ended when asked."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from isrcheck.engines.spark import tasks
from isrcheck.engines.spark.arrow import BatchFunction, map_in_arrow
from isrcheck.engines.spark.level_log import BucketFile
from isrcheck.engines.spark.session import session
from isrcheck.engines.spark.settings import Settings
from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.storage import Storage, StoredFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOOK_SECONDS = 0.1
_ROWS_IN_A_BATCH = "8"  # a row holds up to a mebibyte
Halt = Callable[[], bool]


class Halted(Exception):
    """A job was ended because somebody asked for it."""


class JobFailed(Exception):
    """A job failed; the text is all that Spark says."""


class Spark:
    """The jobs of one search."""

    def __init__(self, settings: Settings, plan: KernelPlan, storage: Storage) -> None:
        self._settings = settings
        self._plan = plan
        self._storage = storage
        self._stack = ExitStack()
        self._session: SparkSession | None = None
        self._job: tasks.Job | None = None
        self.startup_seconds = 0.0

    def __enter__(self) -> "Spark":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self) -> tuple["SparkSession", tasks.Job]:
        if self._session is None or self._job is None:
            began = time.perf_counter()
            settings = self._settings
            self._session = self._stack.enter_context(session(settings.cluster, settings.workers))
            self._session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _ROWS_IN_A_BATCH)
            self._session.conf.set("spark.sql.adaptive.enabled", "false")
            plan = self._session.sparkContext.broadcast(self._plan)
            self._stack.callback(plan.destroy)
            self._job = tasks.Job(plan, self._storage, settings.slice_states)
            self.startup_seconds = time.perf_counter() - began
        return self._session, self._job

    def start(self) -> None:
        """Start Spark, unless it runs."""
        self._started()

    def next_level(
        self, level: int, frontier: Mapping[int, BucketFile], visited: Mapping[int, tuple[StoredFile, ...]], halt: Halt
    ) -> list[str]:
        """Search the level after these frontiers: what `insert` says of each bucket."""
        spark, job = self._started()
        buckets = self._plan.buckets
        sent = map_in_arrow(self._buckets(spark), partial(tasks.expand, job, frontier), tasks.EXPANDED)
        arrived = sent.repartitionById(buckets, "bucket")
        return self._collect(map_in_arrow(arrived, partial(tasks.insert, job, level, visited), tasks.REPORTED), halt)

    def for_buckets(self, function: Callable[[tasks.Job], BatchFunction], halt: Halt) -> list[str]:
        """What a task for each bucket says; the function takes numbers of buckets and gives rows of text."""
        spark, job = self._started()
        return self._collect(map_in_arrow(self._buckets(spark), function(job), tasks.REPORTED), halt)

    def _buckets(self, spark: "SparkSession") -> "DataFrame":
        return spark.range(0, self._plan.buckets, 1, self._plan.buckets)

    def _collect(self, rows: "DataFrame", halt: Halt) -> list[str]:
        """A job's rows of text. Raises Halted or JobFailed."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        context = rows.sparkSession.sparkContext
        group = f"isrcheck-{id(self)}"
        context.setJobGroup(group, "isrcheck", interruptOnCancel=True)
        watch = _Watch(halt, lambda: context.cancelJobGroup(group))
        try:
            with watch:
                return [row.text for row in rows.collect()]
        except (Py4JError, PySparkException, OSError) as error:
            if watch.halted:
                raise Halted from None
            raise JobFailed(str(error)) from None


class _Watch:
    """Looks every now and then whether a job is to be ended."""

    def __init__(self, halt: Halt, cancel: Callable[[], Any]) -> None:
        self._halt, self._cancel = halt, cancel
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.halted = False

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            if self._halt():
                self.halted = True
                self._cancel()
