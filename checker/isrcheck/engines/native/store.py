"""The states that were found: one array in reserved memory, and a table of indices that grows beside it."""

import ctypes
from collections.abc import Iterator

from isrcheck.engines.common.targets import NoRoom
from isrcheck.engines.native.workers import Region, Segments, WorkerPool, largest_region, physical_bytes
from isrcheck.errors import quantity
from isrcheck.process.budget import resident_bytes

MOST_STATES = (1 << 32) - 2  # an entry of the table is an index plus 1, in 32 bits
_BLOCK = 1024  # indices that a worker takes at a time
_LOAD, _CRAMMED = 0.7, 0.9  # how full a table gets, and how full where a larger one would not fit into memory
_SPARE = 24 << 20  # bytes that the interpreter and partly used pages may take besides
_QUADRUPLE_BELOW = 1 << 22
_SMALLEST_TABLE = 1 << 14


class Store:
    def __init__(self, pool: WorkerPool, memory: int | None) -> None:
        self._pool, self._limit, self._base = pool, memory, resident_bytes()
        machine = pool.machine
        self.state_bytes = machine.program.words * 8
        self._index_bytes = self.state_bytes + machine.mark_bytes
        self._batch = machine.largest_batch
        wanted = min(MOST_STATES, 2 * physical_bytes() // self.state_bytes)
        self.states = largest_region(wanted * self.state_bytes)
        self.marks = largest_region(self.states.size // self.state_bytes * machine.mark_bytes)
        self.capacity = min(wanted, self.states.size // self.state_bytes, self.marks.size // machine.mark_bytes)
        self.levels: list[Segments] = []
        self._ended: tuple[list[Segments], int, int] = (self.levels, 0, 0)  # of so many first levels, where they end
        self._table: Region | None = None
        self.slots = 0
        pool.run.states, pool.run.marks = self.states.address, self.marks.address
        self._replace_table(max(_SMALLEST_TABLE, 1 << (4 * self._batch).bit_length()))

    def close(self) -> None:
        for region in filter(None, (self.states, self.marks, self._table)):
            region.release()
        self._table = None

    def release_table(self) -> None:
        """Release the table and the marks for good; the states stay."""
        if self._table is not None:
            self._table.release()
            self._table = None
        self.marks.zero(self.end * self._pool.machine.mark_bytes)

    def begin_level(self, first: int | None = None) -> None:
        """Begin a level; its states lie from `first` on, or after all others."""
        self._pool.begin_states(self.end if first is None else first, self.capacity, _BLOCK)
        self.levels.append([])

    def update_level(self) -> Segments:
        """Set the newest level to the ranges of its states, without unused ends of blocks."""
        self.levels[-1] = self._pool.new_states()
        return self.levels[-1]

    def drop_empty_level(self) -> None:
        if not self.levels[-1]:
            self.levels.pop()

    def fits(self, count: int) -> bool:
        if self._limit is not None and self.resident(count, self._slots_for(count)) >= self._limit:
            return False
        return count < self.capacity

    def _slots_for(self, count: int) -> int:
        slots = self.slots
        while slots * _LOAD < count + self._batch * len(self._pool.workers):
            slots *= 2
        return slots

    def lay_out(self, levels: list[Segments]) -> None:
        """Have these ranges be the levels, and the table hold their states."""
        self.levels = levels
        self._replace_table(self._slots_for(sum(end - start for level in levels for start, end in level)))

    @property
    def end(self) -> int:
        """The end of all levels; those before the last one are looked at once, since there may be 100,000 of them."""
        levels, last = self.levels, max(len(self.levels) - 1, 0)
        of, count, highest = self._ended
        if of is not levels or count > last:
            count = highest = 0
        highest = max((highest, *(end for level in levels[count:last] for _, end in level)))
        self._ended = levels, last, highest
        return max((highest, *(end for level in levels[last:] for _, end in level)))

    @property
    def all(self) -> Segments:
        return [each for level in self.levels for each in level]

    def pack(self, segments: Segments, piece_bytes: int = 1 << 20) -> Iterator[bytes]:
        size = self.state_bytes
        most = piece_bytes // size
        for start, end in segments:
            for first in range(start, end, most):
                yield ctypes.string_at(self.states.address + first * size, min(most, end - first) * size)

    def resident(self, end: int, slots: int) -> int:
        return self._base + end * self._index_bytes + slots * 4 + _SPARE

    def share_of_memory(self) -> float:
        """The share of memory, or of its limit, that all states take."""
        return self.resident(self.end, self.slots) / (self._limit or physical_bytes())

    def make_room(self, distinct: int) -> None:
        """Room for one more batch each."""
        self.update_level()
        needed = self._batch * self._pool.active
        while self.slots * _LOAD < distinct + needed:
            grown = self.slots * (4 if self.slots < _QUADRUPLE_BELOW else 2)
            if not self._fits(grown):
                break
            self._replace_table(grown)
        load = _LOAD if self._room(distinct, _LOAD) >= needed else _CRAMMED
        room = self._room(distinct, load)
        if room < needed:
            if self._limit is not None and self._states_in_use() < self.capacity - self._batch:
                raise NoRoom(f"at the memory limit, after {quantity(distinct, 'state')}")
            raise NoRoom(f"after {distinct:,} states, as many as fit into one run")
        for worker in self._pool.workers:
            worker.room = room // self._pool.active

    def _room(self, distinct: int, load: float) -> int:
        used = self._states_in_use()
        room = min(int(self.slots * load) - distinct, self.capacity - used)
        if self._limit is not None:
            room = min(room, (self._limit - self.resident(used, self.slots)) // self._index_bytes)
        return room

    def _states_in_use(self) -> int:
        return self.end + (2 * _BLOCK * len(self._pool.workers) if self._pool.run.shared else 0)

    def _fits(self, slots: int) -> bool:
        if slots > 1 << 32 or self._states_in_use() + self._batch >= self.capacity:
            return False
        return self._limit is None or self.resident(self._states_in_use() + self._batch, slots) < self._limit

    def _replace_table(self, slots: int) -> None:
        """The old one is released first."""
        run = self._pool.run
        if self._table is not None:
            self._table.release()
        self._table = Region(slots * 4)
        self.slots = slots
        run.table, run.slots = self._table.address, slots - 1
        run.index_mask = (1 << min(32, slots.bit_length())) - 1
        if self.levels:
            with self._pool.pause_phase():
                self._pool.run_over("refill", self.all)
