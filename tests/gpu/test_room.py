"""The table of a search takes three quarters of a device's memory in the end, and leaves the ring what it needs."""

from collections.abc import Sequence

import pytest
from tools.gpu.bench import bind_model, property_names
from tools.gpu.emulator import EmulatedDevice

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.gpu.engine import layout_of, lower_for_gpu
from isrcheck.engines.gpu.layout import Layout
from isrcheck.engines.gpu.memory import DeviceMemory
from isrcheck.passes import lower


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


@pytest.mark.parametrize(("gib", "least"), [(24, 0.85e9), (79, 2.9e9), (140, 5.2e9)])
def test_states_of_16_bytes_that_fit(gib: float, least: float) -> None:
    """docs/gpu.md has these figures."""
    assert toy_layout().slot_bytes == 16
    assert least <= states_that_fit(gib, share_in_ring=0.2) <= 1.15 * least
