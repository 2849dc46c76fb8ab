"""The memory of a search on a GPU: the table of states, a ring of the newest levels, successors and counters."""

from contextlib import suppress

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.gpu.driver import Device, DeviceError, DeviceFull
from isrcheck.engines.gpu.layout import Layout
from isrcheck.errors import quantity

_SPARE = 1 / 16  # of the memory, which the driver may need itself
_FIRST_SHARE = 16  # of the memory is the table at first: a smaller one is filled again too often
_GROWTH = 8
_TABLE_SHARE = 3 / 4  # of what is left: the rest is for the ring, which has two levels
_LOAD, _CRAMMED = 0.75, 0.92  # how full a table gets, and how full where a larger one would not fit
_CANDIDATES_SHARE = 16  # of the memory is for successors
_FEWEST_STATES = 1 << 12
_MOST_CHUNK = 1 << 22  # states expanded together: more are no quicker, and a search cannot stop within them
_RING_AT_FIRST = 1 << 20
_UNIT = 256  # bytes, of which the driver gives whole ones


class DeviceMemory:
    """All that a search has on a device. `limit`: bytes that it may take at most."""

    def __init__(self, device: Device, layout: Layout, is_queued: bool, limit: int | None) -> None:
        self._device, self._layout, self._is_queued, self._limit = device, layout, is_queued, limit
        self._budget = self.chunk = self.capacity = self.slots = 0
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
        device, layout, live = self._device, self._layout, max(1, len(self._layout.live))
        self._share(live)
        self.counters = self._allocate(8 * layout.counters)
        self.plan = self._allocate(8 * 3 * live)
        self.candidates = self._allocate(self.chunk * live * layout.slot_bytes)
        self.queues = self._allocate(self.chunk * live * 4) if self._is_queued else 0
        self.ring = self._allocate(self.capacity * layout.slot_bytes)
        self.table = self._allocate(self.slots * layout.slot_bytes)
        device.zero(self.counters, 8 * layout.counters)
        device.zero(self.table, self.slots * layout.slot_bytes)

    def close(self) -> None:
        """Give all memory back; a device that failed has taken it back itself."""
        with suppress(DeviceError):
            for address in self._taken:
                self._device.release(address)
        self._taken.clear()

    @property
    def bytes_taken(self) -> int:
        return sum(self._taken.values())

    @property
    def _left(self) -> int:
        return (self._budget - self.bytes_taken) // _UNIT * _UNIT

    def _allocate(self, size: int) -> int:
        """Take memory. Raises Stopped where the limit or the device does not allow it."""
        size = -(-size // _UNIT) * _UNIT
        if size > self._left:
            raise Stopped("at the limit of the GPU's memory")
        try:
            address = self._device.allocate(size)
        except DeviceFull:
            raise Stopped("for lack of memory of the GPU, which something else uses too") from None
        self._taken[address] = size
        return address

    def _release(self, address: int) -> None:
        self._device.release(address)
        del self._taken[address]

    def fits(self, states: int, in_ring: int) -> bool:
        """Whether so many states, of which so many are in the ring, fit as it is."""
        return states <= self.slots * _LOAD and in_ring <= self.capacity

    def make_room(self, states: int, first: int, in_ring: int, most_in_ring: int) -> int:
        """Make room for so many states, and for more in the ring, of which `in_ring` lie there from `first` on.

        Returns where these lie now. Raises Stopped where the memory ends.
        """
        while states > self.slots * _LOAD:
            if not self._grow_table():
                if states > self.slots * _CRAMMED:
                    known = quantity(states - (most_in_ring - in_ring), "state")
                    raise Stopped(f"after {known}, as many as fit into the GPU's memory")
                break
        return first if most_in_ring <= self.capacity else self._grow_ring(first, in_ring, most_in_ring)

    def _grow_table(self) -> bool:
        size = self._layout.slot_bytes
        most = int((self._left - self.capacity * size) * _TABLE_SHARE) // size
        slots = self.slots * _GROWTH
        if 2 * slots > most:  # beside it a larger one would not fit any more
            slots = most
        if slots < self.slots * 1.25:
            return False
        try:
            table = self._allocate(slots * size)
        except Stopped:
            return False
        self._device.zero(table, slots * size)
        self._device.launch("refill", (self.table, self.slots, table, slots), self.slots)
        self._release(self.table)
        self.table, self.slots = table, slots
        return True

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
