"""Breadth-first search, level by level, by any number of workers: the same answer for each number of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import zip_longest
from typing import TYPE_CHECKING

from isrcheck.engines.common.growth import FOR_SLOTS, SearchNeedsSlots
from isrcheck.engines.common.story import Stories
from isrcheck.engines.common.targets import SearchTarget, SeenTargets, Stopped, StopPolicy
from isrcheck.engines.contract import Path, Progress, Request, Searched
from isrcheck.engines.native.kernel.records import MOST_ACTIONS, MOST_WORDS
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.program import Program
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.trace import NativeTracer, canonical_words
from isrcheck.engines.native.workers import Segments, WorkerPool
from isrcheck.ir.codec import NeedsSlots
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.process.budget import phase

if TYPE_CHECKING:  # for large searches alone
    from isrcheck.engines.native.quotient_store import QuotientStore

COMPACT_FROM = 1 << 24  # states; below, numbered ones take no more memory than larger searches do at their end
COMPACT_SHARE = 1 / 3  # of memory, from which on states of more than two words become keys: these take more time


def may_compact(program: Program, system: ScalarSystem, request: Request) -> bool:
    """Whether it saves memory, and nobody asks for numbers, or for all states at the end."""
    return system.outside is None and 1 < program.words <= MOST_WORDS and request.visited is None


class LevelSearch(ABC):
    """A search level by level, whether its states are in memory or on disk."""

    def __init__(self, compiled: Machine, system: ScalarSystem, request: Request) -> None:
        self.system, self._request = system, request
        self._machine, self._targets = compiled, compiled.program.targets
        self._policy = StopPolicy(request, {each.name: each.kind for each in system.properties})
        self._outside: list[int] = []  # by level judged: the states at which a constraint ends the search
        self.pool = WorkerPool(compiled, max(1, request.workers))
        self.seen_targets = SeenTargets(self._targets, request)

    def run(self) -> Searched:
        phase("")
        cut: str | None = None
        with self._policy.stop_request.listen_to_signals():
            try:
                self._begin()
                self._go_on()
            except Stopped as reason:
                cut = str(reason)
                self._end(reason)
            return self._conclude(cut)

    def _go_on(self) -> None:
        while True:
            self._end_level()
            decided = self.seen_targets.names_decided()
            self._policy.after_level(decided, self.distinct, self._level_count)
            self._check()
            if not self._make_level():
                return

    @abstractmethod
    def _begin(self) -> None:
        """Make the first level, or those that are there."""

    @abstractmethod
    def _end(self, reason: Stopped) -> None:
        """Leave what was found in good order after the search was stopped."""

    def _conclude(self, cut: str | None) -> Searched:
        return self._answer(cut)

    @abstractmethod
    def _end_level(self) -> None:
        """Called when every state of a level is known and judged."""

    @abstractmethod
    def _make_level(self) -> bool:
        """Make and judge the next level; False if there are no new states."""

    @property
    @abstractmethod
    def _level_count(self) -> int: ...

    @property
    @abstractmethod
    def distinct(self) -> int:
        """The states of all levels, those outside too."""

    @property
    def generated(self) -> int:
        return self.system.started + sum(self.pool.total("counts", self._machine.program.actions))

    def record_targets(self, level: int) -> None:
        """Remember the targets seen up to now and not before this level."""
        self.seen_targets.add(self.pool.total("targets_seen", len(self._targets)), level)

    def _check(self) -> None:
        self._policy.check(self.distinct, self._progress)

    @abstractmethod
    def _progress(self) -> Progress: ...

    def _answer(self, cut: str | None) -> Searched:
        actions = self._machine.program.actions
        *counts, pruned = self.pool.total("counts", actions + 1)
        levels, paths = self._complete_levels(), dict[str, Path]()
        digest: str | None = None
        needs: NeedsSlots | None = None
        pause = self._policy.limit_for_traces()  # a violation is still shown, if its trace is soon found
        stories = Stories(self.system.actors, pause, self._request.stories)
        self.pool.share(self.distinct // max(1, self._level_count))
        try:
            paths = self._trace(stories, self.seen_targets.levels_for_paths())
        except Stopped as reason:  # without its trace no violation is known, and so nothing holds
            cut = cut or str(reason)
        except NeedsSlots as too_few:
            needs, cut = too_few, FOR_SLOTS
            levels = levels[: self.seen_targets.first_fault + 1]  # the next one lacks what had no room
            with suppress(Stopped):
                paths = self._trace(stories, self.seen_targets.levels_requested())
        if cut is None:
            with suppress(Stopped):  # verdicts need no digest
                digest = f"{self._sum_digests(pause) % DIGEST_MODULUS:032x}"
        answer = Searched(
            distinct=self.distinct - sum(self._outside),
            generated=self.system.started + sum(counts),
            depth=len(levels),
            levels=tuple(levels),
            pruned=pruned,
            outside=sum(self._outside),
            digest=digest,
            cut=cut,
            interrupted=self._policy.interrupted,
            paths=paths,
            action_generated=tuple(counts),
            action_distinct=tuple(count % 2**64 for count in self.pool.total("reached", actions + 1)[1:]),
            seconds=self._policy.seconds,
            untold=stories.untold(paths),
        )
        if needs is not None:
            raise SearchNeedsSlots(needs.variable, answer)
        return answer

    @abstractmethod
    def _complete_levels(self) -> list[int]:
        """The states of each complete level, without those outside."""

    @abstractmethod
    def _trace(self, stories: Stories, targets: Mapping[SearchTarget, int]) -> dict[str, Path]:
        """The paths by property to these targets, each with its level."""

    @abstractmethod
    def _sum_digests(self, pause: Callable[[], None]) -> int:
        """The sum of all states' digests."""


