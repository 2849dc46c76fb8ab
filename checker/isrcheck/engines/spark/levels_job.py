"""A job that searches level after level, as its driver sees it."""

import secrets
import threading
from collections.abc import Callable
from typing import Any

import msgspec

from isrcheck.engines.spark.failure import JobFailed
from isrcheck.engines.spark.level_log import LevelLog
from isrcheck.engines.spark.share import Begun, Report, report_file
from isrcheck.engines.spark.storage import Storage

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


class LevelsJob:
    """Tasks that search level after level, and report each; it runs while others look at its reports."""

    def __init__(self, begun: Begun, storage: Storage, run: Callable[[], Any], cancel: Callable[[], Any]) -> None:
        """`run` raises JobFailed."""
        self._begun, self._storage, self._work, self._cancel = begun, storage, run, cancel
        self._failed: JobFailed | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except JobFailed as error:
            self._failed = error

    def end(self) -> None:
        while self._thread.is_alive():
            self._cancel()
            self._thread.join(LOOK_SECONDS)

    def reports(self, level: int) -> list[Report] | None:
        """The reports of all tasks for a level; None if some are at it. Raises JobFailed, or StorageFailed."""
        is_over = not self._thread.is_alive()  # before looking: a job that is over has written everything
        names = [report_file(self._begun.folder, level, task) for task in range(self._begun.tasks)]
        if all(map(self._storage.exists, names)):
            return [msgspec.convert(self._storage.record(name), Report) for name in names]
        if is_over:
            raise self._failed or JobFailed(f"AssertionError: its tasks ended without a report of level {level + 1}")
        return None
