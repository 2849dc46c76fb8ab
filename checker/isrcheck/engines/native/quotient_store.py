"""The seen states of a large search as keys (kernel/quotient.py); of the states themselves the last levels stay."""

import ctypes
from collections.abc import Callable
from typing import Any

from isrcheck.engines.common.targets import NoRoom
from isrcheck.engines.native import translate as translation
from isrcheck.engines.native.kernel import dictionaries, quotient, records, units
from isrcheck.engines.native.kernel.dictionaries import NUMBERS
from isrcheck.engines.native.kernel.quotient import HOP_BITS, LINE, TABLE_FULL
from isrcheck.engines.native.machine import RunRecord, record_type
from isrcheck.engines.native.program import BATCH, Program, mark_bits
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.workers import Region, WorkerPool, largest_region, physical_bytes
from isrcheck.errors import quantity
from isrcheck.process.budget import resident_bytes

QuotientRecord = record_type(records.Quotient)

_LOAD = 0.85  # how full the table of keys gets
_GROWN, _LARGE_GROWN, _LARGE = 0.44, 0.7, 1 << 27  # how full it is after it grew, and that of so many entries or more
_DICTIONARY_LOAD = 0.6
_SMALLEST_DICTIONARY = 1 << 16
_SMALLEST_TABLE = 1 << 16  # lines; with as many, what is left of a key of 64 bits fits beside MOST_ACTIONS
_LINES_AT_ONCE = 1024
_LINES_KEPT = 1 << 18  # of a table that is replaced, beyond those that are in the new one
_SPARE = 32 << 20  # bytes that growing may take besides
_BLOCK = 1024
_SAMPLED = 16  # of so many batches of states, one
_MARGIN = 3  # a dictionary, and a field of the key, are to have room for so many times the numbers at hand
_STAMP_BITS = 6
_KEY_BITS = 64  # at most
_TOO_MANY_PARTS = "when its states had more different parts than a key tells apart"
_EXPORTED = (*quotient.EXPORTED, *dictionaries.EXPORTED)
_CALL = """\
define internal i64 @expand_next(ptr %run, ptr %worker) {{
  %place = getelementptr i8, ptr %run, i64 {place}
  %function = load ptr, ptr %place
  %result = call i64 %function(ptr %run, ptr %worker)
  ret i64 %result
}}
"""


def quotient_text(program: Program, is_wide: bool) -> str:
    constants = {"WORDS": program.words, "INSTANCES": program.instances, "BATCH": BATCH, "WIDE": int(is_wide)}
    marks = {"Marks": f"U{mark_bits(program.actions)}s"}
    texts = {name: str(value) for name, value in constants.items()}
    ir = translation.translate((records, units, dictionaries, quotient), texts, marks, set(_EXPORTED))
    call = _CALL.format(place=RunRecord.expand_next.offset)
    return "\n".join([ir, call, *sorted(translation.DECLARATIONS), ""])


