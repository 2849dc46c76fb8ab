"""The compact table: a search in it says what the native engine says, and all of a state can be read back from it."""

import pytest
from tests.agreement.test_random_models import LIMITS
from tests.constraints.models import Near
from tests.gpu.systems import Source, assert_agreement, burst, words_of
from tests.gpu.test_agreement import everything
from tests.native.systems import Builder, names_of, random_system
from tests.native.test_agreement import ALL, bound
from tools.gpu.emulator import EmulatedDevice, search

from isrcheck.engines.contract import Request
from isrcheck.engines.gpu import memory
from isrcheck.engines.gpu.compact import DISTANCE_BITS
from isrcheck.engines.gpu.driver import DeviceFull
from isrcheck.engines.gpu.engine import layout_of, lower_for_gpu
from isrcheck.engines.gpu.layout import FULL, NEXT, NUMBERED, RESERVED
from isrcheck.engines.native import engine as native
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel

ALL_ONES = (1 << 64) - 1


@pytest.fixture(autouse=True)
def few_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have at most four slots before the compact table."""
    for name, few in (("_FIRST_SHARE", 1 << 30), ("_FEWEST_STATES", 4), ("_RING_AT_FIRST", 16), ("_MOST_SLOTS", 4)):
        monkeypatch.setattr(memory, name, few)


def assert_agreement_compact(source: Source, request: Request, lanes: int = 1) -> None:
    device = EmulatedDevice(workers=2 if lanes == 1 else 1, lanes=lanes)
    assert_agreement(source, request, device)
    assert "convert" in device.launches
    assert not {"refill", "clear_stamps"} & {*device.launches}


@pytest.mark.parametrize("name", ["toy-messages", "toy-forks", "toy-train", "kip-320"])
def test_the_graph_of_a_model(name: str) -> None:
    assert_agreement_compact(bound(name), everything(bound(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_the_graph_of_every_model(name: str) -> None:
    """Models whose states have more words, or that have few states, keep their slots."""
    assert_agreement(bound(name), everything(bound(name)), EmulatedDevice(workers=2))


def test_states_outside_a_constraint() -> None:
    model: BoundModel = bind(read_model(Near), {})
    assert_agreement_compact(model, everything(model))


@pytest.mark.parametrize(
    "system", [words_of(2, 20), words_of(2, 62), burst()], ids=["two words", "full words", "one word"]
)
def test_states_of_one_and_two_words(system: Source) -> None:
    assert_agreement_compact(system, Request(properties=tuple(each.name for each in system.properties)))


def test_a_table_that_becomes_compact_within_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of 144 states take a step of a lesser action to where 120 have led before, and 240 more steps."""
    monkeypatch.setattr(memory, "_MOST_SLOTS", 400)
    monkeypatch.setattr(memory, "_MOST_CHUNK", 1)
    b = Builder(4, 12, 12, 32)
    k, (n, x, *_) = b.k, b.vars
    for level in range(2):
        for way in range(12):
            b.step(2, k.eq(n, k.const(level)), {level + 1: k.const(way), 0: k.const(level + 1)})
    first, last = (k.and_(k.eq(n, k.const(2)), each) for each in (k.lt(x, k.const(10)), k.eq(x, k.const(11))))
    for action, guard in enumerate((last, first)):
        b.step(action, guard, {0: k.const(3), 1: k.const(0)})
    for way in range(20):
        b.step(2, last, {0: k.const(3), 3: k.const(1 + way)})
    device = EmulatedDevice()
    answer = assert_agreement(b.system(), Request(), device)
    assert answer.action_distinct == (12, 0, 12 + 144 + 240)
    before = device.launches.index("convert")
    assert device.launches[before - 3 : before] == ["expand", "insert", "expand"]


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 300), marks=pytest.mark.slow)], ids=["few", "many"])
def test_random_systems(seeds: range) -> None:
    for seed in seeds:
        system = random_system(seed)
        assert_agreement(system, Request(properties=names_of(system), deadlock=seed % 2 == 0, limits=LIMITS))


def test_a_warp_of_several_lanes() -> None:
    assert_agreement_compact(bound("toy-mutex"), everything(bound("toy-mutex")), lanes=4)


def test_a_dictionary_that_would_soon_be_full_leaves_the_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MOST_SLOTS", 64)
    monkeypatch.setattr(memory, "_DICTIONARY_SHARE", 1e-6)
    device = EmulatedDevice()
    assert_agreement(bound("toy-train"), everything(bound("toy-train")), device)
    assert "refill" in device.launches[device.launches.index("convert") :]


def test_a_table_that_is_full_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_DICTIONARY_SHARE", 6e-6)
    model = bound("toy-train")
    seen, whole = search(model, Request()), native.search(model, Request())
    assert seen.cut == f"after {seen.distinct} states, as many as fit into the GPU's compact table"
    assert (seen.digest, seen.levels) == (None, whole.levels[: seen.depth])
    assert 16 < seen.distinct < whole.distinct


class Scarce(EmulatedDevice):
    """A device that has no memory for one allocation."""

    def __init__(self, refused: int) -> None:
        super().__init__()
        self._left = refused

    def allocate(self, size: int) -> int:
        self._left -= 1
        if self._left == 0:
            raise DeviceFull("allocate: out of memory")
        return super().allocate(size)


