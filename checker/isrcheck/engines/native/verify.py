"""What a checkpoint says, compared with its states: the first levels are searched again; of the others every state is
judged and its steps are counted, and the successors of a sample are looked up.
"""

import ctypes
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from isrcheck.engines.native.checkpoint import Snapshot
from isrcheck.engines.native.trace import canonical_words
from isrcheck.engines.native.workers import Segments

if TYPE_CHECKING:
    from isrcheck.engines.native.search import NativeSearch

SEARCHED_AGAIN = 1 << 22  # states; one to three seconds of a core for the models of this project
_SAMPLE, _STRIDE = 1024, 16  # beyond them: of so many stretches of states in a row, one


class Contradiction(Exception):
    """The states of a checkpoint are not those of a search, or not what its manifest says."""


class CheckpointVerifier:
    def __init__(self, search: "NativeSearch", kept: Snapshot, check: Callable[[], None]) -> None:
        self._search, self._pool, self._store = search, search.pool, search.store
        self._kept = kept
        self._check = check
        self._actions = search.pool.machine.program.actions
        self._beyond = 0  # states of levels that are not searched again
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
            spare[field.word] &= ~(mask << field.shift)
            if scalar.size <= mask:
                numbers += [field.word, field.shift, mask, scalar.size]
        self._spare = (ctypes.c_uint64 * len(spare))(*spare)
        self._fields = (ctypes.c_uint64 * (len(numbers) + 1))(*numbers)
        run = self._pool.run
        run.spare_bits, run.fields = ctypes.addressof(self._spare), ctypes.addressof(self._fields)
        run.field_count = len(numbers) // 4

    def _confirm(self, number: int) -> None:
        level = self._store.levels[number]
        self._pool.run.shared = int(len(self._pool.workers) > 1)
        self._pool.run_over("admit", level, self._check)
        if any(worker.amiss for worker in self._pool.workers):
            raise Contradiction(f"level {number + 1} has states that are there twice, or that the model cannot have")
        if number:
            self._reach(number)
        else:
            canonical_words(self._pool, self._pool.machine.program.packing.pack(self._search.system.initial))
            if self._kept.levels[0] != 1 or self._pool.call("locate") != 1:
                raise Contradiction("level 1 is not the initial state")
            ctypes.memset(self._store.marks.address, 0, self._pool.machine.mark_bytes)
        reached = self._rows("reached", self._actions + 2)
        self._pool.run_over("examine", level, self._check)
        self._search.record_targets(number)
        if not self._is_repeated(number):
            self._write("reached", reached)
            self._beyond += self._kept.levels[number]
        elif unreached := self._pool.total("reached", self._actions + 2)[-1]:
            raise Contradiction(f"nothing leads to {unreached:,} of the states of level {number + 1}")

    def _reach(self, number: int) -> None:
        """Take the steps of the level before; each must lead to a state kept by now."""
        before = self._store.levels[number - 1]
        if self._is_repeated(number):
            self._advance(before, number)
        else:
            self._pool.run_over("recount", before, self._check)
            counts = self._rows("counts", self._actions + 1)
            step = _SAMPLE * _STRIDE
            firsts = [(first, end) for start, end in before for first in range(start, end, step)]
            self._advance([(first, min(first + _SAMPLE, end)) for first, end in firsts], number)
            self._write("counts", counts)
        self._search.record_targets(number - 1)

    def _is_repeated(self, number: int) -> bool:
        return self._ends[number] <= SEARCHED_AGAIN

    def _rows(self, name: str, count: int) -> list[list[int]]:
        return [list(self._pool.words(worker, name, count)) for worker in range(len(self._pool.workers))]

    def _write(self, name: str, rows: list[list[int]]) -> None:
        for worker, row in enumerate(rows):
            self._pool.words(worker, name, len(row))[:] = row

    def _advance(self, states: Segments, number: int) -> None:
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
        """Raises Contradiction."""
        kept, found = self._kept, self._search.snapshot()
        if kept.counts != found.counts:
            raise Contradiction(f"its manifest counts the steps {kept.counts}, and its states take {found.counts}")
        if sorted(kept.seen) != sorted(found.seen):
            raise Contradiction(f"its manifest says that {kept.seen} were seen, and its states show {found.seen}")
        rest = [a - b for a, b in zip(kept.reached, found.reached, strict=True)]
        if sum(rest) != self._beyond or min(rest) < 0:
            raise Contradiction(f"its manifest counts the states {kept.reached}, and its states show {found.reached}")
        words = self._pool.words(0, "reached", len(rest))
        words[:] = [a + b for a, b in zip(words, rest, strict=True)]
