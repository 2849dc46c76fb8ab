"""The memory of a search on a GPU: the table of states, a ring of the newest levels, successors and counters."""

from contextlib import suppress
from operator import le

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.gpu.driver import Device, DeviceError, DeviceFull
from isrcheck.engines.gpu.layout import COMPACT_STAMPS, FULL, NUMBERED, Layout
from isrcheck.errors import quantity

_SPARE = 1 / 16  # of the memory, which the driver may need itself
_FIRST_SHARE = 16  # of the memory is the table at first: a smaller one is filled again too often
_GROWTH = 8
_TABLE_SHARE = 3 / 4  # of what is left: the rest is for the ring, which has two levels
_SLOTS_SHARE = 4  # of the memory are slots at most, and so many of them, where a compact table can follow
_MOST_SLOTS = 3 << 29
_COMPACT_SHARE, _DICTIONARY_SHARE = 0.85, 1 / 32  # of what is left then; the slots come back for the ring
_MORE_BITS = (0, 2, -2, 4, -4)  # of one dictionary than of the other, where one would soon be full
_LOAD, _CRAMMED = 0.75, 0.92  # how full a table gets, and how full where a larger one would not fit
_COMPACT_CRAMMED = 0.85  # beyond it an entry would lie more places behind its own than it can say
_CANDIDATES_SHARE = 16  # of the memory is for successors
_FEWEST_STATES = 1 << 12
_MOST_CHUNK = 1 << 22  # states expanded together: more are no quicker, and a search cannot stop within them
_RING_AT_FIRST = 1 << 20
_ENTRY_BYTES, _RECORD_WORDS = 4, 7  # of the compact table; behind the record is what is newest
_UNIT = 256  # bytes, of which the driver gives whole ones


