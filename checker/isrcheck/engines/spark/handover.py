"""The search in one process while levels are small, its handover to the cluster, and the check of a log to resume."""

from collections import defaultdict
from contextlib import closing
from itertools import accumulate

import msgspec

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.disk.directory import SEARCHED_AGAIN
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.workers import Segments
from isrcheck.engines.spark.level_log import BucketFile, Level, LevelLog, read_states, write_states
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.ir.frozen import replace
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.process.budget import OutOfBudget

_FULL_LEVELS = 8  # a search of so many levels' states is handed over too


class HandOver(Exception):
    """The search is to go on elsewhere."""


class Contradiction(Exception):
    """The states of a checkpoint are not those of a search, or not what its records say."""


class Snapshot(msgspec.Struct, frozen=True):
    """All that is known of a search but its states."""

    levels: list[int]  # states in each
    counts: list[int]
    reached: list[int]
    targets_seen: list[list[int]]  # position of a target and the level in which it was first seen


def snapshot_of(search: NativeSearch) -> Snapshot:
    actions = search.pool.machine.program.actions
    return Snapshot(
        levels=[sum(end - start for start, end in level) for level in search.store.levels],
        counts=search.pool.total("counts", actions + 1),
        reached=search.pool.total("reached", actions + 1),
        targets_seen=sorted(list(pair) for pair in search.seen_targets.positions),
    )


class LocalSearch(NativeSearch):
    """The native search, while no level has more than so many states."""

    def __init__(self, compiled: Machine, system: ScalarSystem, request: Request, max_states: int) -> None:
        super().__init__(compiled, system, request)
        self._max_states = max_states
        self.kept = Snapshot([], [], [], [])  # at the end of the last complete level

    def _end_level(self) -> None:
        super()._end_level()
        self.kept = snapshot_of(self)

    def _expand_newest(self) -> None:
        if self.kept.levels[-1] > self._max_states or self.distinct > _FULL_LEVELS * self._max_states:
            raise HandOver
        super()._expand_newest()


def write_levels(plan: KernelPlan, log: LevelLog, local: LocalSearch, complete: bool = False) -> None:
    """Commit complete levels at once; then an empty one if the search is complete."""
    kept = snapshot_of(local) if complete else local.kept
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
        targets_seen=tuple((position, level) for position, level in kept.targets_seen),
        digest=local.digest_of([each for level in levels_kept for each in level]),
    )
    log.commit(*([*levels, last] if complete else [*levels[:-1], last]))


def _parts(log: LevelLog, shard: Shard, number: int, ranges: Segments) -> tuple[BucketFile, ...]:
    pieces_of: dict[int, list[bytes]] = defaultdict(list)
    for first, end in ranges:
        for bucket, states, _ in shard.partition(first, end):
            pieces_of[bucket].append(states.to_pybytes())
    return tuple(
        write_states(log.storage, number, bucket, b"".join(pieces), shard.size)
        for bucket, pieces in sorted(pieces_of.items())
    )


def verify(system: ScalarSystem, request: Request, plan: KernelPlan, log: LevelLog) -> None:
    """Compare all levels of a log with their files, and the first ones with a search. Raises StorageFailed."""
    last, targets = log.levels[-1], len(plan.program.targets)
    try:
        if len(last.counts) != plan.program.actions + 1 or any(
            position >= targets for position, _ in last.targets_seen
        ):
            raise Contradiction("its records are of other actions or properties")
        with Shard(plan) as shard:
            digests = [_digest_of_files(shard, log, level) for level in log.levels]
        if sum(digests) % DIGEST_MODULUS != last.digest % DIGEST_MODULUS:
            raise Contradiction("its states do not have the digest that is stated")
        unlimited = replace(request, limits=Limits(), workers=1, progress=lambda _: None, visited=None)
        with closing(LocalSearch(plan.machine(), system, unlimited, 0)) as local:
            _compare_with_search(local, log, digests)
    except Stopped as reason:  # by the limits of the whole run: this search has none of its own
        raise OutOfBudget(str(reason)) from None
    except Contradiction as reason:
        raise log.storage.contradiction_error(str(reason)) from None


def _digest_of_files(shard: Shard, log: LevelLog, level: Level) -> int:
    """The digest of a level's states as its files have them. Raises Contradiction, or StorageFailed."""
    shard.forget_counts()
    digest = 0
    for bucket_file in level.parts:
        count = 0
        for piece in read_states(log.storage, bucket_file.file, shard.size):
            here = shard.load([piece])
            count, digest = count + here, shard.digest(0, here)
            if shard.buckets_of(here) != {bucket_file.bucket}:
                raise Contradiction(f"{bucket_file.file.name} has states of another bucket")
        if count != bucket_file.states:
            raise Contradiction(f"{bucket_file.file.name} has {count:,} states, and {bucket_file.states:,} are stated")
    return digest


def _compare_with_search(search: LocalSearch, log: LevelLog, digests: list[int]) -> None:
    """Search the first levels again, and compare their states; of a small log the counts too. Raises Contradiction."""
    last, first = log.levels[-1], sum(end <= SEARCHED_AGAIN for end in accumulate(each.states for each in log.levels))
    search.repeat(first)
    for number, ranges in enumerate(search.store.levels):
        size = sum(end - start for start, end in ranges)
        if (size, search.digest_of(ranges)) != (log.levels[number].states, digests[number] % DIGEST_MODULUS):
            raise Contradiction(f"level {number + 1} does not have the states that the search reaches")
    if first < len(log.levels):
        return
    reached = snapshot_of(search)
    stated = Snapshot(reached.levels, list(last.counts), list(last.reached), sorted(map(list, last.targets_seen)))
    if stated != reached:
        raise Contradiction(f"its records state {stated}, and the search comes to {reached}")
