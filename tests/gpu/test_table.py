"""The table of states by hand: what a thread sees while another one has not written all of a state."""

import threading
import time

import pytest
from tests.gpu.systems import words_of
from tools.gpu.emulator import EmulatedDevice

from isrcheck.engines.gpu.engine import layout_of, lower_for_gpu
from isrcheck.engines.gpu.kernel import READY, SALT
from isrcheck.engines.gpu.layout import NEXT, RESERVED

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
