"""The native kernel at work on one bucket of states, in a task or in the driver, and the table that a task keeps."""

import ctypes
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.program import Program
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.workers import Region, WorkerPool, physical_bytes
from isrcheck.engines.spark.level_log import BucketFile, read_states
from isrcheck.engines.spark.storage import Storage


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """The program of a search, which each worker process compiles once, by `key`."""

    program: Program
    ir: str
    key: str
    buckets: int

    def machine(self) -> Machine:
        if self.key not in _machines:
            _machines.clear()
            _machines[self.key] = Machine(self.program, self.ir)
        return _machines[self.key]


_machines: dict[str, Machine] = {}


_DO_NOT_FIT = "states of one bucket do not fit into a worker: use more partitions"


class Shard:
    """Room for states and the kernel's functions over them: its own, a search's, or that of a bucket's levels."""

    def __init__(self, plan: KernelPlan, pool: WorkerPool | None = None, store: Store | None = None) -> None:
        self._plan, self.machine = plan, plan.machine()
        self.size, self.mark_size = plan.program.words * 8, self.machine.mark_bytes
        self._owned = pool is None or store is None
        self.pool = pool or WorkerPool(self.machine, 1)
        self.store = store or Store(self.pool, None)
        self.pool.run.buckets = plan.buckets
        self._newest = 0  # where the newest level of a bucket begins
        self._apart: tuple[Region, Region] | None = None  # states and marks, partitioned
        self._worker = self.pool.workers[0]

    def __enter__(self) -> "Shard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._release_apart()
        if self._owned:
            self.store.close()
            self.pool.close()

    def _run_kernel(self, name: str, first: int, end: int) -> int:
        self._worker.state, self._worker.state_end = first, end
        result = self.pool.call(name)
        self._worker.state = self._worker.state_end = 0
        return result

    def load(self, pieces: Iterable[Any], first: int = 0) -> int:
        """Copy states to the shard's memory from `first` on; return the index after them."""
        for piece in pieces:
            end = first + piece.size // self.size
            if end >= self.store.capacity:
                raise MemoryError(f"{end:,} {_DO_NOT_FIT}")
            ctypes.memmove(self.store.states.address + first * self.size, piece.address, piece.size)
            first = end
        return first

    def expand(self, frontier: int) -> tuple[int, int]:
        """Compute the successors of the first `frontier` states; return their range."""
        self.store.lay_out([[(0, frontier)]])
        self._worker.distinct = frontier
        self.store.begin_level()
        self.store.make_room(frontier)
        self.pool.run_over("advance", [(0, frontier)], lambda: self.store.make_room(self._worker.distinct))
        segments = self.store.update_level()
        return segments[0] if segments else (frontier, frontier)

    def _by_bucket(self, first: int, end: int) -> Any:
        counts = (ctypes.c_uint64 * self._plan.buckets)()
        self._worker.places = ctypes.addressof(counts)
        self._run_kernel("count_by_bucket", first, end)
        return counts

    def partition(self, first: int, end: int) -> Iterator[tuple[int, Any, Any]]:
        """A range of states by bucket: a bucket, its states and their marks, in buffers until the next call."""
        counts = self._by_bucket(first, end)
        starts = [0, *accumulate(counts)]
        counts[:] = starts[:-1]  # where the kernel writes each bucket's next state
        states, marks = self._room_to_partition(end - first)
        self._worker.target, self._worker.target_marks = states.address, marks.address
        self._run_kernel("partition", first, end)
        for bucket, (begin, stop) in enumerate(pairwise(starts)):
            if begin < stop:
                places = ((states.address, self.size), (marks.address, self.mark_size))
                words, marked = (pa.foreign_buffer(at + begin * n, (stop - begin) * n, self) for at, n in places)
                yield bucket, words, marked

    def _room_to_partition(self, count: int) -> tuple[Region, Region]:
        if self._apart is None or self._apart[0].size < count * self.size:
            self._release_apart()
            self._apart = Region(count * self.size), Region(count * self.mark_size)
        return self._apart

    def _release_apart(self) -> None:
        for region in self._apart or ():
            region.release()
        self._apart = None

    def buckets_of(self, count: int) -> set[int]:
        return {bucket for bucket, states in enumerate(self._by_bucket(0, count)) if states}

    def insert(self, states: Any, marks: Any) -> None:
        """Insert states with their marks; raises MemoryError."""
        worker, count = self._worker, states.size // self.size
        worker.source, worker.source_marks = states.address, marks.address
        first = 0
        while first < count:
            try:
                self.store.make_room(worker.distinct)
            except Stopped:
                raise MemoryError(f"{worker.distinct:,} {_DO_NOT_FIT}") from None
            end = min(first + worker.room, count)
            self._run_kernel("insert_states", first, end)
            first = end
        self.store.update_level()

    @property
    def newest(self) -> tuple[int, int]:
        return self._newest, self.store.end

    def begin_level(self) -> None:
        self._newest = self.store.end
        self.store.begin_level()

    def read(self, storage: Storage, files: Sequence[BucketFile]) -> None:
        """Insert the states of these files, each as a level. Raises StorageFailed."""
        for bucket_file in files:
            self.begin_level()
            for piece in read_states(storage, bucket_file.file, self.size):
                self.insert(piece, pa.py_buffer(bytes(piece.size // self.size * self.mark_size)))
            if self.store.end - self._newest != bucket_file.states:
                raise storage.damage_error(bucket_file.file.name)

    def slices(self, most: int) -> Iterator[pa.Buffer]:
        """The states of the level that is the newest one now."""
        first, end = self.newest
        return (self.buffers(begin, min(begin + most, end))[0] for begin in range(first, end, most))

    def filter_visited(self, pieces: Iterable[Any]) -> None:
        for piece in pieces:
            self._worker.source = piece.address
            self._run_kernel("filter_visited", 0, piece.size // self.size)

    def forget_counts(self) -> None:
        """Set counts and digest to 0: they count from here on."""
        program = self.machine.program
        sizes = {"counts": program.actions + 1, "reached": program.actions + 1, "targets_seen": len(program.targets)}
        for name, count in sizes.items():
            self.pool.words(0, name, count)[:] = [0] * count
        self._worker.digest_low = self._worker.digest_high = 0

    def compact(self, end: int) -> int:
        """Remove the unmarked ones of the first `end` states; return how many stay."""
        return self._run_kernel("compact", 0, end)

    def examine(self, first: int, end: int) -> int:
        """Judge the states of a range; return the sum of their hashes."""
        self.pool.run_over("examine", [(first, end)])
        return self.digest(first, end)

    def digest(self, first: int, end: int) -> int:
        """Return the sum of hashes, of all states since counts were forgotten."""
        self.pool.run_over("digest", [(first, end)])
        return int(self._worker.digest_low + (self._worker.digest_high << 64))

    def mark_back(self, states: int, targets: Sequence[tuple[int, int]], later: Iterable[tuple[Any, Any]]) -> int:
        """Mark the first states that show a target or lead to marked ones; returns how many.

        `targets` are positions with the bit of each; `later` are buffers of the next level's states and marks.
        """
        marked, run = self.store.marks.address, self.pool.run
        ctypes.memset(marked, 0, states * self.mark_size)
        for run.target, run.target_mark in targets:
            self.pool.run_over("mark_target_states", [(0, states)])
        run.fresh = states
        for words, marks in later:
            end = self.load([words], states)
            ctypes.memmove(marked + states * self.mark_size, marks.address, marks.size)
            self.store.lay_out([[(states, end)]])
            self.pool.run_over("trace_back", [(0, states)])
        return self.compact(states)

    def numbers(self, name: str, count: int) -> list[int]:
        return list(self.pool.words(0, name, count))

    def buffers(self, first: int, end: int) -> tuple[Any, Any]:
        places = ((self.store.states.address, self.size), (self.store.marks.address, self.mark_size))
        words, marks = (pa.foreign_buffer(at + first * size, (end - first) * size, self) for at, size in places)
        return words, marks


_TABLE_BYTES = 12  # a state, in the table of indices


def room(plan: KernelPlan, most: int | None) -> int:
    """How many states this process keeps: half of the machine's memory, by its processors, if that is not said."""
    if most is not None:
        return most
    size = plan.program.words * 8 + plan.machine().mark_bytes + _TABLE_BYTES
    return physical_bytes() // 2 // (os.cpu_count() or 1) // size
