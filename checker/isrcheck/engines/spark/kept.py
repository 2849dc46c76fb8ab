"""The states seen of a bucket, in a table that a task keeps from level to level while there is memory."""

import os
from collections.abc import Iterator, Sequence

import pyarrow as pa

from isrcheck.engines.native.workers import physical_bytes
from isrcheck.engines.spark.level_log import BucketFile
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.state_files import read_states
from isrcheck.engines.spark.storage import Storage

_TABLE_BYTES = 12  # a state, in the table of indices


def room(plan: KernelPlan, most: int | None) -> int:
    """How many states this process keeps: half of the machine's memory, by its processors, if that is not said."""
    if most is not None:
        return most
    size = plan.program.words * 8 + plan.machine().mark_bytes + _TABLE_BYTES
    return physical_bytes() // 2 // (os.cpu_count() or 1) // size


class Kept:
    """All states of a bucket; the newest level's may still arrive."""

    def __init__(self, plan: KernelPlan) -> None:
        self.shard = Shard(plan)
        self._newest = 0  # where that level begins

    def close(self) -> None:
        self.shard.close()

    @property
    def states(self) -> int:
        return self.shard.store.end

    @property
    def newest(self) -> tuple[int, int]:
        return self._newest, self.states

    def begin_level(self) -> None:
        self._newest = self.states
        self.shard.store.begin_level()

    def read(self, storage: Storage, files: Sequence[BucketFile]) -> None:
        """Take in these files, each as a level. Raises StorageFailed."""
        for bucket_file in files:
            self.begin_level()
            for piece in read_states(storage, bucket_file.file, self.shard.size):
                self.shard.insert(piece, pa.py_buffer(bytes(piece.size // self.shard.size * self.shard.mark_size)))
            if self.states - self._newest != bucket_file.states:
                raise storage.damage_error(bucket_file.file.name)

    def insert(self, states: pa.Buffer, marks: pa.Buffer) -> None:
        """Arrivals of the newest level."""
        self.shard.insert(states, marks)

    def slices(self, most: int) -> Iterator[pa.Buffer]:
        """The states of the level that is the newest one now."""
        first, end = self.newest
        return (self.shard.buffers(begin, min(begin + most, end))[0] for begin in range(first, end, most))
