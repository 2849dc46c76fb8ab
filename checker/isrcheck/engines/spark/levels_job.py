"""A job that searches level after level: as its driver sees it, its failures, and the functions of its tasks."""

import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import msgspec

from isrcheck.engines.spark.level_log import LevelLog
from isrcheck.engines.spark.session import main_line
from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.share import Begun, Report, Share, ShareLimits, report_file
from isrcheck.engines.spark.storage import Storage, StorageFailed
from isrcheck.errors import IsrcheckError, UsageError

JOB_FOLDER = "job-"  # how the folders begin that jobs write for themselves
LOOK_SECONDS = 0.02


def begin(log: LevelLog, slots: int) -> Begun:
    newest = len(log.levels) - 1
    return Begun(
        folder=f"{JOB_FOLDER}{secrets.token_hex(8)}",
        level=newest,
        tasks=min(log.buckets, slots),
        files={bucket: log.files_of(bucket) for bucket in range(log.buckets)},
        newest=log.parts(newest),
    )


_NO_PACKAGE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


class JobFailed(Exception):
    """The failure of a job; its text is all that Spark says."""


class SearchLost(IsrcheckError):
    """The cluster gave a search up; there is no verdict. What was committed can be resumed."""


def is_refusal(error: JobFailed) -> bool:
    """Whether a task found what another attempt would find too."""
    return "StorageFailed: " in str(error) or bool(_NO_PACKAGE.search(str(error)))


def failure(error: JobFailed, level: int, place: str | None) -> IsrcheckError:
    """The sentence for what Spark said; a task's own is handed on. `place`: the checkpoint to resume."""
    message = str(error)
    own = re.search(r"StorageFailed: (.+)", message)
    if own:
        return StorageFailed(own[1].strip())
    if lacks := _NO_PACKAGE.search(message):
        return UsageError(
            f"The cluster's Python cannot import {lacks[1]}: install isrcheck with its extra spark on every machine, "
            "and name its Python in PYSPARK_PYTHON."
        )
    again = f"; --resume {place} goes on from the level before it" if place else ""
    return SearchLost(f"Spark gave up at level {level + 1}: {main_line(message)}{again}.")


class BackgroundJob:
    """A job in a thread of its own: `run` does its work, `cancel` ends it."""

    def __init__(self, run: Callable[[], list[str]], cancel: Callable[[], Any]) -> None:
        self._work, self._cancel = run, cancel
        self._rows: list[str] = []
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._rows = self._work()
        except BaseException as error:  # whatever it is, it is the job's answer
            self._failed = error

    def is_over(self, seconds: float = 0.0) -> bool:
        """Whether the job has ended, after waiting at most so long for its end."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def rows(self) -> list[str]:
        """The rows of a job that is over; raises what ended it."""
        if self._failed is not None:
            raise self._failed
        return self._rows

    def end(self) -> None:
        while not self.is_over():
            self._cancel()
            self.is_over(LOOK_SECONDS)


class LevelsJob(BackgroundJob):
    """Tasks that search level after level, and report each; it runs while others look at its reports."""

    def __init__(self, begun: Begun, storage: Storage, run: Callable[[], Any], cancel: Callable[[], Any]) -> None:
        self._begun, self._storage = begun, storage
        super().__init__(run, cancel)

    def reports(self, level: int) -> list[Report] | None:
        """The reports of all tasks for a level; None if some are at it. Raises JobFailed, or StorageFailed."""
        is_over = self.is_over()  # before looking: a job that is over has written everything
        names = [report_file(self._begun.folder, level, task) for task in range(self._begun.tasks)]
        if all(map(self._storage.exists, names)):
            return [msgspec.convert(self._storage.record(name), Report) for name in names]
        if is_over:
            raise self._failed or JobFailed(f"AssertionError: its tasks ended without a report of level {level + 1}")
        return None


_LOOK_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Job:
    plan: Any  # a broadcast variable
    storage: Storage
    limits: ShareLimits
    marked_states: int  # of a level, held in memory

    @property
    def shared(self) -> KernelPlan:
        return cast(KernelPlan, self.plan.value)


def search(job: Job, begun: Begun, numbers: Iterable[int]) -> Iterator[str]:
    """One task of all that search together.

    They wait for each other's files: BarrierTaskContext, which is for that, answers once a second.
    """
    for task in numbers:
        _begin(job.storage, f"{begun.folder}/task-{task:05}")
        with closing(Share(job.shared, job.storage, job.limits, begun, task)) as share:
            share.run(partial(_pause, os.getppid()))
    return iter(())


def _begin(storage: Storage, name: str) -> None:
    """A session of somebody else's may try a stage again; its files would be those of the first attempt."""
    if storage.exists(name):
        raise TaskLost("a task of this job was begun before")
    storage.passing.put_record(name, {})


def _pause(parent: int) -> None:
    """Wait a little; raises TaskLost when nobody is there any more to end this process."""
    if os.getppid() != parent:
        raise TaskLost("the process that started this one is gone")
    time.sleep(_LOOK_SECONDS)


class TaskLost(Exception):
    """Raised in a task that nobody waits for any more: the search goes on in another job."""
