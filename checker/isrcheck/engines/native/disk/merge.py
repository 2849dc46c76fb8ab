"""Sorted sequences of states become one, a block at a time; those that were seen before are taken out."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial

from isrcheck.engines.native.disk import kernel
from isrcheck.engines.native.disk.directory import DiskDirectory
from isrcheck.engines.native.disk.files import SortedReader, StateFile
from isrcheck.engines.native.disk.memory import DiskMemory
from isrcheck.engines.native.machine import record_type
from isrcheck.engines.native.workers import Segments

MergeRecord, VisitedRecord = record_type(kernel.MergeInputs), record_type(kernel.Visited)


class Merger:
    def __init__(self, memory: DiskMemory, directory: DiskDirectory, pause: Callable[[], None]) -> None:
        self._memory, self._directory, self._pause = memory, directory, pause
        workers = len(memory.pool.workers)
        self._threads = ThreadPoolExecutor(workers, "isrcheck") if workers > 1 else None

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()

    def merge(self, pieces: Segments, files: Sequence[StateFile], marked: bool = True) -> Iterator[tuple[int, int]]:
        """The states of sorted ranges of memory and of files, each once, as ranges of memory: one after the other.

        Of the marks of equal states the least is kept.
        """
        memory = self._memory
        with ExitStack() as stack:
            readers = [stack.enter_context(self._directory.open_reader(memory, file, marked)) for file in files]
            sources = _Inputs(memory, pieces, [reader for reader in readers if reader.refill()])
            while (merged := sources.next_block())[0] < merged[1]:
                self._pause()
                yield merged

    @contextmanager
    def filter_visited(self, visited: Sequence[StateFile]) -> Iterator[Callable[[int, int], int]]:
        """A function that keeps those states of a range that are in no file, and says how many they are.

        Its ranges come in order. The files are known to be what was written when the context ends.
        """
        memory = self._memory
        with ExitStack() as stack:
            readers = [stack.enter_context(self._directory.open_reader(memory, file)) for file in visited]

            def keep_new(first: int, end: int) -> int:
                # Each takes marks from candidates only, so that all files can be passed at the same time.
                each = map if self._threads is None else self._threads.map
                list(each(partial(self._subtract, first, end), readers))
                return memory.compact(first, end)

            yield keep_new
            for reader in readers:
                reader.finish()

    def _subtract(self, first: int, end: int, reader: SortedReader) -> None:
        both = VisitedRecord(candidate=first, candidate_end=end)
        while reader.position < reader.end or reader.refill():
            both.visited, both.visited_end = reader.position, reader.end
            self._memory.call("subtract", both)
            reader.position = both.visited
            if both.candidate == end:
                return


class _Inputs:
    """The kernel's record of what is merged: ranges of memory, then readers."""

    def __init__(self, memory: DiskMemory, pieces: Segments, readers: list[SortedReader]) -> None:
        self._memory, self._readers, self._pieces = memory, readers, len(pieces)
        ranges = [*pieces, *((reader.position, reader.end) for reader in readers)]
        count = len(ranges)
        numbers = [*(first for first, _ in ranges), *(end for _, end in ranges), *range(count)]
        self._numbers = (ctypes.c_uint64 * max(1, 3 * count))(*numbers)
        self._count = count
        record = self.record = MergeRecord(count=count)
        record.positions = ctypes.addressof(self._numbers)
        record.ends = record.positions + 8 * count
        record.heap = record.ends + 8 * count
        record.out_first, record.out_end = memory.merged, memory.merged + memory.plan.merged
        memory.call("heapify", record)

    def next_block(self) -> tuple[int, int]:
        record = self.record
        record.out = record.out_first
        while exhausted := self._memory.call("merge", record):
            self._go_on(exhausted - 1)
        return int(record.out_first), int(record.out)

    def _go_on(self, source: int) -> None:
        reader = self._readers[source - self._pieces] if source >= self._pieces else None
        if reader is not None and reader.refill():
            self._numbers[source], self._numbers[self._count + source] = reader.position, reader.end
        else:
            self.record.count -= 1
            self._numbers[2 * self._count] = self._numbers[2 * self._count + self.record.count]
        self._memory.call("heapify", self.record)
