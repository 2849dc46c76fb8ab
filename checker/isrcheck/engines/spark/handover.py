"""The search in one process while levels are small, its handover to the cluster, and the check of a log to resume."""

import ctypes
from collections import defaultdict
from contextlib import closing
from itertools import accumulate

from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.kept_directory import SEARCHED_AGAIN
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.workers import Segments
from isrcheck.engines.spark.level_log import (
    BucketFile,
    CheckpointVerifier,
    Contradiction,
    Level,
    LevelLog,
    Snapshot,
    snapshot_of,
)
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.state_files import read_states, write_states
from isrcheck.ir.frozen import replace
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem

_FULL_LEVELS = 8  # a search of so many levels' states is handed over too


class HandOver(Exception):
    """The search is to go on elsewhere."""


class LocalSearch(NativeSearch):
    """The native search, while no level has more than so many states."""

    def __init__(self, compiled: Machine, system: ScalarSystem, request: Request, most: int) -> None:
        super().__init__(compiled, system, request)
        self._most = most
        self.kept = Snapshot([], 0, [], [], [])  # at the end of the last complete level

    def _end_level(self) -> None:
        self.kept = snapshot_of(self)

    def _expand_newest(self) -> None:
        if self.kept.levels[-1] > self._most or self.distinct > _FULL_LEVELS * self._most:
            raise HandOver
        super()._expand_newest()

    def expand_last(self) -> None:
        """Take the last level's steps, all to known states. Raises Contradiction."""
        super()._expand_newest()
        if self.store.levels[-1]:
            raise Contradiction("its last level leads to states that it lacks")
        self.store.drop_empty_level()


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
    """Compare all levels of a log with their files. Raises StorageFailed."""
    last, targets = log.levels[-1], len(plan.program.targets)
    try:
        if len(last.counts) != plan.program.actions + 1 or any(
            position >= targets for position, _ in last.targets_seen
        ):
            raise Contradiction("its records are of other actions or properties")
        for number, level in enumerate(log.levels):
            _confirm_files(plan, log, number, level)
        first = sum(end <= SEARCHED_AGAIN for end in accumulate(level.states for level in log.levels if level.states))
        unlimited = replace(request, limits=Limits(), workers=1, progress=lambda _: None, visited=None)
        with closing(LocalSearch(plan.machine(), system, unlimited, 0)) as local:
            _search_again(local, log, first)
    except Contradiction as reason:
        raise log.storage.contradiction_error(str(reason)) from None


def _confirm_files(plan: KernelPlan, log: LevelLog, number: int, level: Level) -> None:
    for bucket_file in level.parts:
        count = 0
        with Shard(plan) as shard:
            for piece in read_states(log.storage, bucket_file.file, shard.size):
                here = shard.load([piece])
                count += here
                if shard.buckets_of(here) != {bucket_file.bucket}:
                    raise Contradiction(f"{bucket_file.file.name} has states of another bucket")
        if count != bucket_file.states:
            raise Contradiction(f"{bucket_file.file.name} has {count:,} states, and {bucket_file.states:,} are stated")
    if number == 0 and level.states != 1:
        raise Contradiction("level 1 is not the initial state")


def _search_again(search: LocalSearch, log: LevelLog, first: int) -> None:
    last, size = log.levels[-1], search.store.state_bytes
    address = search.store.states.address
    for bucket_file in (each for level in log.levels[:first] for each in level.parts):
        for piece in read_states(log.storage, bucket_file.file, size):
            ctypes.memmove(address, piece.address, piece.size)
            address += piece.size
    kept = Snapshot(
        levels=[level.states for level in log.levels[:first]],
        distinct=sum(level.states for level in log.levels[:first]),
        counts=list(last.counts),
        reached=list(last.reached),
        targets_seen=list(map(list, last.targets_seen)),
    )
    verifier = CheckpointVerifier(search, kept, lambda: None)
    verifier.confirm()
    if kept.distinct < log.distinct:
        return
    if not last.states:
        search.expand_last()
    verifier.compare()
    if search.digest_of(search.store.all) != last.digest % DIGEST_MODULUS:
        raise Contradiction("its states do not have the digest that is stated")