class DeviceMemory:
    """All that a search has on a device. `limit`: bytes that it may take at most."""

    def __init__(self, device: Device, layout: Layout, is_queued: bool, limit: int | None) -> None:
        self._device, self._layout, self._is_queued, self._limit = device, layout, is_queued, limit
        self._budget = self.chunk = self.capacity = self.slots = 0
        self._stamp = 1
        self._compact, self._can_compact = 0, layout.is_compactable  # the address of a record of `CompactTable`
        self._taken: dict[int, int] = {}  # bytes by address
        self.counters = self.plan = self.candidates = self.queues = self.ring = self.table = 0

    def _share(self, live: int) -> None:
        """Decide how the memory is shared among its uses."""
        free, size = self._device.free_bytes(), self._layout.slot_bytes
        self._budget = min(int(free * (1 - _SPARE)), free if self._limit is None else self._limit)
        each = size + (4 if self._is_queued else 0)
        self.chunk = max(128, min(_MOST_CHUNK, self._budget // _CANDIDATES_SHARE // (live * each)))
        self.capacity = max(_FEWEST_STATES, min(_RING_AT_FIRST, self._budget // 64 // size))
        self.slots = max(_FEWEST_STATES, self._budget // _FIRST_SHARE // size)

    def begin(self) -> None:
        """Take the memory that every search needs. Raises Stopped where it is not there."""
        layout, live = self._layout, max(1, len(self._layout.live))
        self._share(live)
        self.counters = self._allocate(8 * layout.counters)
        self.plan = self._allocate(8 * 3 * live)
        self.candidates = self._allocate(self.chunk * live * layout.slot_bytes)
        self.queues = self._allocate(self.chunk * live * 4) if self._is_queued else 0
        self.ring = self._allocate(self.capacity * layout.slot_bytes)
        self.table = self._allocate(self.slots * layout.slot_bytes)

    def close(self) -> None:
        """Give all memory back; a device that failed has taken it back itself."""
        with suppress(DeviceError):
            for address in self._taken:
                self._device.release(address)
        self._taken.clear()

    @property
    def _left(self) -> int:
        return (self._budget - sum(self._taken.values())) // _UNIT * _UNIT

    def _allocate(self, size: int) -> int:
        """Take memory, in which all is 0. Raises Stopped where the limit or the device does not allow it."""
        size = -(-size // _UNIT) * _UNIT
        if size > self._left:
            raise Stopped("at the limit of the GPU's memory")
        try:
            address = self._device.allocate(size)
        except DeviceFull:
            raise Stopped("for lack of memory of the GPU, which something else uses too") from None
        self._taken[address] = size
        self._device.zero(address, size)
        return address

    def _release(self, address: int) -> None:
        self._device.release(address)
        del self._taken[address]

    def fits(self, states: int, in_ring: int) -> bool:
        """Whether so many states, of which so many are in the ring, fit as it is."""
        return states <= self.slots * _LOAD and in_ring <= self.capacity

    def make_room(self, states: int, first: int, in_ring: int, most_in_ring: int) -> int:
        """Make room for so many states; return where those lie then that the ring has. Raises Stopped."""
        while states > self.slots * _LOAD:
            if not self._grow_table():
                if states > self.slots * (_COMPACT_CRAMMED if self._compact else _CRAMMED):
                    known = quantity(states - (most_in_ring - in_ring), "state")
                    raise Stopped(f"after {known}, as many as fit into the GPU's memory")
                break
        return first if most_in_ring <= self.capacity else self._grow_ring(first, in_ring, most_in_ring)

    @property
    def table_arguments(self) -> tuple[int, int, int]:
        """The arguments of a kernel for the table: a record of the compact one, or its slots and the newest stamp."""
        return (self._compact, 0, 0) if self._compact else (self.table, self.slots, self._layout.stamp(self._stamp))

    def begin_level(self) -> None:
        """Take the next stamp; after the last one no state has any."""
        self._stamp += 1
        if self._stamp > (COMPACT_STAMPS if self._compact else self._layout.stamps):
            name, table = (
                ("clear_entry_marks", self.table_arguments[:1])
                if self._compact
                else ("clear_stamps", self.table_arguments[:2])
            )
            self._device.launch(name, table, self.slots)
            self._stamp = 1
        if self._compact:
            self._device.write(self._compact + 8 * _RECORD_WORDS, [1 + (self._stamp - 1) * self._layout.marks])

    @property
    def _room(self) -> int:
        """The bytes for another table, and for a ring that grows."""
        return self._left - self.capacity * self._layout.slot_bytes

    def _grow_table(self) -> bool:
        size, slots = self._layout.slot_bytes, self.slots * _GROWTH
        most = 0 if self._compact else int(self._room * _TABLE_SHARE) // size
        if self._can_compact:
            most = min(most, self._budget // _SLOTS_SHARE // size, _MOST_SLOTS)
        if 2 * slots > most:  # beside it a larger one would not fit any more
            slots = most
        if slots < self.slots * 1.25:
            return self._can_compact and (self._convert() or self._grow_table())
        with suppress(Stopped):
            table = self._allocate(slots * size)
            self._device.launch("refill", (self.table, self.slots, table, slots), self.slots)
            self._release(self.table)
            self.table, self.slots = table, slots
            return True
        return False

    def _convert(self) -> bool:
        """Have a compact table in place of the slots; False unless it is larger and its dictionaries have room."""
        self._can_compact = False
        slots = int(self._room * (_COMPACT_SHARE - 2 * _DICTIONARY_SHARE)) // _ENTRY_BYTES
        return slots >= self.slots * 1.25 and any(self._fill_compact(slots, more) for more in _MORE_BITS)

    def _fill_compact(self, slots: int, more: int) -> bool:
        before, bits = {*self._taken}, self._dictionary_bits(slots, more)
        with suppress(Stopped):
            sizes = (_ENTRY_BYTES * slots, *(8 << each for each in bits), 8 * _RECORD_WORDS + 8)
            entries, left, right, record = map(self._allocate, sizes)
            unit = -(-(1 << sum(bits)) // slots)
            self._device.write(record, [entries, slots, unit, left, bits[0], right, bits[1], 1])
            slots_before = (self.table, self.slots, self._layout.stamp(self._stamp))
            self._device.launch("convert", (*slots_before, record, self.counters), self.slots)
            numbers = self._device.read(self.counters, NUMBERED + 2)
            if not numbers[FULL] and all(map(le, numbers[NUMBERED:], (1 << each - 1 for each in bits))):
                self._release(self.table)
                self.table, self.slots, self._compact, self._stamp = entries, slots, record, 1
                return True
        for address in {*self._taken} - before:
            self._release(address)
        for counter, words in ((FULL, 1), (NUMBERED, 2)):
            self._device.zero(self.counters + 8 * counter, 8 * words)
        return False

    def _dictionary_bits(self, slots: int, more: int) -> tuple[int, int]:
        """The bits of the numbers of the two halves of a state: together a key, of which an entry has what fits."""
        left, right = self._layout.halves
        bits = (slots << self._layout.rest_bits).bit_length() - 1
        most = max(1, int(self._room * _DICTIONARY_SHARE / 8).bit_length() - 1)
        of_right = min(bits // 2 + more, right + 1, most)
        return min(bits - of_right, left + 1, most), of_right

    def _grow_ring(self, first: int, count: int, needed: int) -> int:
        size, capacity = self._layout.slot_bytes, max(2 * self.capacity, needed)
        if capacity * size > self._left:
            capacity = max(needed, self._left // size)
        ring = self._allocate(capacity * size)
        before_end = min(count, self.capacity - first)
        self._device.copy(ring, self.ring + first * size, before_end * size)
        if count > before_end:
            self._device.copy(ring + before_end * size, self.ring, (count - before_end) * size)
        self._release(self.ring)
        self.ring, self.capacity = ring, capacity
        return 0
