"""Breadth-first search with its states on disk: successors are sorted, and duplicates found a level at a time."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import accumulate

import msgspec

from isrcheck.engines.common.growth import FOR_SLOTS, SearchNeedsSlots
from isrcheck.engines.common.targets import AT_FIRST, NothingLeft, SearchTarget, SeenTargets, Stopped, StopPolicy
from isrcheck.engines.contract import FoundFault, Path, Progress, Request, Searched
from isrcheck.engines.native.disk.directory import DiskDirectory, DiskLevel, DiskManifest, level_name
from isrcheck.engines.native.disk.files import SortedFile
from isrcheck.engines.native.disk.memory import FILES, DiskMemory, MemoryPlan
from isrcheck.engines.native.disk.merge import Merger
from isrcheck.engines.native.disk.trace import DiskTracer
from isrcheck.engines.native.kept_directory import SEARCHED_AGAIN
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.trace import canonical_words
from isrcheck.engines.native.workers import Segments, WorkerPool
from isrcheck.ir.codec import NeedsSlots
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.process.budget import phase

_ALONE_BELOW = 4096  # states for each worker; a smaller level is not worth waking the others
_COMMIT_SECONDS = 1.0  # between two manifests, each after a sync of what was written
_EXPECTED = 4  # new or old states to which a state of a level leads, to begin with


class DiskSearch:
    def __init__(
        self,
        compiled: Machine,
        system: ScalarSystem,
        request: Request,
        directory: DiskDirectory,
        plan: Callable[[WorkerPool], MemoryPlan],
    ) -> None:
        self.system, self._request, self.directory = system, request, directory
        self._machine, self._targets = compiled, compiled.program.targets
        self._policy = StopPolicy(request, {each.name: each.kind for each in system.properties})
        self._on_first = request.on_first
        self.pool = WorkerPool(compiled, max(1, request.workers))
        self.memory = DiskMemory(self.pool, plan(self.pool))
        self.merger = Merger(self.memory, directory, self._check)
        self.seen_targets = SeenTargets(self._targets, request)
        self.levels: list[DiskLevel] = []  # complete ones
        self.distinct = 0  # states of them
        self._visited: list[SortedFile] = []
        self._runs: list[SortedFile] = []
        self._confirming: list[DiskLevel] = []  # kept levels that are searched again
        self._written = 0  # files that have a number of their own
        self._fresh = 0  # states of the level that is being made
        self._committed, self._commit_next = 0, 0.0
        self._is_over = False  # nothing is left to look for

    def close(self) -> None:
        self._machine.close()
        self.merger.close()
        self.pool.close()
        self.memory.close()

    def run(self) -> Searched:
        kept = self.directory.load(self._machine.program.actions, len(self._targets))
        phase("")
        cut: str | None = None
        with self._policy.stop_request.listen_to_signals():
            try:
                if kept is None:
                    self._seed()
                else:
                    self._go_on_from(kept)
                self._levels()
            except Stopped as reason:
                cut = str(reason)
                self._is_over = isinstance(reason, NothingLeft)
                self._forget_unfinished()
                self._commit_last()
            return self._conclude(cut)

    def _conclude(self, cut: str | None) -> Searched:
        """Return the answer, and remove the files unless the same search may go on from them."""
        try:
            answer = self._answer(cut)
        except (FoundFault, SearchNeedsSlots):
            self.directory.remove_all()
            raise
        if answer.cut is None or self._is_over:
            self.directory.remove_all()
        return answer

    def _levels(self) -> None:
        while True:
            self._commit_if_due()
            decided = self.seen_targets.names_decided()
            self._policy.after_level(decided, self.distinct, len(self.levels))
            if self._on_first is not None and self._policy.is_violation(decided):
                self._on_first(self._answer(AT_FIRST))
                self._on_first = None
            self._check()
            if not self._make_level():
                return

    def _seed(self) -> None:
        """The initial state alone."""
        memory = self.memory
        words = canonical_words(self.pool, self._machine.program.packing.pack(self.system.initial))
        memory.begin_buffer(shared=False, expected=1)
        memory.put(memory.merged, words)
        memory.clear_marks(memory.merged, 1)
        self._write_level(self._judge(memory.merged, 1) for _ in (0,))

    def _make_level(self) -> bool:
        """Expand the last level and write the next; return whether it has new states."""
        self._expand(self.levels[-1].file)
        return self._write_level(self._new_states())

    def _expand(self, level: SortedFile) -> None:
        memory = self.memory
        shared = level.states >= _ALONE_BELOW * len(self.pool.workers) > _ALONE_BELOW
        memory.begin_buffer(shared, _EXPECTED * level.states)
        self._make_room()
        try:
            for count in self.directory.pieces(memory, level, memory.frontier, memory.plan.merged):
                self.pool.run_over("advance", [(memory.frontier, memory.frontier + count)], self._pause)
        finally:
            self._record_targets(len(self.levels) - 1)

    def _pause(self) -> None:
        self._check()
        self._make_room()

    def _make_room(self) -> None:
        memory = self.memory
        if not memory.give_room():
            pieces = memory.sort_buffer(self._check)
            self._runs.append(self._write_run(pieces, []))
            memory.begin_buffer(bool(self.pool.run.shared), memory.plan.capacity)
            if not memory.give_room():
                raise AssertionError("an empty buffer has no room")

    def _write_run(self, pieces: Segments, files: list[SortedFile]) -> SortedFile:
        return self.directory.write(self.memory, self._next_name("run"), self.merger.merge(pieces, files), marked=True)

    def _next_name(self, kind: str) -> str:
        self._written += 1
        return f"{kind}-{self._written:06}"

    def _few_runs(self) -> list[SortedFile]:
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
        for worker in self.pool.workers:
            worker.digest_low = worker.digest_high = 0
        name = f"again-{number:06}" if number < len(self._confirming) else level_name(number)
        file = self.directory.write(self.memory, name, states, marked=False)
        self._fresh = 0
        if not file.states:
            self.directory.remove([file])
            return False
        self._record_targets(number)
        self._add_level(DiskLevel(file, self._digest(), *self._counts(), self._seen_positions()))
        return True

    def _digest(self) -> str:
        total = sum(worker.digest_low + (worker.digest_high << 64) for worker in self.pool.workers)
        return f"{total % DIGEST_MODULUS:032x}"

    def _counts(self) -> tuple[list[int], list[int]]:
        actions = self._machine.program.actions
        return self.pool.total("counts", actions + 1), self.pool.total("reached", actions + 1)

    def _seen_positions(self) -> list[list[int]]:
        return [list(pair) for pair in self.seen_targets.positions]

    def _add_level(self, level: DiskLevel) -> None:
        number = len(self.levels)
        if number < len(self._confirming):
            self.directory.remove([level.file])
            level = self._confirm(self._confirming[number], level)
        self.levels.append(level)
        self.distinct += level.file.states
        self._visited.append(level.file)
        if len(self._visited) > FILES:
            self._join_visited()

    def _join_visited(self) -> None:
        """Half as many files, the smallest ones, become one: a state is written again as often as its file doubles."""
        self._visited.sort(key=lambda file: file.states)
        least = self._visited[: FILES // 2]
        states = self.merger.merge([], least, marked=False)
        joined = self.directory.write(self.memory, self._next_name("seen"), states, marked=False)
        self._visited = [*self._visited[FILES // 2 :], joined]

    def _record_targets(self, level: int) -> None:
        self.seen_targets.add(self.pool.total("targets_seen", len(self._targets)), level)

    def _commit_if_due(self) -> None:
        if time.perf_counter() >= self._commit_next and len(self.levels) > self._committed:
            self.directory.commit(self.levels, self._visited)
            self._committed = len(self.levels)
            self._commit_next = time.perf_counter() + _COMMIT_SECONDS

    def _commit_last(self) -> None:
        self._commit_next = 0.0
        with suppress(Stopped):  # a full disk keeps the manifest before
            self._commit_if_due()

    def _forget_unfinished(self) -> None:
        """Remove what was begun of the next level; its steps and what they show stay."""
        self.directory.remove(self._runs)
        self._runs, self._fresh = [], 0
        if self.levels:
            self._write_numbers("reached", self.levels[-1].reached)

    def _write_numbers(self, name: str, numbers: list[int]) -> None:
        for worker in range(len(self.pool.workers)):
            self.pool.words(worker, name, len(numbers))[:] = numbers if worker == 0 else [0] * len(numbers)

    def _go_on_from(self, kept: DiskManifest) -> None:
        """Search the first levels again; of the others judge every state and count its steps."""
        self._committed = len(kept.levels)
        self._written = max(int(file.name.partition("-")[2]) for file in kept.visited)
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
        self.levels, self._visited = list(kept.levels), list(kept.visited)
        self.distinct = sum(level.file.states for level in kept.levels)
        self._write_numbers("reached", kept.levels[-1].reached)
        self.directory.keep_only(kept)

    def _compare_visited(self, kept: DiskManifest) -> None:
        of_levels = {level.file.name: int(level.digest, 16) for level in kept.levels}
        listed = [of_levels.get(file.name) or int(self._digest_of(file), 16) for file in kept.visited]
        if (sum(listed) - sum(of_levels.values())) % DIGEST_MODULUS:
            raise self.directory.contradiction_error("the states seen are not those of its levels")

    def _judge_again(self, number: int, kept: DiskLevel) -> None:
        if number:
            self._run_over_file("recount", self.levels[number - 1].file)
            self._record_targets(number - 1)
        self._run_over_file("examine", kept.file)
        self._record_targets(number)
        counts, _ = self._counts()
        again = DiskLevel(kept.file, self._digest_of(kept.file), counts, kept.reached, self._seen_positions())
        self.levels.append(self._confirm(kept, again))

    def _run_over_file(self, function: str, file: SortedFile) -> None:
        memory = self.memory
        memory.clear_marks(memory.merged, memory.plan.merged)
        for count in self.directory.pieces(memory, file, memory.merged, memory.plan.merged):
            self.pool.run_over(function, [(memory.merged, memory.merged + count)], self._check)

    def _digest_of(self, file: SortedFile) -> str:
        for worker in self.pool.workers:
            worker.digest_low = worker.digest_high = 0
        self._run_over_file("digest", file)
        return self._digest()

    def _confirm(self, kept: DiskLevel, again: DiskLevel) -> DiskLevel:
        if msgspec.structs.replace(again, file=msgspec.structs.replace(again.file, name=kept.file.name)) != kept:
            raise self.directory.contradiction_error(f"{kept.file.name} or its record is not what a search finds")
        return kept

    def _check(self) -> None:
        self._policy.check(self.distinct, self._progress)

    def _progress(self) -> Progress:
        newest = self.levels[-1].file.states if self.levels else 0
        return Progress(len(self.levels), self.distinct + self._fresh, self.generated, newest, self._policy.seconds)

    @property
    def generated(self) -> int:
        return self.system.started + sum(self._counts()[0][:-1])

    def _answer(self, cut: str | None) -> Searched:
        paths: dict[str, Path] = {}
        levels, needs = tuple(level.file.states for level in self.levels), None
        self.pool.run.shared = int(len(self.pool.workers) > 1)
        pause = self._policy.limit_for_traces()  # a violation is still shown, if its trace is soon found
        try:
            paths = self._trace(pause, self.seen_targets.levels_for_paths())
        except Stopped as reason:  # without its trace no violation is known, and so nothing holds
            cut = cut or str(reason)
            self._is_over = False
        except NeedsSlots as too_few:
            needs, cut = too_few, FOR_SLOTS
            levels = levels[: self.seen_targets.first_fault + 1]  # the next one lacks what had no room
            with suppress(Stopped):
                paths = self._trace(pause, self.seen_targets.levels_requested())
        (*counts, pruned), (_, *reached) = self._counts()
        digest = sum(int(level.digest, 16) for level in self.levels) % DIGEST_MODULUS
        answer = Searched(
            distinct=self.distinct,
            generated=self.generated,
            depth=len(levels),
            levels=levels,
            pruned=pruned,
            digest=f"{digest:032x}" if cut is None else None,
            cut=cut,
            interrupted=self._policy.interrupted,
            paths=paths,
            action_generated=tuple(counts),
            action_distinct=tuple(reached),
            seconds=self._policy.seconds,
        )
        if needs is not None:
            raise SearchNeedsSlots(needs.variable, answer)
        return answer

    def _trace(self, pause: Callable[[], None], targets: Mapping[SearchTarget, int]) -> dict[str, Path]:
        tracer = DiskTracer(self.system, self.memory, self.directory, self.levels, pause)
        return self.seen_targets.by_name(tracer.paths(targets))
