"""The search while its levels are small, in this process, and its way to the cluster when they grow."""

from collections import defaultdict

from isrcheck.engines.contract import Request
from isrcheck.engines.native.checkpoint import Snapshot
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.verify import Contradiction
from isrcheck.engines.native.workers import Segments
from isrcheck.engines.spark.level_log import BucketFile, Level, LevelLog
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.tasks import write_states
from isrcheck.ir.scalar import ScalarSystem

_FULL_LEVELS = 8  # a search of so many levels' worth of states is handed over too, so that this process stays small


class HandOver(Exception):
    """The search is to go on elsewhere."""


class LocalSearch(NativeSearch):
    """The native search, for as long as no level has more than so many states."""

    def __init__(self, compiled: Machine, system: ScalarSystem, request: Request, most: int) -> None:
        super().__init__(compiled, system, request)
        self._most = most
        self.kept = Snapshot([], 0, [], [], [])  # how things stood at the end of the last complete level

    def _keep_level(self) -> None:
        self.kept = self.snapshot()

    def _after_level(self) -> None:
        if self.kept.levels[-1] > self._most or self.distinct > _FULL_LEVELS * self._most:
            raise HandOver

    def expand_last(self) -> None:
        """Take the steps of the last level, none of which leads to a new state. Raises Contradiction."""
        self._expand_newest()
        if self.store.levels[-1]:
            raise Contradiction("its last level leads to states that it lacks")
        self.store.drop_empty_level()

    def digest_of(self, ranges: Segments) -> int:
        """The sum of the hashes of these states."""
        for worker in self.pool.workers:
            worker.digest_low = worker.digest_high = 0
        self.pool.run_over("digest", ranges)
        return sum(worker.digest_low + (worker.digest_high << 64) for worker in self.pool.workers)


def write_levels(plan: KernelPlan, log: LevelLog, local: LocalSearch, complete: bool = False) -> None:
    """Commit all complete levels of a search in this process at once; after them an empty one if it is complete."""
    kept = local.snapshot() if complete else local.kept
    if not kept.levels:
        return
    levels_kept = local.store.levels[: len(kept.levels)]
    with Shard(plan, local.pool, local.store) as shard:
        parts = [_parts(log, shard, number, ranges) for number, ranges in enumerate(levels_kept)]
    zeros = (0,) * len(kept.counts)
    levels = [Level(each, zeros, zeros, (), 0) for each in parts]
    last = Level(
        parts=() if complete else parts[-1],
        counts=tuple(kept.counts),
        reached=tuple(kept.reached),
        seen=tuple((position, level) for position, level in kept.seen),
        digest=local.digest_of([each for level in levels_kept for each in level]),
    )
    log.commit(*([*levels, last] if complete else [*levels[:-1], last]))


def _parts(log: LevelLog, shard: Shard, number: int, ranges: Segments) -> tuple[BucketFile, ...]:
    """Write one level's states, each to its bucket."""
    found: dict[int, list[bytes]] = defaultdict(list)
    for first, end in ranges:
        for piece in shard.partition(first, end, end - first):
            found[piece.bucket].append(piece.states)
    return tuple(
        write_states(log.storage, number, bucket, b"".join(pieces), shard.size)
        for bucket, pieces in sorted(found.items())
    )
