"""The states seen of a bucket, in a table that a worker's process keeps from level to level while memory lasts.

A task that finds its bucket's table here reads only the files that it lacks; in a process that has none, all of them.
So a worker may be lost, and a bucket may go to another one. A table that a task has begun to change is here again only
when that task has written its file.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from isrcheck.engines.native.workers import physical_bytes
from isrcheck.engines.spark.level_log import BucketFile
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.storage import Storage, read_states

_TABLE_BYTES = 12  # a state, in the table of indices


@dataclass
class Kept:
    """All states of the first `files` files of a bucket, and those found since."""

    shard: Shard
    files: int = 0

    @property
    def states(self) -> int:
        return self.shard.store.end

    def read(self, storage: Storage, visited: Sequence[BucketFile]) -> None:
        """Take in the files that it lacks. Raises StorageFailed."""
        for part in visited[self.files :]:
            before = self.states
            self.shard.store.begin_level()
            for piece in read_states(storage, part.file, self.shard.size):
                self.shard.insert(piece, pa.py_buffer(bytes(piece.size // self.shard.size * self.shard.mark_size)))
            if self.states - before != part.states:
                raise storage.damaged(part.file.name)
        self.files = len(visited)


_tables: dict[int, Kept] = {}  # by bucket
_runs: list[str] = []  # the one search that they are of


def room(plan: KernelPlan, most: int | None) -> int:
    """How many states this process keeps: half of the machine's memory, by its processors, if that is not said."""
    if most is not None:
        return most
    size = plan.program.words * 8 + plan.machine().mark_bytes + _TABLE_BYTES
    return physical_bytes() // 2 // (os.cpu_count() or 1) // size


@contextmanager
def states_seen(
    plan: KernelPlan, storage: Storage, run: str, bucket: int, visited: Sequence[BucketFile], most: int | None
) -> Iterator[Kept | None]:
    """The table of a bucket, with all of these files; None if there is no room.

    Who adds the states of a file that is committed later, and all of them, counts it in `files`.
    """
    if _runs != [run]:
        forget()
        _runs.append(run)
    kept = _tables.pop(bucket, None)
    if kept is not None and kept.files > len(visited):  # another attempt at this level ended here
        kept.shard.close()
        kept = None
    others, needed = sum(each.states for each in _tables.values()), sum(part.states for part in visited)
    if others + needed >= room(plan, most):
        if kept is not None:
            kept.shard.close()
        yield None
        return
    kept = kept or Kept(Shard(plan))
    try:
        kept.read(storage, visited)
        yield kept
    except BaseException:
        kept.shard.close()
        raise
    _tables[bucket] = kept


def forget() -> None:
    for kept in _tables.values():
        kept.shard.close()
    _tables.clear()
    _runs.clear()
