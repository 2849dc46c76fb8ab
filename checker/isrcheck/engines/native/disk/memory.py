"""How a search on disk divides its memory: blocks of sorted files that are read, and a buffer for successors."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.native.workers import Region, Segments, WorkerPool, physical_bytes
from isrcheck.errors import UsageError
from isrcheck.process.budget import resident_bytes

FILES = 16  # runs, and as many files of states seen, that are read at once
_BLOCKS = 2 * FILES + 2  # and one that is written, and the level that is expanded
_BLOCK_BYTES = 1 << 17  # of states decoded at a time: they and their bytes fit a core's cache
_PIECE_BYTES = 1 << 18  # of a file that are read or written at a time
_MERGED = 1 << 16  # states expanded or merged at a time
_LOAD = 0.75  # how full the table of the buffer gets
_LEAST_SLOTS = 1 << 10
_SPARE = 24 << 20  # bytes that the interpreter and partly used pages may take besides
_SHARE = 2  # of the machine's memory, without a limit: one in so many bytes
_WORKER_BLOCK = 1024  # indices that one of several workers takes at a time


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The sizes of a search's memory, in states if nothing else is said."""

    block: int
    piece: int  # bytes
    merged: int
    capacity: int  # of the buffer
    slots: int  # of its table, at most
    in_memory: int = 1 << 32  # states of a search before it filters files


def least_capacity(pool: WorkerPool) -> int:
    """Return the states that must fit: two batches of successors a worker, and blocks not used to their ends."""
    workers = len(pool.workers)
    return workers * (2 * pool.machine.largest_batch + (2 * _WORKER_BLOCK if workers > 1 else 0))


