"""The workers of one search: their records and buffers, and the kernel functions that all take part in."""

import ctypes
import mmap
import os
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from isrcheck.engines.native.kernel.dictionaries import TOGETHER
from isrcheck.engines.native.kernel.records import FULL
from isrcheck.engines.native.machine import Machine, RunRecord, WorkerRecord
from isrcheck.engines.native.program import BATCH
from isrcheck.ir.pack import DIGEST_MODULUS

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_PRIVATE = getattr(mmap, "MAP_PRIVATE", 2) | getattr(mmap, "MAP_ANONYMOUS", 0x20)
_IS_LINUX = sys.platform == "linux"
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000) if _IS_LINUX else 0
_HUGE_PAGE = 1 << 21


class Region:
    """Zeroed memory at a fixed address, in huge pages where the system offers them."""

    def __init__(self, size: int) -> None:
        self.size = max(size, mmap.PAGESIZE)
        self.map = mmap.mmap(-1, self.size, flags=_PRIVATE | _NO_RESERVE)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a system built without them
                self.map.madvise(mmap.MADV_HUGEPAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))

    def clear(self, first: int, end: int) -> None:
        """Give memory back from one byte to another, as whole pages; what it holds then is not to be read."""
        first, end = -(-first // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
        if first < end and _IS_LINUX:
            self.map.madvise(mmap.MADV_DONTNEED, first, end - first)

    def zero(self, end: int) -> None:
        """Have all bytes before be 0."""
        self.clear(0, end)
        first = end // _HUGE_PAGE * _HUGE_PAGE if _IS_LINUX else 0
        ctypes.memset(self.address + first, 0, end - first)

    def release(self) -> None:
        self.map.close()


def largest_region(wanted: int) -> Region:
    """A region of this size, or the largest half, quarter, ... that is granted."""
    size = wanted
    while True:
        try:
            return Region(size)
        except (OSError, OverflowError):
            if size <= 1 << 26:
                raise
            size //= 2


def physical_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


Segments = list[tuple[int, int]]


def _threads(number: int) -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor  # here: it imports logging

    return ThreadPoolExecutor(number, "isrcheck")


SHARED_FROM = 4096  # states for each worker; fewer are not worth waking another
_UNIT = 1024  # states, at most
_SLICE_SECONDS = 0.04
_FASTER = 4  # times the states of the slice before: a level of some states says little of what a large one takes
_LINE = 64  # bytes; words that different workers write lie in different lines
_TAKEN, _BLOCK = _LINE // 8, 2 * _LINE // 8


def _deal(rows: "array[int]", workers: int) -> "array[int]":
    """Have each of so many workers take a part of its own, if they take turns."""
    dealt, first = array("Q", rows), 0
    for worker in range(workers):
        size = len(range(worker, len(rows), workers))
        dealt[worker::workers] = rows[first : first + size]
        first += size
    return dealt


def states_in_slice(done: int, seconds: float) -> int:
    """Return how many states take the seconds of a slice, if so many took `seconds`."""
    return int(done * _SLICE_SECONDS / max(seconds, 1e-5))


class WorkerPool:
    """Calls kernel functions in every worker, in slices short enough to stop between."""

    def __init__(self, machine: Machine, workers: int) -> None:
        self.machine = machine
        self.run = RunRecord()
        self._atoms = (ctypes.c_uint64 * 32)()
        base = ctypes.addressof(self._atoms)
        self.run.next_unit, self.run.next_block = base + _LINE, base + 2 * _LINE
        self._units: Any = None
        self._pace: dict[str, int] = {}  # states (or what a unit counts) in a slice, by phase
        self._regions: list[Region] = []
        self.workers = [self._worker() for _ in range(workers)]
        self._threads: ThreadPoolExecutor | None = None
        self.active = 1  # the workers that take part
        self.waited = [0.0] * workers  # seconds for others, by worker

    def _worker(self) -> Any:
        program, batch = self.machine.program, self.machine.largest_batch
        worker = WorkerRecord()
        state = program.words * 8
        targets = len(program.targets) * 8
        counts = (program.actions + 1) * 8
        sizes = {
            "successors": (batch + 2) * state,
            "hashes": (batch + 512) * 8,
            "marks": (batch + 2) * self.machine.mark_bytes,
            "report": (program.instances + len(program.targets) + program.constrained) * 8,
            "counts": counts,
            "spare_counts": counts,
            "targets_seen": targets,
            "reached": (program.actions + 1) * 8,
            "walkers": BATCH * state,
            "scratch": BATCH * 8,
            "more_scratch": BATCH * 8,
            "first": state,
            "state_words": state,
            "word_hashes": 2 * TOGETHER * state,  # of words, then of larger groups
            "hit_walk": targets,
            "hit_steps": targets,
        }
        region = Region(sum(size // _LINE + 2 for size in sizes.values()) * _LINE + 2 * _LINE)
        self._regions.append(region)
        address = region.address + _LINE
        for name, size in sizes.items():
            setattr(worker, name, address)
            address += (size // _LINE + 2) * _LINE
        return worker

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()
        for region in self._regions:
            region.release()

    def words(self, worker: int, name: str, count: int, first: int = 0) -> Any:
        return (ctypes.c_uint64 * count).from_address(getattr(self.workers[worker], name) + 8 * first)

    def total(self, name: str, count: int) -> list[int]:
        rows = [self.words(worker, name, count) for worker in range(len(self.workers))]
        return [sum(row[position] for row in rows) for position in range(count)]

    @property
    def taken(self) -> int:
        return int(min(self._atoms[_TAKEN], self.run.unit_stop))

    @property
    def next_block(self) -> int:
        return int(self._atoms[_BLOCK])

    @next_block.setter
    def next_block(self, index: int) -> None:
        self._atoms[_BLOCK] = index

    def share(self, states: int) -> None:
        """Have as many workers take part as this work on so many states is worth."""
        self.active = max(1, min(len(self.workers), states // SHARED_FROM))
        self.run.shared = int(self.active > 1)

    def begin_states(self, first: int, end: int, block: int) -> None:
        """Have new states lie from one index on: one after the other, or in blocks where several workers take part."""
        self.run.fresh, self.run.block_size = first, block
        for worker in self.workers:
            worker.index = worker.index_end = first
        if self.run.shared:
            self.next_block = first
        else:
            self.workers[0].index_end = end

    def new_states(self) -> Segments:
        """The ranges of the new states, without unused ends of blocks."""
        first, ranges = self.run.fresh, []
        if not self.run.shared:
            ranges = [(first, self.workers[0].index)]
        else:
            for unused, end in sorted((worker.index, worker.index_end) for worker in self.workers):
                if unused < end:
                    ranges.append((first, unused))
                    first = end
            ranges.append((first, self.next_block))
        return [(start, end) for start, end in ranges if start < end]

    def sum_digests(self) -> int:
        """The sum of the digests of all workers, which begin again."""
        total = sum(worker.digest_low + (worker.digest_high << 64) for worker in self.workers)
        for worker in self.workers:
            worker.digest_low = worker.digest_high = 0
        return int(total % DIGEST_MODULUS)

    def call(self, name: str) -> int:
        return self.machine.function(name)(self.run, self.workers[0])

    def run_over(
        self, name: str, segments: Segments, pause: Callable[[], None] = lambda: None, unit: int | None = None
    ) -> None:
        """Call a kernel function over states; `pause` comes often, and if room is needed."""
        pace = self._pace.get(name, (unit or BATCH) * self.active)
        unit = unit or self._unit(sum(end - start for start, end in segments), pace)
        firsts, ends = self._split(segments, unit)
        stop = 0
        while stop < len(firsts):
            began, first = time.perf_counter(), stop
            stop = min(len(firsts), stop + max(self.active, pace // unit))
            while FULL in self._until(name, stop):
                pause()
            pause()
            done = sum(ends[first:stop]) - sum(firsts[first:stop])
            pace = max(1, min(states_in_slice(done, time.perf_counter() - began), _FASTER * done))
            self._pace[name] = pace

    def _unit(self, size: int, pace: int) -> int:
        """States that a worker takes at once: fewer than a batch where a slice has no time for one."""
        share = min(_UNIT, size // (16 * self.active), pace // self.active) // BATCH * BATCH
        return share or max(1, min(BATCH, pace // self.active))

    def _split(self, segments: Segments, unit: int) -> "tuple[array[int], array[int]]":
        """Lay out units, and return where they begin and end.

        Workers take turns at them, and get what is far apart: near ones have successors in common.
        """
        firsts, ends = array("Q"), array("Q")
        for start, end in filter(lambda segment: segment[0] < segment[1], segments):
            firsts.extend(range(start, end, unit))
            ends.extend(range(start + unit, end + unit, unit))
            ends[-1] = end
        if self.active > 1:
            firsts, ends = _deal(firsts, self.active), _deal(ends, self.active)
        self._units = array("Q", bytes(16 * max(len(firsts), 1)))
        self._units[: 2 * len(firsts) : 2], self._units[1 : 2 * len(firsts) : 2] = firsts, ends
        self.run.units = self._units.buffer_info()[0]
        self.run.unit_stop = self._atoms[_TAKEN] = 0
        for worker in self.workers:
            worker.state = worker.state_end = 0
        return firsts, ends

    def _until(self, name: str, stop: int) -> list[int]:
        self._atoms[_TAKEN] = min(self._atoms[_TAKEN], self.run.unit_stop)
        self.run.unit_stop = stop
        call = self.machine.function(name)
        if not self.run.shared:
            return [call(self.run, self.workers[0])]
        self._threads = self._threads or _threads(len(self.workers) - 1)
        ends = [0.0] * self.active

        def take_part(number: int) -> int:
            answer = call(self.run, self.workers[number])
            ends[number] = time.perf_counter()
            return int(answer)

        others = [self._threads.submit(take_part, number) for number in range(1, self.active)]
        answers = [take_part(0), *(each.result() for each in others)]
        for number, end in enumerate(ends):
            self.waited[number] += max(ends) - end
        return answers

    @contextmanager
    def pause_phase(self) -> Iterator[None]:
        """Something else between two slices of a phase, which then goes on as before."""
        kept = self._units, self.run.units, self.run.unit_stop, self._atoms[_TAKEN]
        held = [(worker.state, worker.state_end) for worker in self.workers]
        yield
        self._units, self.run.units, self.run.unit_stop, self._atoms[_TAKEN] = kept
        for worker, (state, end) in zip(self.workers, held, strict=True):
            worker.state, worker.state_end = state, end
