"""What a log says, compared with its files, before a search goes on from them.

Every file is counted and every state has its bucket. The first levels are searched again in this process.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.checkpoint import Snapshot
from isrcheck.engines.native.verify import SEARCHED_AGAIN, CheckpointVerifier, Contradiction
from isrcheck.engines.spark.handover import LocalSearch
from isrcheck.engines.spark.level_log import Level, LevelLog
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.tasks import read_states
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem


def verify(system: ScalarSystem, request: Request, plan: KernelPlan, log: LevelLog) -> None:
    """Compare all levels of a log with their files. Raises StorageFailed."""
    last, targets = log.levels[-1], len(plan.program.targets)
    try:
        if len(last.counts) != plan.program.actions + 1 or any(position >= targets for position, _ in last.seen):
            raise Contradiction("its records are of other actions or properties")
        for number, level in enumerate(log.levels):
            _confirm_files(plan, log, number, level)
        levels = [level for level in log.levels if level.states]
        ends = [sum(each.states for each in levels[: number + 1]) for number in range(len(levels))]
        first = len(list(takewhile(lambda end: end <= SEARCHED_AGAIN, ends)))
        unlimited = replace(request, limits=Limits(), workers=1, progress=lambda _: None, visited=None)
        search = LocalSearch(plan.machine(), system, unlimited, 0)
        try:
            _search_again(search, log, first)
        finally:
            search.close()
    except Contradiction as reason:
        raise log.storage.contradicted(str(reason)) from None


def _confirm_files(plan: KernelPlan, log: LevelLog, number: int, level: Level) -> None:
    for part in level.parts:
        count = 0
        with Shard(plan) as shard:
            for piece in read_states(log.storage, part.file, shard.size):
                here = shard.load([piece])
                count += here
                if shard.buckets_of(here) != {part.bucket}:
                    raise Contradiction(f"{part.file.name} has states of another bucket")
        if count != part.states:
            raise Contradiction(f"{part.file.name} has {count:,} states, and {part.states:,} are stated")
    if number == 0 and level.states != 1:
        raise Contradiction("level 1 is not the initial state")


def _search_again(search: LocalSearch, log: LevelLog, first: int) -> None:
    """Search so many levels again and compare them with the files, and all counts if these are all levels."""
    last, size = log.levels[-1], search.store.state_bytes
    address = search.store.states.address
    for piece in _states(log, first, size):
        ctypes.memmove(address, piece.address, piece.size)
        address += piece.size
    kept = Snapshot(
        levels=[level.states for level in log.levels[:first]],
        distinct=sum(level.states for level in log.levels[:first]),
        counts=list(last.counts),
        reached=list(last.reached),
        seen=[list(pair) for pair in last.seen],
    )
    verifier = CheckpointVerifier(search, kept, lambda: None)
    verifier.confirm()
    if kept.distinct < log.distinct:
        return
    if not last.states:
        search.expand_last()
    verifier.compare()
    if search.digest_of(search.store.all) % DIGEST_MODULUS != last.digest % DIGEST_MODULUS:
        raise Contradiction("its states do not have the digest that is stated")


def _states(log: LevelLog, first: int, size: int) -> Iterator[Any]:
    for level in log.levels[:first]:
        for part in level.parts:
            yield from read_states(log.storage, part.file, size)
