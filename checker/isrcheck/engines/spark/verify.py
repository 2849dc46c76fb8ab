"""A comparison of what a checkpoint says of its first levels with their states, which are searched again."""

import ctypes
from collections.abc import Callable
from itertools import accumulate, pairwise

import msgspec

from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.trace import canonical_words
from isrcheck.engines.native.workers import Segments


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
        for field, scalar in zip(layout.fields, scalars, strict=True):
            mask = (1 << field.bits) - 1
            spare[field.position] &= ~(mask << field.shift)
            if scalar.size <= mask:
                numbers += [field.position, field.shift, mask, scalar.size]
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