class QuotientStore:
    """Takes over the states of a search."""

    def __init__(self, pool: WorkerPool, queue: Store, memory: int | None) -> None:
        self._pool, self._queue, self._limit = pool, queue, memory
        self._program = pool.machine.program
        self._mark_bits, self._layout = self._program.actions.bit_length(), 0
        self._key_bits = min(_KEY_BITS, 16 * self._program.words)  # a first guess
        queue.release_table()
        self._make_dictionaries()
        self._visited, self._before = QuotientRecord(), QuotientRecord()
        pool.run.visited, pool.run.before = ctypes.addressof(self._visited), ctypes.addressof(self._before)
        self._ceiling = queue.capacity
        self._touched = [0, 0]  # ends of what the last levels in the two halves have used
        self._table: Region | None = None

    def close(self) -> None:
        for region in filter(None, (self._table, self._words, self._number_of)):
            region.release()
        self._table = None

    def _make_dictionaries(self) -> None:
        run, words = self._pool.run, self._program.words
        count = max(1, 2 * words - 2)  # two groups may be joined as long as more are left
        wanted = min(1 << 30, physical_bytes() // (8 * count))
        self._number_of = largest_region(wanted * 16 * count)
        self._words = largest_region(wanted * 8 * count)
        most = min(self._number_of.size // 16, self._words.size // 8) // count
        run.number_of, run.words, run.most_words = self._number_of.address, self._words.address, most
        self._numbers = (ctypes.c_uint64 * (count * NUMBERS + 8))()
        run.numbers = -(-ctypes.addressof(self._numbers) // 64) * 64
        run.dictionaries = words
        for dictionary in range(run.dictionaries):
            self._begin_dictionary(dictionary, 1 << dictionary)

    def _number(self, dictionary: int) -> Any:
        return (ctypes.c_uint64 * NUMBERS).from_address(self._pool.run.numbers + dictionary * NUMBERS * 8)

    def _begin_dictionary(self, dictionary: int, group: int) -> None:
        numbers = self._number(dictionary)
        numbers[dictionaries.GROUP], numbers[dictionaries.SIZE] = group, group.bit_count()
        self._size(dictionary, _SMALLEST_DICTIONARY)

    def _size(self, dictionary: int, slots: int) -> None:
        numbers = self._number(dictionary)
        numbers[dictionaries.SLOTS], numbers[dictionaries.INDEX_MASK] = slots - 1, 2 * slots - 1
        most = self._pool.run.most_words // numbers[dictionaries.SIZE] - len(self._pool.workers)
        numbers[dictionaries.LIMIT] = min(int(_DICTIONARY_LOAD * slots), most, self._most_numbers(numbers))

    def _most_numbers(self, numbers: Any) -> int:
        """The limit that a field of the key sets: workers that race for the last number stay within it."""
        field = int(numbers[dictionaries.FIELD] >> numbers[dictionaries.SHIFT])
        return field + 1 - len(self._pool.workers) if field else 1 << 32

    def _grow_dictionary(self, dictionary: int) -> None:
        run, worker = self._pool.run, self._pool.workers[0]
        numbers = self._number(dictionary)
        slots = numbers[dictionaries.SLOTS] + 1
        if numbers[dictionaries.LIMIT] == self._most_numbers(numbers):
            self._lay_out(self._number_keys)
            self._rebuild(self._visited.parts << self._visited.line_bits)
            return
        if 2 * slots > 4 * run.most_words or numbers[dictionaries.LIMIT] < int(_DICTIONARY_LOAD * slots):
            raise NoRoom("when its states had more different parts than fit into memory")
        address, size = run.number_of + dictionary * 16 * run.most_words, slots * 4
        old = Region(size)
        ctypes.memmove(old.address, address, size)
        ctypes.memset(address, 0, size)
        self._size(dictionary, 2 * slots)
        run.old_numbers, run.grows = old.address, dictionary
        with self._pool.pause_phase():
            worker.state, worker.state_end = 0, slots
            self._pool.call("renumber")
        old.release()

    def _lay_out(self, number_groups: Callable[[], None]) -> None:
        """Divide a key into fields for the numbers; the groups with the fewest are joined until it has room for all."""
        run = self._pool.run
        run.old_dictionaries = run.dictionaries
        for numbers in map(self._number, range(run.dictionaries)):
            numbers[dictionaries.OLD_SHIFT] = numbers[dictionaries.SHIFT]
            numbers[dictionaries.OLD_FIELD] = numbers[dictionaries.FIELD]
        while sum((widths := self._widths(_MARGIN)).values()) > _KEY_BITS and len(widths) > 2:
            self._join(sorted(widths, key=widths.__getitem__)[:2])
            number_groups()
        if sum(widths.values()) > _KEY_BITS and sum((widths := self._widths(1)).values()) > _KEY_BITS:
            raise NoRoom(_TOO_MANY_PARTS)
        self._layout, end = self._layout + 1, 0
        spare = (_KEY_BITS - sum(widths.values())) // len(widths) if len(widths) > 2 else 0
        for dictionary in range(run.dictionaries):
            numbers, width = self._number(dictionary), 0
            if dictionary in widths:
                numbers[dictionaries.SHIFT], width = end, widths[dictionary] + spare
            numbers[dictionaries.FIELD] = ((1 << width) - 1) << numbers[dictionaries.SHIFT]
            self._size(dictionary, numbers[dictionaries.SLOTS] + 1)
            end += width
        self._key_bits = end

    def _widths(self, margin: int) -> dict[int, int]:
        """The bits of so many times the numbers of each dictionary in use."""
        records = ((each, self._number(each)) for each in range(self._pool.run.dictionaries))
        used = {each: numbers[dictionaries.USED] for each, numbers in records if not numbers[dictionaries.RETIRED]}
        return {each: int(margin * count + len(self._pool.workers)).bit_length() for each, count in used.items()}

    def _join(self, halves: list[int]) -> None:
        """Have one dictionary for the words of two."""
        run, records = self._pool.run, [self._number(half) for half in halves]
        for numbers in records:
            numbers[dictionaries.RETIRED] = 1
        run.dictionaries += 1
        self._begin_dictionary(run.dictionaries - 1, sum(numbers[dictionaries.GROUP] for numbers in records))

    def _number_keys(self) -> None:
        with self._pool.pause_phase():
            lines = [(0, self._visited.lines)]
            self._pool.run_over("number_keys", lines, lambda: self._make_what_is_full(0), unit=_LINES_AT_ONCE)

    def convert(self, distinct: int, check: Callable[[], None]) -> None:
        """All states of the queue; `distinct` are there. `check` comes often, and what it raises ends the search."""
        for worker in self._pool.workers:
            worker.pending = worker.pending_end = worker.full = worker.amiss = worker.room = 0
        self._pool.share(distinct)
        self._rebuild(self._lines_for(0))

        def pause() -> None:
            check()
            self._make_room(distinct)

        self._size_dictionaries(distinct)
        self._rebuild(self._lines_for(distinct))
        self._pool.run_over("convert", self._queue.all, pause)
        self._check_amiss()
        self._queue.states.clear(0, self._queue.levels[-1][0][0] * self._queue.state_bytes)

    def _size_dictionaries(self, distinct: int) -> None:
        """Size dictionaries by the numbers that a sample of the states needs; more bits later take time only."""
        starts = (first for start, end in self._queue.all for first in range(start, end - BATCH, _SAMPLED * BATCH))
        sample = [(first, first + BATCH) for first in starts]

        def number_all() -> None:
            self._pool.run_over("number_all", sample, lambda: self._make_what_is_full(distinct))

        number_all()
        for dictionary in range(self._pool.run.dictionaries):
            numbers = self._number(dictionary)
            while _MARGIN * numbers[dictionaries.USED] > numbers[dictionaries.LIMIT]:
                self._grow_dictionary(dictionary)
        self._lay_out(number_all)

    def begin_level(self) -> None:
        """Begin a level after a complete one, the only one whose states stay."""
        queue, half = self._queue, self._queue.capacity // 2
        newest, size = queue.levels[-1], queue.state_bytes
        # Levels lie in one half and the other by turns, in memory that was used before; what is too much is given back.
        start, end = newest[0][0], newest[-1][1]
        first, self._ceiling = (0, min(half, start)) if start >= half else (max(half, end), queue.capacity)
        self._touched[start >= half] = max(self._touched[start >= half], end)
        kept = first + end - start
        queue.states.clear(kept * size, self._touched[start < half] * size)
        self._touched[start < half] = min(self._touched[start < half], kept)
        queue.begin_level(first)
        self._visited.stamp += 1
        if self._visited.stamp >> self._visited.stamp_bits:
            self._pool.run_over("forget_levels", [(0, self._visited.lines)], unit=_LINES_AT_ONCE)
            self._visited.stamp = 1

    def make_room(self, distinct: int) -> None:
        """Make room for one more batch of each worker; `distinct` states are there."""
        self._queue.update_level()
        self._make_room(distinct)

    def _make_room(self, distinct: int) -> None:
        workers = self._pool.workers
        needed = self._pool.machine.largest_batch * len(workers)
        self._pool.run.expand_next = self._pool.machine.address("expand_next")
        self._make_what_is_full(distinct + needed)
        if self._slots * _LOAD < distinct + needed:
            self._rebuild(self._lines_for(distinct + needed))
        room = min(int(self._slots * _LOAD) - distinct, self._ceiling - self._states_in_use())
        if self._limit is not None:
            left = self._limit - resident_bytes()
            room = min(room, left // self._queue.state_bytes)
            if room < needed:
                raise NoRoom(f"at the memory limit, after {quantity(distinct, 'state')}")
        if room < needed:
            raise NoRoom(f"after {distinct:,} states, as many as fit into one run")
        for worker in workers:
            worker.room = room // len(workers)

    def _make_what_is_full(self, states: int) -> None:
        all_full = {worker.full for worker in self._pool.workers} - {0}
        for worker in self._pool.workers:
            worker.full = 0
        for full in all_full:
            if full == TABLE_FULL:
                self._rebuild(max(self._lines_for(states), self._next_lines(self._visited.lines)))
            else:
                self._grow_dictionary(full - 1)

    def _states_in_use(self) -> int:
        newest = self._queue.levels[-1]
        end = newest[-1][1] if newest else int(self._pool.run.fresh)
        return end + 2 * _BLOCK * len(self._pool.workers)

    @property
    def _slots(self) -> int:
        return int(self._visited.lines) * LINE

    def _lines_for(self, states: int) -> int:
        load = _LARGE_GROWN if states >= _LARGE * _LARGE_GROWN else _GROWN
        lines = max(int(states / (load * LINE)) + 1, _SMALLEST_TABLE)
        line_bits = max(lines.bit_length() - 4, 0)
        return max(8, -(-lines >> line_bits)) << line_bits

    def _next_lines(self, lines: int) -> int:
        line_bits = max(lines.bit_length() - 4, 0)
        return ((lines >> line_bits) + 1) << line_bits

    def _rebuild(self, lines: int) -> None:
        """Rebuild the table with so many lines, and for numbers of so many bits as they have now."""
        old, new = self._table, self._record(lines)
        new_bytes = lines * LINE * (8 if new.is_wide else 4)
        more = new_bytes - (old.size if old is not None else 0) + _SPARE
        if self._limit is not None and resident_bytes() + more >= self._limit:
            raise NoRoom("at the memory limit, which leaves no room for a larger table")
        self._table = Region(new_bytes)
        new.narrow = new.wide = self._table.address
        if old is None or new.is_wide != self._visited.is_wide:
            self._pool.machine.extend(quotient_text(self._program, bool(new.is_wide)), _EXPORTED)
        ctypes.pointer(self._before)[0] = self._visited
        ctypes.pointer(self._visited)[0] = new
        if old is None:
            return
        lines = int(self._before.lines)
        width = old.size // lines
        with self._pool.pause_phase():
            for first in range(0, lines, _LINES_KEPT):  # lines that follow each other go to such, in the new table
                self._pool.run_over("rebuild", [(first, min(first + _LINES_KEPT, lines))], unit=_LINES_AT_ONCE)
                old.clear(0, first * width)
        old.release()
        self._check_amiss()

    def _record(self, lines: int) -> Any:
        record = QuotientRecord()
        record.lines, record.line_bits = lines, max(lines.bit_length() - 4, 0)
        record.parts = lines >> record.line_bits
        record.reciprocal = -(-(1 << 32) // record.parts)
        record.key_bits, record.layout, record.mark_bits = self._key_bits, self._layout, self._mark_bits
        rest = max(13, self._key_bits - record.line_bits - 3)
        spare = 32 - rest - HOP_BITS - self._mark_bits
        record.is_wide = int(spare < 2)
        record.stamp_bits = max(0, min(_STAMP_BITS, spare + 32 * record.is_wide))
        if record.stamp_bits < 1:
            raise NoRoom(_TOO_MANY_PARTS)
        record.stamp = int(self._visited.stamp > 0)
        return record

    def _check_amiss(self) -> None:
        if any(worker.amiss for worker in self._pool.workers):
            raise RuntimeError("the table of seen states lost a state as it grew, or had one twice")