def memory_plan(limit: int | None, pool: WorkerPool) -> MemoryPlan:
    """The sizes that fit into so many bytes; raises UsageError if a search of this model does not."""
    state, mark = pool.machine.program.words * 8, pool.machine.mark_bytes
    block = max(64, _BLOCK_BYTES // state)
    fixed = _BLOCKS * (block * (state + mark) + _PIECE_BYTES) + 2 * _MERGED * (state + mark)
    base = resident_bytes() + _SPARE + fixed
    free = (physical_bytes() // _SHARE if limit is None else limit) - base
    least = least_capacity(pool)
    most = (1 << 32) - 2 * _MERGED - _BLOCKS * block - 2
    best = (0, 0)
    slots = _LEAST_SLOTS
    while 4 * slots < free and slots <= 1 << 32:
        best = max(best, (min(int(slots * _LOAD), (free - 4 * slots) // (state + mark), most), slots))
        slots *= 2
    if best[0] < least:
        needed = base + least * (state + mark) + 4 * _slots_for(least)
        raise UsageError(
            f"--max-memory {(limit or 0) >> 20:,}M is too small for --disk: this model needs {(needed >> 20) + 1:,}M, "
            f"{base >> 20:,}M of it for the process and the files that are read at once."
        )
    return MemoryPlan(block, _PIECE_BYTES, _MERGED, *best)


def _slots_for(count: int) -> int:
    return max(_LEAST_SLOTS, 1 << int(count / _LOAD).bit_length())


class Block:
    """Room for decoded states from index `first` on, and for their bytes at an address."""

    def __init__(self, first: int, address: int) -> None:
        self.first, self.address = first, address


class DiskMemory:
    """All memory of one search: frontier, merged states, blocks, and last the buffer."""

    def __init__(self, pool: WorkerPool, plan: MemoryPlan) -> None:
        self.pool, self.plan = pool, plan
        self.words = pool.machine.program.words
        self.frontier, self.merged = 0, plan.merged
        first_block = 2 * plan.merged
        self.buffer = first_block + _BLOCKS * plan.block
        self.end = self.buffer + plan.capacity
        self._states = Region(self.end * self.words * 8)
        self._marks = Region(self.end * pool.machine.mark_bytes)
        self._table = Region(plan.slots * 4)
        self.slack = (self.words + 1) // 2 + 15 * self.words + 16  # bytes of the longest state, also of damaged ones
        piece = plan.piece + 2 * self.slack
        self._pieces = Region(_BLOCKS * piece)
        self._free = [Block(first_block + i * plan.block, self._pieces.address + i * piece) for i in range(_BLOCKS)]
        scratch = self.words + 8 * self.words + 1 + 8 * self.words * 512
        self._scratch = Region(len(pool.workers) * scratch * 8)
        for number, worker in enumerate(pool.workers):
            worker.sorting = self._scratch.address + number * scratch * 8
        run = pool.run
        run.states, run.marks, run.table = self._states.address, self._marks.address, self._table.address
        run.index_mask = (1 << min(32, (self.end + 1).bit_length())) - 1
        self._slots = 0

    def close(self) -> None:
        for region in (self._states, self._marks, self._table, self._pieces, self._scratch):
            region.release()

    def call(self, name: str, record: Any) -> int:
        return self.pool.machine.function(name)(self.pool.run, record)

    @contextmanager
    def block(self) -> Iterator[Block]:
        taken = self._free.pop()
        try:
            yield taken
        finally:
            self._free.append(taken)

    def put(self, index: int, state: bytes) -> None:
        ctypes.memmove(self._states.address + index * len(state), state, len(state))

    def clear_marks(self, first: int, count: int) -> None:
        width = self.pool.machine.mark_bytes
        ctypes.memset(self._marks.address + first * width, 0, count * width)

    def mark(self, index: int) -> int:
        width = self.pool.machine.mark_bytes
        return int.from_bytes(ctypes.string_at(self._marks.address + index * width, width), "little")

    def compact(self, first: int, end: int) -> int:
        """Keep the marked states of a range; returns how many."""
        worker = self.pool.workers[0]
        worker.state, worker.state_end = first, end
        kept = self.pool.call("compact")
        worker.state = worker.state_end = 0
        return kept

    def begin_buffer(self, expected: int) -> None:
        """Clear the buffer, for about `expected` states."""
        self.pool.begin_states(self.buffer, self.end, _WORKER_BLOCK)
        for worker in self.pool.workers:
            worker.distinct = 0
        self._use_table(min(self.plan.slots, _slots_for(expected)))

    def _use_table(self, slots: int) -> None:
        self._slots = slots
        self.pool.run.slots = slots - 1
        ctypes.memset(self._table.address, 0, slots * 4)

    def give_room(self) -> bool:
        """Room in the buffer for one more batch each, with a larger table if need be; False if it is full."""
        needed = self.pool.machine.largest_batch * len(self.pool.workers)
        while (room := self._room()) < needed:
            if self._slots == self.plan.slots or self._free_states() < needed:
                return False
            self._use_table(min(self.plan.slots, 4 * self._slots))
            with self.pool.pause_phase():
                self.pool.run_over("refill", self.pool.new_states())
        for worker in self.pool.workers:
            worker.room = room // len(self.pool.workers)
        return True

    def _free_states(self) -> int:
        shared = self.pool.run.shared
        used = self.pool.next_block if shared else self.pool.workers[0].index
        return int(self.end - used - (2 * _WORKER_BLOCK * len(self.pool.workers) if shared else 0))

    def _room(self) -> int:
        distinct = sum(worker.distinct for worker in self.pool.workers)
        return int(min(int(self._slots * _LOAD) - distinct, self._free_states()))

    def load_table(self, ranges: Segments) -> None:
        """Have the table hold these states of the buffer, and no others."""
        self._use_table(min(self.plan.slots, _slots_for(sum(end - first for first, end in ranges))))
        self.pool.run_over("refill", ranges)

    def sort_buffer(self, pause: Callable[[], None]) -> Segments:
        """Sort the buffer in pieces; returns them."""
        return self.sort(self.pool.new_states(), pause)

    def sort(self, ranges: Segments, pause: Callable[[], None]) -> Segments:
        workers = len(self.pool.workers)
        pieces = [piece for first, end in ranges for piece in _pieces(first, end, workers)]
        with self.pool.pause_phase():
            if pieces:
                self.pool.run_over("sort", pieces, pause, unit=max(end - first for first, end in pieces))
        return pieces


_SORTED = 1 << 22  # states that are sorted at once


def _pieces(first: int, end: int, workers: int) -> Segments:
    size = max(1, min(_SORTED, -(-(end - first) // workers)))
    return [(begin, min(begin + size, end)) for begin in range(first, end, size)]
