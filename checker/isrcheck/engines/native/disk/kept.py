"""A search whose complete levels are kept in a directory, from which the same search may go on."""

import time

from isrcheck.engines.common.growth import SearchNeedsSlots
from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import FoundFault, Searched
from isrcheck.engines.native.disk.directory import DiskDirectory, DiskLevel
from isrcheck.engines.native.disk.files import StateFile
from isrcheck.engines.native.search import LevelSearch

_COMMIT_SECONDS = 1.0  # between two manifests, each after a sync of what was written


class KeptSearch(LevelSearch):
    directory: DiskDirectory
    is_over = False  # nothing is left to look for

    def keep_in(self, directory: DiskDirectory) -> None:
        self.directory = directory
        self.levels: list[DiskLevel] = []  # complete ones
        self._visited: list[StateFile] = []
        self._committed, self._commit_next = 0, 0.0

    def _record(self, file: StateFile, digest: int) -> DiskLevel:
        """The record of the newest level, and of what is known when it is complete."""
        actions = self._machine.program.actions
        counts, (_, *reached) = self.pool.total("counts", actions + 1), self.pool.total("reached", actions + 1)
        positions = [list(pair) for pair in self.seen_targets.positions]
        return DiskLevel(file, f"{digest:032x}", counts, [1, *(count % 2**64 for count in reached)], positions)

    def _commit(self) -> None:
        if time.perf_counter() >= self._commit_next and len(self.levels) > self._committed:
            self.directory.commit(self.levels, self._visited)
            self._committed = len(self.levels)
            self._commit_next = time.perf_counter() + _COMMIT_SECONDS

    def _commit_last(self) -> bool:
        """Keep the last levels, too; False if the disk is full, which keeps the manifest before."""
        self._commit_next = 0.0
        try:
            self._commit()
        except Stopped:
            return False
        return True

    def _conclude(self, cut: str | None) -> Searched:
        """The files stay only where the same search may go on from them."""
        try:
            answer = self._answer(cut)
        except (FoundFault, SearchNeedsSlots):
            self.directory.remove_all()
            raise
        if answer.cut is None or self.is_over:
            self.directory.remove_all()
        return answer
