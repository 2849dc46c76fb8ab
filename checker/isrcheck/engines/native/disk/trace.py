"""Least shortest traces from levels on disk: the marked states of each level are files, too."""

from collections.abc import Iterator, Mapping, Sequence

from isrcheck.engines.common.story import Stories
from isrcheck.engines.common.targets import SearchTarget
from isrcheck.engines.contract import Path
from isrcheck.engines.native.disk.directory import DiskDirectory, DiskLevel
from isrcheck.engines.native.disk.files import StateFile
from isrcheck.engines.native.disk.memory import DiskMemory
from isrcheck.engines.native.trace import LeastPaths
from isrcheck.ir.scalar import ScalarSystem


class DiskTracer(LeastPaths):
    """The least shortest paths through the complete levels of a search."""

    def __init__(
        self,
        system: ScalarSystem,
        memory: DiskMemory,
        directory: DiskDirectory,
        levels: Sequence[DiskLevel],
        stories: Stories,
    ) -> None:
        super().__init__(system, stories)
        self._pool, self._memory, self._directory = memory.pool, memory, directory
        self._levels, self._pause = levels, stories.pause
        self._marks: dict[int, StateFile] = {}  # by level: the marked states with their marks
        self._half = self._memory.plan.capacity // 2

    def paths(self, level_of: Mapping[SearchTarget, int]) -> dict[SearchTarget, Path]:
        try:
            return super().paths(level_of)
        finally:
            self._forget()

    def _forget(self) -> None:
        self._directory.remove(self._marks.values())
        self._marks = {}

    def _mark(self, group: list[SearchTarget], level_of: Mapping[SearchTarget, int]) -> None:
        targets = self._pool.machine.program.targets
        self._forget()
        for level in range(max(level_of[target] for target in group), -1, -1):
            shown = [(targets.index(t), 1 << bit) for bit, t in enumerate(group) if level_of[t] == level]
            name = f"marked-{level:06}"
            states = self._mark_level(level, shown)
            self._marks[level] = self._directory.write(self._memory, name, states, marked=True, is_sorted=False)

    def _mark_level(self, level: int, shown: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The marked states of a level, as ranges of memory: those that show a target or lead to marked ones."""
        memory, run = self._memory, self._pool.run
        first = memory.buffer
        for count in self._directory.pieces(memory, self._levels[level].file, first, self._half):
            states = [(first, first + count)]
            memory.clear_marks(first, count)
            for run.target, run.target_mark in shown:
                self._pool.run_over("mark_target_states", states, self._pause)
            run.fresh = first + count
            for _ in self._later(level + 1, first + count):
                self._pool.run_over("trace_back", states, self._pause)
            yield first, first + memory.compact(first, first + count)

    def _later(self, level: int, first: int) -> Iterator[None]:
        """Have the table hold the marked states of a level, as many at a time as there is room for."""
        if level in self._marks:
            for count in self._directory.pieces(
                self._memory, self._marks[level], first, self._memory.end - first, marked=True
            ):
                self._memory.load_table([(first, first + count)])
                yield

    def _keep_marked(self, states: set[bytes], level: int, mark: int) -> set[bytes]:
        marked = set[bytes]()
        for _ in self._later(level, self._memory.buffer):
            for words in states:
                self._pool.words(0, "successors", len(words) // 8)[:] = memoryview(words).cast("Q")
                index = self._pool.call("locate")
                if index and self._memory.mark(index - 1) & mark:
                    marked.add(words)
        return marked
