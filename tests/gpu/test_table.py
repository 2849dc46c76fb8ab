"""The table of states by hand: what a thread sees while another one has not written all of a state."""

import threading
import time
from collections.abc import Sequence

import pytest
from tests.gpu.systems import words_of
from tools.gpu.bench import bind_model, property_names
from tools.gpu.emulator import EmulatedDevice

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.gpu.engine import layout_of, lower_for_gpu
from isrcheck.engines.gpu.kernel import READY, SALT
from isrcheck.engines.gpu.layout import NEXT, RESERVED, Layout
from isrcheck.engines.gpu.memory import DeviceMemory
from isrcheck.passes import lower

SLOTS = 8


class Table:
    """A table for states of three words, whose slots have a fourth."""

    def __init__(self) -> None:
        system = words_of(3, 62)
        lowered = lower_for_gpu(system, ())
        self.layout, self.device = layout_of(system, lowered.program), EmulatedDevice()
        self.device.use(lowered.ir, lowered.program.actions + 1)
        self.slots, self.ring = (self.device.allocate(32 * SLOTS) for _ in range(2))
        self.candidate, self.counters = (self.device.allocate(8 * n) for n in (4, self.layout.counters))

    def insert(self, *words: int) -> int:
        """Insert a state, and return 1 if it is new."""
        self.device.write(self.candidate, [*words, 0])
        self.device.write(self.counters + 8 * NEXT, [0])
        self.device.write(self.counters + 8 * RESERVED, [1])
        arguments = (self.candidate, self.slots, SLOTS, 0, self.ring, 0, SLOTS, self.counters)
        self.device.launch("insert", arguments, 1)
        return self.device.read(self.counters + 8 * NEXT, 1)[0]

    def slot(self) -> int:
        """Return the address of the one slot that is taken."""
        (number,) = (n for n in range(SLOTS) if self.device.read(self.slots + 32 * n + 24, 1)[0])
        return self.slots + 32 * number


@pytest.mark.parametrize("words", [(5, 6, 7), (SALT, 0, SALT)], ids=["plain", "stored as 0"])
def test_a_state_is_new_once(words: tuple[int, ...]) -> None:
    table = Table()
    assert [table.insert(*words) for _ in range(3)] == [1, 0, 0]
    assert [table.insert(*words[:2], last) for last in (8, 9, 8)] == [1, 1, 0]


def test_a_slot_that_another_thread_still_writes_is_awaited() -> None:
    table, new = Table(), list[int]()
    table.insert(5, 6, 7)
    slot, device = table.slot(), table.device
    written = device.read(slot, 4)
    device.write(slot, [0, 0, 0, written[3] ^ READY])
    thread = threading.Thread(target=lambda: new.append(table.insert(5, 6, 7)))
    thread.start()
    time.sleep(0.05)
    device.write(slot, written[:3])
    device.write(slot + 24, written[3:])
    thread.join()
    assert new == [0]


class Ledger(EmulatedDevice):
    """A device that only counts its bytes."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size, self._taken = size, dict[int, int]()

    def free_bytes(self) -> int:
        return self._size - sum(self._taken.values())

    def allocate(self, size: int) -> int:
        assert size <= self.free_bytes()
        address = max(self._taken, default=0) + 1
        self._taken[address] = size
        return address

    def release(self, address: int) -> None:
        del self._taken[address]

    def zero(self, address: int, size: int) -> None: ...

    def copy(self, target: int, source: int, size: int) -> None: ...

    def launch(self, kernel: str, arguments: Sequence[int], threads: int) -> None: ...

    def read(self, address: int, words: int) -> list[int]:
        return [0] * words

    def write(self, address: int, words: Sequence[int]) -> None: ...


def toy_layout() -> Layout:
    model = bind_model("toy-mutex", {})
    names = property_names(model)
    lowered = lower_for_gpu(lower(model, names), names)
    return layout_of(lowered.system, lowered.program)


def states_that_fit(gib: float, share_in_ring: float) -> int:
    """The states that fit where each time a hundredth more comes, and so many of them lie in the ring."""
    memory = DeviceMemory(Ledger(int(gib * 2**30)), toy_layout(), is_queued=False, limit=None)
    memory.begin()
    states, in_ring = 100_000, 0
    while True:
        most_in_ring = int(states * share_in_ring)
        try:
            if not memory.fits(states, most_in_ring):
                memory.make_room(states, 0, in_ring, most_in_ring)
        except Stopped:
            return states
        states, in_ring = states + states // 100, most_in_ring


@pytest.mark.parametrize(("gib", "least"), [(24, 2.2e9), (79, 6.7e9), (140, 10.2e9)])
def test_states_of_16_bytes_that_fit(gib: float, least: float) -> None:
    """docs/gpu.md has these figures."""
    assert toy_layout().slot_bytes == 16
    assert least <= states_that_fit(gib, share_in_ring=0.2) <= 1.15 * least
