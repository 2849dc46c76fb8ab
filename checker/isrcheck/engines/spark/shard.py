"""The native kernel at work on one bucket of states, in a task or in the driver."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.native.codegen import Program
from isrcheck.engines.native.machine import Machine, machine_of
from isrcheck.engines.native.memory import Region
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.workers import WorkerPool


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """A lowered model as workers get it: the kernel's text, which each of them compiles for its own processor."""

    program: Program
    text: str
    key: str
    buckets: int

    def machine(self) -> Machine:
        """The machine code, compiled once in each process."""
        if self.key not in _machines:
            _machines.clear()
            _machines[self.key] = machine_of(self.program, self.text)
        return _machines[self.key]


_machines: dict[str, Machine] = {}


@dataclass(frozen=True, slots=True)
class BucketStates:
    """States for one bucket, with their marks."""

    bucket: int
    states: bytes
    marks: bytes


class Shard:
    """Room for states and the kernel's functions over them: its own, given back at the end, or a search's."""

    def __init__(self, plan: KernelPlan, pool: WorkerPool | None = None, store: Store | None = None) -> None:
        self._plan = plan
        self.machine = plan.machine()
        self.size = plan.program.words * 8  # bytes of a state
        self.mark_size = self.machine.mark_bytes
        self._owned = pool is None or store is None
        self.pool = pool or WorkerPool(self.machine, 1)
        self.store = store or Store(self.pool, None)
        self.pool.run.buckets = plan.buckets

    def __enter__(self) -> "Shard":
        return self

    def __exit__(self, *_: object) -> None:
        if self._owned:
            self.store.close()
            self.pool.close()

    @property
    def _worker(self) -> Any:
        return self.pool.workers[0]

    def _over(self, name: str, first: int, end: int) -> int:
        """Call a kernel function that takes its states from `state` to `state_end`."""
        self._worker.state, self._worker.state_end = first, end
        result = self.pool.call(name)
        self._worker.state = self._worker.state_end = 0
        return result

    # States in

    def load(self, pieces: Iterable[Any], first: int = 0) -> int:
        """Copy buffers of states to the array, from an index on; returns the index after them."""
        for piece in pieces:
            end = first + piece.size // self.size
            self._require_room(end)
            ctypes.memmove(self.store.states.address + first * self.size, piece.address, piece.size)
            first = end
        return first

    def _require_room(self, end: int) -> None:
        if end >= self.store.capacity:
            raise MemoryError(f"{end:,} states of one bucket do not fit into a worker: use more partitions")

    def load_marks(self, marks: Any, first: int) -> None:
        """Copy the marks of states that were loaded from this index on."""
        ctypes.memmove(self.store.marks.address + first * self.mark_size, marks.address, marks.size)

    # The frontier

    def expand(self, frontier: int) -> tuple[int, int]:
        """Successors of the first states of the array, once each and behind them: the range of their indices."""
        self.store.lay_out([[(0, frontier)]])
        self._worker.distinct = frontier
        self.store.begin_level(shared=False)
        self.store.make_room(frontier)
        self.pool.run_over("advance", [(0, frontier)], lambda: self.store.make_room(self._worker.distinct))
        found = self.store.update_level()
        return found[0] if found else (frontier, frontier)

    def partition(self, first: int, end: int, most: int) -> Iterator[BucketStates]:
        """A range of states by bucket, at most so many at a time."""
        buckets = self._plan.buckets
        places = (ctypes.c_uint64 * buckets)()
        self._worker.places = ctypes.addressof(places)
        self._over("count_by_bucket", first, end)
        starts = [0]
        for count in places:
            starts.append(starts[-1] + count)
        for bucket in range(buckets):
            places[bucket] = starts[bucket]
        states, marks = Region((end - first) * self.size), Region((end - first) * self.mark_size)
        try:
            self._worker.target, self._worker.target_marks = states.address, marks.address
            self._over("partition", first, end)
            for bucket in range(buckets):
                for start in range(starts[bucket], starts[bucket + 1], most):
                    count = min(most, starts[bucket + 1] - start)
                    yield BucketStates(
                        bucket,
                        ctypes.string_at(states.address + start * self.size, count * self.size),
                        ctypes.string_at(marks.address + start * self.mark_size, count * self.mark_size),
                    )
        finally:
            states.release()
            marks.release()

    def buckets_of(self, count: int) -> set[int]:
        """The buckets of the first states."""
        places = (ctypes.c_uint64 * self._plan.buckets)()
        self._worker.places = ctypes.addressof(places)
        self._over("count_by_bucket", 0, count)
        return {bucket for bucket, states in enumerate(places) if states}

    # The next level

    def begin(self) -> None:
        """Make ready for states from elsewhere."""
        self.store.begin_level(shared=False)

    def insert(self, states: Any, marks: Any) -> int:
        """Look up states from elsewhere among each other; returns how many came."""
        worker, count = self._worker, states.size // self.size
        step = self.machine.largest_batch
        worker.source, worker.source_marks = states.address, marks.address
        for first in range(0, count, step):
            self.store.make_room(worker.distinct)
            self._over("insert_states", first, min(first + step, count))
        self.store.update_level()
        return int(count)

    def filter_visited(self, pieces: Iterable[Any]) -> None:
        """Drop the states that are among these."""
        for piece in pieces:
            self._worker.source = piece.address
            self._over("filter_visited", 0, piece.size // self.size)

    def compact(self, end: int) -> int:
        """Move those of the first states together that are marked, to the array's beginning; returns how many."""
        return self._over("compact", 0, end)

    def examine(self, count: int) -> None:
        """Judge the first states, count them by action and add up their hashes."""
        self.pool.run_over("examine", [(0, count)])
        self.pool.run_over("digest", [(0, count)])

    # Marks

    def mark_back(self, states: int, targets: Sequence[tuple[int, int]], later: Iterable[tuple[Any, Any]]) -> int:
        """Mark those of the first states that show a target, or lead to states marked later; returns how many.

        `targets` are positions with the bit of each; `later` are buffers of the next level's states and marks.
        """
        ctypes.memset(self.store.marks.address, 0, states * self.mark_size)
        run = self.pool.run
        for run.target, run.target_mark in targets:
            self.pool.run_over("aim", [(0, states)])
        run.fresh = states
        for words, marks in later:
            end = self.load([words], states)
            self.load_marks(marks, states)
            self.store.lay_out([[(states, end)]])
            self.pool.run_over("trace_back", [(0, states)])
        return self.compact(states)

    # Answers

    @property
    def digest(self) -> int:
        """The sum of the hashes of all states examined."""
        return int(self._worker.digest_low + (self._worker.digest_high << 64))

    def numbers(self, name: str, count: int) -> list[int]:
        """One of the worker's arrays."""
        return list(self.pool.words(0, name, count))

    def words(self, count: int) -> Any:
        """The first states of the array, as a buffer that lasts as long as this."""
        import pyarrow as pa

        return pa.foreign_buffer(self.store.states.address, count * self.size, self)

    def marks(self, count: int) -> Any:
        """Their marks."""
        import pyarrow as pa

        return pa.foreign_buffer(self.store.marks.address, count * self.mark_size, self)
