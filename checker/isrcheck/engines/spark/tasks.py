"""The functions of Spark's tasks, which can be run again with the same result."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.share import Begun, Share, ShareLimits
from isrcheck.engines.spark.storage import Storage

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


def over_buckets(function: Callable[[int], Iterator[str]], numbers: Iterable[int]) -> Iterator[str]:
    for bucket in numbers:
        yield from function(bucket)


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
    """Another job goes on."""