def test_no_memory_for_a_part_of_the_compact_table() -> None:
    """The allocations before are those of every search."""
    answers = [search(bound("toy-train"), Request(), Scarce(number)) for number in range(7, 10)]
    whole = native.search(bound("toy-train"), Request())
    ends = {(each.cut, each.digest == whole.digest, each.distinct == whole.distinct) for each in answers}
    assert (None, True, True) in ends
    assert all(is_whole is (cut is None) for cut, is_whole, _ in ends)


class Compact:
    """A compact table for states of two words, each of 62 bits, that has what is written to it by hand."""

    def __init__(self, slots: int, bits: tuple[int, int]) -> None:
        system = words_of(2, 62)
        lowered = lower_for_gpu(system, ())
        self.layout, self.device = layout_of(system, lowered.program), EmulatedDevice()
        self.device.use(lowered.ir, lowered.program.actions + 1)
        self.slots, self.bits, self.unit = slots, bits, -(-(1 << sum(bits)) // slots)
        sizes = (4 * slots, 8 << bits[0], 8 << bits[1], 64, 8 * self.layout.counters, 8 * 4 * 4096, 8 * 4 * 4096)
        allocated = [self.device.allocate(size) for size in sizes]
        self.entries, self.left, self.right, self.record, self.counters, self.candidates, self.ring = allocated
        record = [self.entries, slots, self.unit, self.left, bits[0], self.right, bits[1], 1]
        self.device.write(self.record, record)

    def insert(self, states: list[tuple[int, int]]) -> int:
        """Insert states, and return how many are new."""
        self.device.write(self.candidates, [word for state in states for word in (*state, 0, 0)])
        self.device.write(self.counters + 8 * NEXT, [0, len(states)])
        assert RESERVED == NEXT + 1
        arguments = (self.candidates, self.record, 0, 0, self.ring, 0, 4096, self.counters)
        self.device.launch("insert", arguments, 1)
        return self.counter(NEXT)

    def counter(self, number: int) -> int:
        return self.device.read(self.counters + 8 * number, 1)[0]

    def states(self) -> set[tuple[int, int]]:
        """Return the states, from nothing but the entries and the dictionaries."""
        words = self.device.read(self.entries, self.slots // 2)
        entries = [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]
        keys = [self._key(place, entry >> self.layout.entry_mark_bits) for place, entry in enumerate(entries) if entry]
        pairs = [self._pair(key) for key in keys]
        left = self.device.read(self.left, 1 << self.bits[0])
        right = self.device.read(self.right, 1 << self.bits[1])
        return {self._words((left[a] - 1) % 2**64, (right[b] - 1) % 2**64) for a, b in pairs}

    def _words(self, left: int, right: int) -> tuple[int, int]:
        bits = right << self.layout.halves[0] | left
        return bits % 2**64, bits >> 64

    def _key(self, place: int, entry: int) -> int:
        distance = (entry & (1 << DISTANCE_BITS) - 1) - 1
        return (place - distance) % self.slots * self.unit + (entry >> DISTANCE_BITS)

    def _pair(self, key: int) -> tuple[int, int]:
        bits, mask = sum(self.bits), (1 << sum(self.bits)) - 1
        half = (bits + 1) // 2
        for factor in (0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15):
            key = (key ^ key >> half) * pow(factor, -1, 1 << 64) & mask
        key ^= key >> half
        return key & (1 << self.bits[0]) - 1, key >> self.bits[0]


def test_all_of_a_state_can_be_read_back() -> None:
    """Halves that are 0, or whose bits are all 1, too; and entries behind the end, where the first ones are taken."""
    words = [0, ALL_ONES, 1, *(0x9E3779B97F4A7C15 * n % 2**64 for n in range(1, 20))]
    states = [(a, b >> 1) for a in words for b in words]
    table = Compact(slots=512, bits=(9, 7))
    assert [table.insert(states) for _ in range(2)] == [len(states) - len(words), 0]
    assert table.states() == {*states}
    lefts, rights = {a % 2**63 for a in words}, {a >> 63 | b >> 1 << 1 for a in words for b in words}
    assert [table.counter(number) for number in (FULL, NUMBERED)] == [0, len(lefts)]
    assert table.counter(NUMBERED + 1) == len(rights) - 1, "the one whose bits are all 1 takes no place"


@pytest.mark.parametrize(
    ("bits", "states"),
    [
        ((4, 12), [(n, 0) for n in range(20)]),
        ((12, 4), [(0, n) for n in range(20)]),
        ((12, 2), [(n, 0) for n in range(4000)]),
    ],
    ids=["left words", "right words", "entries"],
)
def test_what_is_full_takes_nothing_more(bits: tuple[int, int], states: list[tuple[int, int]]) -> None:
    slots = 2 if len(states) > 20 else 4096
    table = Compact(slots, bits)
    new = table.insert(states)
    assert 0 < new < len(states)
    assert table.counter(FULL) > 0
    assert table.states() == {*states[:new]}
    assert [table.insert([state]) for state in ((ALL_ONES, ALL_ONES >> 1), states[0])] == [0, 0]
