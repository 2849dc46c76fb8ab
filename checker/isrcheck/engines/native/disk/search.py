"""Breadth-first search with its states on disk: successors are sorted, and duplicates found a level at a time.

Before, while memory holds all states, it is a search there (in_memory.py).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from itertools import accumulate
from pathlib import Path as FilePath

import msgspec

from isrcheck.engines.common.story import Stories
from isrcheck.engines.common.symmetry import check_graph
from isrcheck.engines.common.targets import NothingLeft, SearchTarget, Stopped
from isrcheck.engines.contract import Path, Progress, Request, Searched
from isrcheck.engines.native.disk.directory import (
    SEARCHED_AGAIN,
    CheckpointRefused,
    DiskDirectory,
    DiskLevel,
    DiskManifest,
    level_name,
    search_key,
)
from isrcheck.engines.native.disk.files import StateFile
from isrcheck.engines.native.disk.in_memory import OutgrewMemory, SearchInMemory
from isrcheck.engines.native.disk.kept import KeptSearch
from isrcheck.engines.native.disk.memory import FILES, DiskMemory, MemoryPlan, memory_plan
from isrcheck.engines.native.disk.merge import Merger
from isrcheck.engines.native.disk.trace import DiskTracer
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.program import ON_DISK
from isrcheck.engines.native.trace import canonical_words
from isrcheck.engines.native.workers import Segments, WorkerPool
from isrcheck.errors import UsageError
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel, refuse_several

_EXPECTED = 4  # new or old states to which a state of a level leads, to begin with


class DiskSearch(KeptSearch):
    def __init__(
        self,
        compiled: Machine,
        system: ScalarSystem,
        request: Request,
        directory: DiskDirectory,
        plan: Callable[[WorkerPool], MemoryPlan],
        began: float | None = None,
    ) -> None:
        super().__init__(compiled, system, request)
        self.keep_in(directory)
        # The levels of a search in memory, which began then, are not looked at again.
        self._began_in_memory, self._policy.began = began is not None, began or self._policy.began
        self.memory = DiskMemory(self.pool, plan(self.pool))
        self.merger = Merger(self.memory, directory, self._check)
        self._level_states = 0  # of complete levels
        self._runs: list[StateFile] = []
        self._confirming: list[DiskLevel] = []  # kept levels that are searched again
        self._written = 0  # files that have a number of their own
        self._fresh = 0  # states of the level that is being made

    def close(self) -> None:
        self._machine.close()
        self.merger.close()
        self.pool.close()
        self.memory.close()

    def _begin(self) -> None:
        kept = self.directory.load(self._machine.program.actions, len(self._targets))
        self._committed = len(kept.levels)
        self._written = max((int(file.name.partition("-")[2]) for file in kept.visited), default=0)
        if not self._began_in_memory:
            self._look_again_at(kept)
        self.levels, self._visited = list(kept.levels), list(kept.visited)
        self._level_states = sum(level.file.states for level in kept.levels)
        self._write_numbers("counts", kept.levels[-1].counts)
        self._write_numbers("reached", kept.levels[-1].reached)
        self.seen_targets.levels = {self._targets[target]: level for target, level in kept.levels[-1].targets_seen}
        self.directory.keep_only(kept)
        if not self._visited:
            self._sort_levels()
            self._committed = 0

    def _end(self, reason: Stopped) -> None:
        self.is_over = isinstance(reason, NothingLeft)
        self._forget_unfinished()
        self._commit_last()

    @property
    def distinct(self) -> int:
        return self._level_states

    @property
    def _level_count(self) -> int:
        return len(self.levels)

    def _seed(self) -> None:
        """The initial state alone."""
        memory = self.memory
        words = canonical_words(self.pool, self._machine.program.packing.pack(self.system.initial))
        memory.begin_buffer(expected=1)
        memory.put(memory.merged, words)
        memory.clear_marks(memory.merged, 1)
        self._write_level(self._judge(memory.merged, 1) for _ in (0,))

    def _make_level(self) -> bool:
        """Expand the last level and write the next; return whether it has new states."""
        self._expand(self.levels[-1].file)
        return self._write_level(self._new_states())

    def _expand(self, level: StateFile) -> None:
        memory = self.memory
        self.pool.share(level.states)
        memory.begin_buffer(_EXPECTED * level.states)
        self._make_room()
        try:
            for count in self.directory.pieces(memory, level, memory.frontier, memory.plan.merged):
                self.pool.run_over("advance", [(memory.frontier, memory.frontier + count)], self._pause)
        finally:
            self.record_targets(len(self.levels) - 1)

    def _pause(self) -> None:
        self._check()
        self._make_room()

    def _make_room(self) -> None:
        memory = self.memory
        if not memory.give_room():
            pieces = memory.sort_buffer(self._check)
            self._runs.append(self._write_run(pieces, []))
            memory.begin_buffer(memory.plan.capacity)
            if not memory.give_room():
                raise AssertionError("an empty buffer has no room")

    def _write_run(self, pieces: Segments, files: list[StateFile]) -> StateFile:
        return self.directory.write(self.memory, self._next_name("run"), self.merger.merge(pieces, files), marked=True)

    def _next_name(self, kind: str) -> str:
        self._written += 1
        return f"{kind}-{self._written:06}"

    def _few_runs(self) -> list[StateFile]:
        """No more than can be read at once."""
        while len(self._runs) > FILES:
            self._runs.sort(key=lambda run: run.states)
            least = self._runs[:FILES]
            self._runs = [*self._runs[FILES:], self._write_run([], least)]
            self.directory.remove(least)
        return self._runs

    def _new_states(self) -> Iterator[tuple[int, int]]:
        """Yield the new states to which the newest level leads, judged and counted, as sorted ranges of memory."""
        pieces = self.memory.sort_buffer(self._check)
        runs = self._few_runs()
        with self.merger.filter_visited(self._visited) as keep_new:
            for first, end in self.merger.merge(pieces, runs):
                if count := keep_new(first, end):
                    yield self._judge(first, count)
        self.directory.remove(runs)
        self._runs = []

    def _judge(self, first: int, count: int) -> tuple[int, int]:
        states = first, first + count
        self.pool.run_over("examine", [states])
        self.pool.run_over("digest", [states])
        self._fresh += count
        return states

    def _write_level(self, states: Iterator[tuple[int, int]]) -> bool:
        number, self._fresh = len(self.levels), 0
        self.pool.sum_digests()
        name = f"again-{number:06}" if number < len(self._confirming) else level_name(number)
        file = self.directory.write(self.memory, name, states, marked=False)
        self._fresh = 0
        if not file.states:
            self.directory.remove([file])
            return False
        self.record_targets(number)
        self._add_level(self._record(file, self.pool.sum_digests()))
        return True

    def _add_level(self, level: DiskLevel) -> None:
        number = len(self.levels)
        self._add_visited(level.file)
        if number < len(self._confirming):
            level = self._confirm(self._confirming[number], level)
        self.levels.append(level)
        self._level_states += level.file.states

    def _add_visited(self, file: StateFile) -> None:
        self._visited.append(file)
        if len(self._visited) > FILES:
            self._join_visited()

    def _join_visited(self) -> None:
        """Half as many files, the smallest ones, become one: a state is written again as often as its file doubles."""
        self._visited.sort(key=lambda file: file.states)
        least = self._visited[: FILES // 2]
        states = self.merger.merge([], least, marked=False)
        joined = self.directory.write(self.memory, self._next_name("seen"), states, marked=False)
        self._visited = [*self._visited[FILES // 2 :], joined]

    def _sort_levels(self) -> None:
        """Have sorted files hold the states of levels that were searched in memory."""
        memory = self.memory
        end = memory.buffer
        for level in self.levels:
            with self.directory.open_reader(memory, level.file) as reader:
                while count := reader.read(end, min(memory.end - end, memory.plan.merged)):
                    end += count
                    if end == memory.end:
                        end = self._sort_visited(end)
        self._sort_visited(end)

    def _sort_visited(self, end: int) -> int:
        """Write the states of the buffer up to an index to a sorted file; returns where the buffer begins."""
        first = self.memory.buffer
        if first < end:
            states = self.merger.merge(self.memory.sort([(first, end)], self._check), [], marked=False)
            self._add_visited(self.directory.write(self.memory, self._next_name("seen"), states, marked=False))
        return first

    def _end_level(self) -> None:
        self._commit()

    def _forget_unfinished(self) -> None:
        """Remove what was begun of the next level; its steps and what they show stay."""
        self.directory.remove(self._runs)
        self._runs, self._fresh = [], 0
        if self.levels:
            self._write_numbers("reached", self.levels[-1].reached)

    def _write_numbers(self, name: str, numbers: list[int]) -> None:
        for worker in range(len(self.pool.workers)):
            self.pool.words(worker, name, len(numbers))[:] = numbers if worker == 0 else [0] * len(numbers)

    def _look_again_at(self, kept: DiskManifest) -> None:
        """Search the first levels again; of the others judge every state and count its steps."""
        self._compare_visited(kept)
        sizes = accumulate(level.file.states for level in kept.levels)
        self._confirming = [level for level, size in zip(kept.levels, sizes, strict=True) if size <= SEARCHED_AGAIN]
        if self._confirming:
            self._seed()
        while len(self.levels) < len(self._confirming):
            if not self._make_level():
                raise self.directory.contradiction_error(f"nothing leads to level {len(self.levels) + 1}")
        self._confirming = []
        for number in range(len(self.levels), len(kept.levels)):
            self._judge_again(number, kept.levels[number])

    def _compare_visited(self, kept: DiskManifest) -> None:
        of_levels = {level.file.name: int(level.digest, 16) for level in kept.levels}
        listed = [of_levels.get(file.name) or int(self._digest_of(file), 16) for file in kept.visited]
        if listed and (sum(listed) - sum(of_levels.values())) % DIGEST_MODULUS:
            raise self.directory.contradiction_error("the states seen are not those of its levels")

    def _judge_again(self, number: int, kept: DiskLevel) -> None:
        if number:
            self._run_over_file("recount", self.levels[number - 1].file)
            self.record_targets(number - 1)
        self._run_over_file("examine", kept.file)
        self.record_targets(number)
        again = self._record(kept.file, int(kept.digest, 16))
        self.levels.append(self._confirm(kept, msgspec.structs.replace(again, reached=kept.reached)))

    def _run_over_file(self, function: str, file: StateFile) -> None:
        memory = self.memory
        memory.clear_marks(memory.merged, memory.plan.merged)
        for count in self.directory.pieces(memory, file, memory.merged, memory.plan.merged):
            self.pool.run_over(function, [(memory.merged, memory.merged + count)], self._check)

    def _digest_of(self, file: StateFile) -> str:
        self.pool.sum_digests()
        self._run_over_file("digest", file)
        return f"{self.pool.sum_digests():032x}"

    def _confirm(self, kept: DiskLevel, again: DiskLevel) -> DiskLevel:
        file = msgspec.structs.replace(kept.file, states=again.file.states)
        if msgspec.structs.replace(again, file=file) != kept or self._digest_of(kept.file) != kept.digest:
            raise self.directory.contradiction_error(f"{kept.file.name} or its record is not what a search finds")
        return kept

    def _progress(self) -> Progress:
        newest = self.levels[-1].file.states if self.levels else 0
        return Progress(len(self.levels), self.distinct + self._fresh, self.generated, newest, self._policy.seconds)

    def _complete_levels(self) -> list[int]:
        return [level.file.states for level in self.levels]

    def _sum_digests(self, pause: Callable[[], None]) -> int:
        return sum(int(level.digest, 16) for level in self.levels)

    def _trace(self, stories: Stories, targets: Mapping[SearchTarget, int]) -> dict[str, Path]:
        tracer = DiskTracer(self.system, self.memory, self.directory, self.levels, stories)
        try:
            return self.seen_targets.by_name(tracer.paths(targets))
        except Stopped:
            self.is_over = False
            raise


def search(model: BoundModel, directory: FilePath, request: Request) -> Searched:
    """Explore a model with its levels in this directory. Raises UsageError, ModelError or FoundFault."""
    ir = model.ir
    refuse_several(ir.name, 1 + len(model.others), "a search on disk begins in one")
    if ir.constraints:
        raise UsageError(f"{ir.name} has constraints, with which no search is kept on disk: leave --disk out.")
    system = lower(model, request.properties)
    if request.symmetry:
        check_graph(system, request.properties)
    try:
        return explore(system, directory, request)
    except CheckpointRefused as refused:
        raise UsageError(f"{refused}.") from None


def explore(
    system: ScalarSystem, directory: FilePath, request: Request, plan: Callable[[WorkerPool], MemoryPlan] | None = None
) -> Searched:
    """Search a system; `plan` says how memory is divided. Raises UsageError, FoundFault, TooWide, CheckpointRefused."""
    lowered = Lowered.of(system, request.properties, request.symmetry, more=ON_DISK)
    chosen, began = plan or partial(memory_plan, request.limits.memory), None
    with closing(DiskDirectory(directory, search_key(lowered.ir, system, request))) as kept:
        machine = lowered.machine()
        if not kept.manifest.exists():
            kept.remove_all()
            with closing(SearchInMemory(machine, system, request, kept, chosen)) as first, suppress(OutgrewMemory):
                return first.run()
            chosen, began = (lambda _: first.plan), first.began
        with closing(DiskSearch(machine, system, request, kept, chosen, began)) as search:
            return search.run()
