"""The levels that a search has committed: a record for each, written last, so that it is complete or not there.

Tasks write files under their attempt's own names; a record names one for each bucket.

The first of them are searched again and compared when a search is resumed.
"""

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Annotated

import msgspec

from isrcheck.engines.native.kept_directory import OTHER_SEARCH, OTHER_VERSION, Count
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.trace import canonical_words
from isrcheck.engines.native.workers import Segments
from isrcheck.engines.spark.storage import Storage, StorageFailed, StoredFile

SCHEMA = "isrcheck.spark/2"
_HEADER = "search.json"


class BucketFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    bucket: Count
    states: Count
    file: StoredFile


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parts: tuple[BucketFile, ...]
    counts: tuple[Count, ...]  # steps by action, then pruned ones
    reached: tuple[Count, ...]  # new states by least action, the initial state first
    targets_seen: tuple[tuple[Count, Count], ...] = msgspec.field(name="seen")  # position of a target, its first level
    digest: Count

    @property
    def states(self) -> int:
        return sum(each.states for each in self.parts)


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    key: str
    buckets: Annotated[int, msgspec.Meta(ge=1)]


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    levels: Annotated[list[Level], msgspec.Meta(min_length=1)]


@dataclass(slots=True)
class LevelLog:
    """The log of a search's complete levels. `key` is from `search_key`."""

    storage: Storage
    key: str
    buckets: int
    levels: list[Level] = field(default_factory=list)

    @property
    def distinct(self) -> int:
        return sum(level.states for level in self.levels)

    def files_of(self, bucket: int) -> tuple[BucketFile, ...]:
        return tuple(each for level in self.levels for each in level.parts if each.bucket == bucket)

    def parts(self, level: int) -> dict[int, BucketFile]:
        return {each.bucket: each for each in self.levels[level].parts}

    def begin(self) -> None:
        """Take the directory. Raises StorageFailed if another search is there."""
        if self.storage.exists(_HEADER):
            raise StorageFailed(f"{self.storage} already holds a checkpoint; resume it or choose another directory.")
        self._put(_HEADER, _Header(SCHEMA, self.key, self.buckets))

    def commit(self, *levels: Level) -> None:
        if any(len({each.bucket for each in level.parts}) != len(level.parts) for level in levels):
            raise AssertionError("a level names two files for one bucket")
        self._put(_record(len(self.levels)), _Record(list(levels)))
        self.levels += levels

    def _put(self, name: str, body: msgspec.Struct) -> None:
        self.storage.put_record(name, msgspec.to_builtins(body))

    def resume(self) -> None:
        """Read the records; raises StorageFailed if there is nothing, or it is damaged or another search's."""
        if not self.storage.exists(_HEADER):
            raise StorageFailed(f"{self.storage} holds no checkpoint of --engine spark to resume.")
        header = self.storage.record(_HEADER)
        for name, wanted, how in (("schema", SCHEMA, OTHER_VERSION), ("key", self.key, OTHER_SEARCH)):
            if header.get(name) != wanted:
                raise StorageFailed(f"the checkpoint in {self.storage} {how}.")
        while self.storage.exists(name := _record(len(self.levels))):
            try:
                self.buckets = msgspec.convert(header, _Header).buckets
                self._add(msgspec.convert(self.storage.record(name), _Record).levels)
            except msgspec.ValidationError as error:
                raise self.storage.contradiction_error(f"{name} is not valid: {error}") from None
            except ValueError as error:
                raise self.storage.contradiction_error(f"{name} has {error}") from None

    def _add(self, levels: list[Level]) -> None:
        """Take levels over. Raises ValueError if they cannot belong to those before."""
        for number, level in enumerate(levels, len(self.levels)):
            _check(level, number)
        self.levels += levels
        first, last = self.levels[0], self.levels[-1]
        if not all(level.parts for level in self.levels[:-1]):
            raise ValueError("a level after the last one")
        if len({len(row) for level in self.levels for row in (level.counts, level.reached)}) != 1:
            raise ValueError("counts of other actions")
        if first.states != 1 or sum(last.reached) != self.distinct:
            raise ValueError(f"counts of {sum(last.reached)} states in place of {self.distinct}")
        if any(each.bucket >= self.buckets for level in self.levels for each in level.parts):
            raise ValueError(f"a part of no bucket of {self.buckets}")
        if any(level >= len(self.levels) for _, level in last.targets_seen):
            raise ValueError("a target seen in a level that is not there")


def folder(level: int) -> str:
    return f"level-{level:05}"


def _record(level: int) -> str:
    return f"{folder(level)}.json"


def _check(level: Level, number: int) -> None:
    """Check a level; raises ValueError for a file or target named twice, or another level's file."""
    if len({each.bucket for each in level.parts}) != len(level.parts):
        raise ValueError("two parts of one bucket")
    if not all(each.states for each in level.parts):
        raise ValueError("a part without states")
    if len(dict(level.targets_seen)) != len(level.targets_seen):
        raise ValueError("a target seen twice")
    for each in level.parts:
        expected = f"{folder(number)}/bucket-{each.bucket:05}"
        if not re.fullmatch(rf"{expected}-[0-9a-f]{{16}}\.arrow", each.file.name):
            raise ValueError(f"the file name {each.file.name!r} in place of one like {expected}")