class NativeSearch(LevelSearch):
    """A search in memory. With `compacts` a large one keeps neither its states nor their numbers."""

    def __init__(self, compiled: Machine, system: ScalarSystem, request: Request, compacts: bool = False) -> None:
        super().__init__(compiled, system, request)
        self._complete = 0  # levels of which every state is known and judged
        self.store = Store(self.pool, request.limits.memory)
        self._compacts = compacts and compiled.program.actions <= MOST_ACTIONS
        self._digest, self._sums_levels = 0, False  # of each level as it is judged; from where it is compacted on
        self._quotients: QuotientStore | None = None

    def close(self) -> None:
        self._machine.close()
        self._release()

    def _release(self) -> None:
        self._close_stores()
        self.pool.close()

    def _close_stores(self) -> None:
        if self._quotients is not None:
            self._quotients.close()
        self.store.close()

    def _begin(self) -> None:
        self._seed()
        self._judge_newest()

    def _end_level(self) -> None:
        self._complete = len(self.store.levels)

    @property
    def _level_count(self) -> int:
        return len(self.store.levels)

    def _make_level(self) -> bool:
        if self._compacts and self._quotients is None and self._is_large():
            self._compact()
        self._expand_newest()
        if not self.store.levels[-1]:
            self.store.drop_empty_level()
            return False
        self._judge_newest()
        return True

    def _is_large(self) -> bool:
        is_quick = self._machine.program.words == 2
        return self.distinct >= COMPACT_FROM and (is_quick or self.store.share_of_memory() >= COMPACT_SHARE)

    def _seed(self) -> None:
        self.store.begin_level()
        self.store.make_room(len(self.system.initials))
        for first in self.system.initials:
            canonical_words(self.pool, self._machine.program.packing.pack(first))
            self.pool.call("insert_initial")
        self.store.update_level()

    def _expand_newest(self) -> None:
        frontier = self.store.levels[-1]
        size = sum(end - start for start, end in frontier)
        room = self._quotients or self.store
        self.pool.share(size)
        room.begin_level()
        room.make_room(self.distinct)
        self.pool.run_over("advance_quotient" if self._quotients else "advance", frontier, self._pause)
        self.store.update_level()
        self.record_targets(len(self.store.levels) - 2)

    def _judge_newest(self) -> None:
        self.pool.run_over("examine", self.store.levels[-1])
        self._outside.append(sum(worker.outside for worker in self.pool.workers) - sum(self._outside))
        self.record_targets(len(self.store.levels) - 1)
        if self._sums_levels:
            self._digest += self.digest_of(self.store.levels[-1])

    def _compact(self) -> None:
        if not self._sums_levels:
            self._digest, self._sums_levels = self.digest_of(self.store.all, self._check), True
        from isrcheck.engines.native.quotient_store import QuotientStore

        self._quotients = QuotientStore(self.pool, self.store, self._request.limits.memory)
        self._quotients.convert(self.distinct, self._check)

    def _end(self, reason: Stopped) -> None:
        """Look at what the newest level has."""
        levels = self.store.levels
        if self._complete == len(levels):
            return
        self.record_targets(len(levels) - 2)
        if self.store.update_level():
            self._judge_newest()
        self.store.drop_empty_level()

    def _pause(self) -> None:
        self._check()
        (self._quotients or self.store).make_room(self.distinct)

    def _check(self) -> None:
        self._machine.poll()
        super()._check()

    def _progress(self) -> Progress:
        newest = sum(end - start for start, end in self.store.levels[-1])
        return Progress(self._complete, self.distinct, self.generated, newest, self._policy.seconds)

    @property
    def distinct(self) -> int:
        return sum(worker.distinct for worker in self.pool.workers)

    def _complete_levels(self) -> list[int]:
        sizes = (sum(end - start for start, end in level) for level in self.store.levels[: self._complete])
        levels = [size - outside for size, outside in zip_longest(sizes, self._outside[: self._complete], fillvalue=0)]
        if levels and not levels[-1]:
            levels.pop()
        return levels

    def _answer(self, cut: str | None) -> Searched:
        answer = super()._answer(cut)
        if answer.digest is not None and self._request.visited:
            for piece in self.store.pack(self.store.all):
                self._request.visited(piece)
        return answer

    def _sum_digests(self, pause: Callable[[], None]) -> int:
        return self._digest if self._sums_levels else self.digest_of(self.store.all, pause)

    def _trace(self, stories: Stories, targets: Mapping[SearchTarget, int]) -> dict[str, Path]:
        if self._quotients is not None and targets:
            return self._trace_again(stories, targets)
        tracer = NativeTracer(self.system, self.pool, self.store, stories)
        return self.seen_targets.by_name(tracer.paths(targets))

    def _trace_again(self, stories: Stories, targets: Mapping[SearchTarget, int]) -> dict[str, Path]:
        """A compacted search has no states to trace: the levels to the last target are searched again, in its room."""
        self._close_stores()
        again = _Repeated(self._machine, self.system, self._request, stories.pause)
        try:
            again.repeat(1 + max(targets.values()), judges=False)
            tracer = NativeTracer(self.system, again.pool, again.store, stories)
            return self.seen_targets.by_name(tracer.paths(targets))
        finally:
            again.release()

    def repeat(self, levels: int, judges: bool = True) -> None:
        """Search the first levels, and judge their states or not; raises Stopped."""
        self._seed()
        while True:
            if judges:
                self._judge_newest()
            if len(self.store.levels) >= levels:
                return
            NativeSearch._expand_newest(self)

    def digest_of(self, ranges: Segments, pause: Callable[[], None] = lambda: None) -> int:
        self.pool.sum_digests()
        self.pool.run_over("digest", ranges, pause)
        return self.pool.sum_digests()


class _Repeated(NativeSearch):
    """The first levels of a search once more, which keep their states."""

    def __init__(self, compiled: Machine, system: ScalarSystem, request: Request, pause: Callable[[], None]) -> None:
        super().__init__(compiled, system, request)
        self._check_instead = pause

    def release(self) -> None:
        self._release()

    def _check(self) -> None:
        self._check_instead()
