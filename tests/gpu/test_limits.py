"""Where a search on a GPU ends early: what it says then, and that nothing holds of what was not searched."""

import re
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.gpu.systems import answer_of, assert_agreement, words_of
from tests.native.systems import Builder
from tests.native.test_agreement import bound
from tools.gpu.bench import bind_model, property_names
from tools.gpu.emulator import EmulatedDevice, search

from isrcheck.engines.common import targets
from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Limits, Progress, Request, Searched
from isrcheck.engines.gpu import memory
from isrcheck.engines.gpu.engine import layout_of, lower_for_gpu
from isrcheck.engines.gpu.kernel import READY, SALT
from isrcheck.engines.gpu.layout import NEXT, RESERVED, Layout
from isrcheck.engines.gpu.memory import DeviceMemory
from isrcheck.engines.native import engine as native
from isrcheck.errors import Disagreement
from isrcheck.ir.frozen import replace
from isrcheck.passes import lower

MODEL = bound("toy-train")
ASKED = Request(properties=tuple(each.name for each in MODEL.properties))


@pytest.mark.parametrize(
    "request_",
    [
        replace(ASKED, limits=Limits(states=100)),
        replace(ASKED, limits=Limits(depth=4)),
        replace(ASKED, limits=Limits(states=10**6, depth=99, seconds=600.0, memory=1 << 40)),
        replace(ASKED, stop_at_first=True),
        replace(ASKED, limits=Limits(depth=1)),
    ],
    ids=["states", "levels", "unreached", "first violation", "no step"],
)
def test_a_limit_ends_the_search_where_the_native_engine_ends(request_: Request) -> None:
    assert_agreement(MODEL, request_)


def test_a_limit_of_time() -> None:
    seen = search(MODEL, replace(ASKED, limits=Limits(seconds=1e-6)))
    assert (seen.cut, seen.digest, seen.interrupted) == ("after 1e-06 seconds", None, False)


@pytest.mark.parametrize("by", ["a signal", "its report"])
def test_an_interruption(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(progress: Progress) -> None:
        if progress.depth == 4 and by == "a signal":
            signal.raise_signal(signal.SIGINT)
        elif progress.depth == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(targets, "_PROGRESS_SECONDS", 0.0)
    seen = search(MODEL, replace(ASKED, progress=stop))
    whole = native.search(MODEL, Request())
    assert (seen.cut, seen.digest, seen.interrupted) == ("by the user", None, True)
    assert seen.levels[:4] == whole.levels[:4]


SENTENCES = (
    r"at the limit of the GPU's memory",
    r"after [\d,]+ states, as many as fit into the GPU's memory",
)


@pytest.mark.parametrize("way", ["the device's", "the limit's"])
def test_memory_that_ends(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little to begin, for the table, for the ring; and then enough."""
    monkeypatch.setattr(memory, "_FEWEST_STATES", 16)
    whole = native.search(MODEL, Request())
    ends, tables = set[str](), set[int]()
    for kilobytes in (1, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64, 128, 4096):
        size = kilobytes << 10
        limits, device = (
            (Limits(memory=size), EmulatedDevice()) if way == "the limit's" else (Limits(), EmulatedDevice(size))
        )
        seen = search(MODEL, Request(limits=limits), device)
        if seen.cut is not None and seen.cut.startswith("after"):
            assert int(seen.cut.split()[1].replace(",", "")) <= whole.distinct
        if seen.cut is None:
            assert replace(seen, seconds=0.0) == replace(whole, seconds=0.0)
            ends.add("whole")
            continue
        assert any(re.fullmatch(sentence, seen.cut) for sentence in SENTENCES)
        assert seen.digest is None
        assert seen.levels == whole.levels[: seen.depth]
        assert seen.distinct <= whole.distinct
        ends.add(re.sub(r"[\d,]+ states", "N states", seen.cut))
        tables.add(seen.distinct)
    assert len(ends) == 3, ends
    assert len(tables) > 2


TRUE = native.search


def answer_otherwise(**lie: Any) -> Callable[[Any, Request], Searched]:
    return lambda model, request: replace(TRUE(model, request), **lie)


@pytest.mark.parametrize(
    ("paths", "sees", "other"),
    [({}, r"gpu engine sees \w+", "native"), ({**TRUE(MODEL, ASKED).paths, "z": ()}, "native engine sees z", "gpu")],
    ids=["native", "gpu"],
)
def test_a_disagreement(paths: Any, sees: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "search", answer_otherwise(paths=paths))
    with pytest.raises(Disagreement, match=rf"the {sees} within \d+ levels, and the {other} engine does not"):
        search(MODEL, ASKED)


def test_a_search_for_traces_that_ends_early_leaves_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "search", answer_otherwise(paths={}, cut="after 1 second", depth=1))
    seen = search(MODEL, ASKED)
    assert (seen.cut, seen.digest, seen.paths) == ("after 1 second", None, {})


def test_an_error_in_the_last_level_whose_trace_is_not_searched_leaves_no_verdict() -> None:
    """The limit of the device's memory is one of that search, too."""
    b = Builder(2)
    b.step(0, b.k.true, {}, fault=b.k.true)
    seen = answer_of(b.system(), Request(limits=Limits(memory=1 << 23)), EmulatedDevice())
    assert (seen.cut, seen.digest) == ("at the memory limit, after 1 state", None)


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
