"""The first levels of a search on disk, while memory holds all their states: each is written when it is complete."""

from collections.abc import Callable, Iterator, Mapping

from isrcheck.engines.common.story import Stories
from isrcheck.engines.common.targets import NoRoom, NothingLeft, SearchTarget, Stopped
from isrcheck.engines.contract import Path, Request
from isrcheck.engines.native.disk.directory import DiskDirectory, level_name
from isrcheck.engines.native.disk.kept import KeptSearch
from isrcheck.engines.native.disk.memory import MemoryPlan
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.search import NativeSearch, may_compact
from isrcheck.engines.native.workers import WorkerPool, physical_bytes
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem

_AT_ONCE = 1 << 14  # states that are written between two looks at whether to stop


class OutgrewMemory(Exception):
    """A search whose complete levels are in its directory, and whose next one does not fit into memory."""


class SearchInMemory(KeptSearch, NativeSearch):
    def __init__(
        self,
        compiled: Machine,
        system: ScalarSystem,
        request: Request,
        directory: DiskDirectory,
        plan: Callable[[WorkerPool], MemoryPlan],
    ) -> None:
        limits = replace(request.limits, memory=request.limits.memory or physical_bytes() // 2)
        compacts = may_compact(compiled.program, system, request)
        super().__init__(compiled, system, replace(request, limits=limits), compacts)
        self.plan, self._sums_levels, self._digest_before = plan(self.pool), True, 0
        self.keep_in(directory)

    @property
    def began(self) -> float:
        return self._policy.began

    def _check(self) -> None:
        super()._check()
        if self.distinct > self.plan.in_memory:
            raise NoRoom("when memory was to hold no more states")

    def _end_level(self) -> None:
        super()._end_level()
        file = self.directory.write_plain(self.pool, level_name(len(self.levels)), self._newest())
        self.levels.append(self._record(file, self._digest - self._digest_before))
        self._digest_before = self._digest
        self._commit()

    def _newest(self) -> Iterator[tuple[int, int]]:
        for start, end in self.store.levels[-1]:
            for first in range(start, end, _AT_ONCE):
                if first > start:
                    self._check()
                yield first, min(first + _AT_ONCE, end)

    def _end(self, reason: Stopped) -> None:
        self.is_over = isinstance(reason, NothingLeft)
        if self._commit_last() and isinstance(reason, NoRoom):
            raise OutgrewMemory
        super()._end(reason)

    def _trace(self, stories: Stories, targets: Mapping[SearchTarget, int]) -> dict[str, Path]:
        try:
            return super()._trace(stories, targets)
        except Stopped as reason:
            if isinstance(reason, NoRoom) and not self._policy.interrupted and self._commit_last():
                raise OutgrewMemory from None
            self.is_over = False
            raise