class Snapshot(msgspec.Struct, frozen=True):
    """All that is known of a search but its states."""

    levels: list[int]  # states in each
    distinct: int
    counts: list[int]
    reached: list[int]
    targets_seen: list[list[int]]  # position of a target and the level in which it was first seen


def snapshot_of(search: NativeSearch) -> Snapshot:
    actions = search.pool.machine.program.actions
    return Snapshot(
        levels=[sum(end - start for start, end in level) for level in search.store.levels],
        distinct=search.distinct,
        counts=search.pool.total("counts", actions + 1),
        reached=search.pool.total("reached", actions + 1),
        targets_seen=[list(pair) for pair in search.seen_targets.positions],
    )


class Contradiction(Exception):
    """The states of a checkpoint are not those of a search, or not what its manifest says."""


class CheckpointVerifier:
    def __init__(self, search: NativeSearch, kept: Snapshot, check: Callable[[], None]) -> None:
        self._search, self._pool, self._store = search, search.pool, search.store
        self._kept = kept
        self._check = check
        self._actions = search.pool.machine.program.actions
        self._ends = list(accumulate(kept.levels))
        self._describe_fields()

    def confirm(self) -> None:
        """Confirm all levels; whatever `check` raises leaves those confirmed so far."""
        self._store.lay_out([[each] for each in pairwise([0, *self._ends])], in_table=False)
        laid, confirmed = self._store.levels, 0
        self._pool.workers[0].distinct = 0
        try:
            for number in range(len(laid)):
                self._store.levels = laid
                self._confirm(number)
                confirmed = number + 1
        finally:
            self._store.levels = laid[:confirmed]
            self._set_distinct(self._ends[confirmed - 1] if confirmed else 0)

    def _describe_fields(self) -> None:
        layout, scalars = self._pool.machine.program.packing, self._search.system.scalars
        spare = [(1 << 64) - 1] * layout.words
        numbers: list[int] = []
        for place, scalar in zip(layout.fields, scalars, strict=True):
            mask = (1 << place.bits) - 1
            spare[place.position] &= ~(mask << place.shift)
            if scalar.size <= mask:
                numbers += [place.position, place.shift, mask, scalar.size]
        self._spare = (ctypes.c_uint64 * len(spare))(*spare)
        self._fields = (ctypes.c_uint64 * (len(numbers) + 1))(*numbers)
        run = self._pool.run
        run.spare_bits, run.fields = ctypes.addressof(self._spare), ctypes.addressof(self._fields)
        run.field_count = len(numbers) // 4

    def _confirm(self, number: int) -> None:
        level = self._store.levels[number]
        self._pool.run.shared = int(len(self._pool.workers) > 1)
        self._pool.run_over("insert_kept_states", level, self._check)
        if any(worker.amiss for worker in self._pool.workers):
            raise Contradiction(f"level {number + 1} has states that are there twice, or that the model cannot have")
        if number:
            self._advance(self._store.levels[number - 1], number)
            self._search.record_targets(number - 1)
        else:
            canonical_words(self._pool, self._pool.machine.program.packing.pack(self._search.system.initial))
            if self._kept.levels[0] != 1 or self._pool.call("locate") != 1:
                raise Contradiction("level 1 is not the initial state")
            ctypes.memset(self._store.marks.address, 0, self._pool.machine.mark_bytes)
        self._pool.run_over("examine", level, self._check)
        self._search.record_targets(number)
        if unreached := self._pool.total("reached", self._actions + 2)[-1]:
            raise Contradiction(f"nothing leads to {unreached:,} of the states of level {number + 1}")

    def _advance(self, states: Segments, number: int) -> None:
        """Take the steps of the level before; each must lead to a state kept by now."""
        self._store.begin_level(shared=len(self._pool.workers) > 1)
        self._store.levels.pop()
        self._pool.run.fresh = self._ends[number - 1]
        self._set_distinct(0)
        for worker in self._pool.workers:
            worker.room = self._pool.machine.largest_batch

        def none_missing() -> None:
            if self._search.distinct:
                raise Contradiction(f"level {number + 1} lacks states that level {number} leads to")
            self._check()

        self._pool.run_over("advance", states, none_missing)

    def _set_distinct(self, count: int) -> None:
        for worker in self._pool.workers:
            worker.distinct = 0
        self._pool.workers[0].distinct = count

    def compare(self) -> None:
        """Compare what was kept with the search; raises Contradiction."""
        kept, shown = self._kept, snapshot_of(self._search)
        if kept.counts != shown.counts:
            raise Contradiction(f"its manifest counts the steps {kept.counts}, and its states take {shown.counts}")
        if sorted(kept.targets_seen) != sorted(shown.targets_seen):
            raise Contradiction(
                f"its manifest says that {kept.targets_seen} were seen, and its states show {shown.targets_seen}"
            )
        if kept.reached != shown.reached:
            raise Contradiction(f"its manifest counts the states {kept.reached}, and its states show {shown.reached}")
