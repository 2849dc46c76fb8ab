"""The table of keys of a large search: what it holds is exactly the states, whatever their number and its size."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.schedules import Memory, Scheduler, schedules, understood
from tests.native.systems import counter, counters, kip320, mutex, names_of, random_system, stopper, timeless, wide
from tests.slow import quick_sample

from isrcheck.engines.contract import Limits, Request, Searched
from isrcheck.engines.native import quotient_store, search
from isrcheck.engines.native.kernel import dictionaries, quotient, units
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.machine import Machine
from isrcheck.ir.scalar import ScalarSystem

KERNEL: Any = quotient  # called with stand-ins, as is the other
WORDS: Any = dictionaries
MARK_BITS, STAMP_BITS = 3, 3


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search is compacted at once, into the smallest tables, and every level is shared."""
    monkeypatch.setattr(search, "COMPACT_FROM", 1)
    monkeypatch.setattr(search, "COMPACT_SHARE", 0.0)
    monkeypatch.setattr("isrcheck.engines.native.workers.SHARED_FROM", 1)
    monkeypatch.setattr(quotient_store, "_SMALLEST_DICTIONARY", 4)
    monkeypatch.setattr(quotient_store, "_SMALLEST_TABLE", 8)
    monkeypatch.setattr(quotient_store, "_LINES_AT_ONCE", 3)
    monkeypatch.setattr(quotient_store, "_KEY_BITS", 36)


def compacted(system: ScalarSystem, request: Request) -> Searched:
    with closing(search.NativeSearch(_machine(system), system, request, compacts=True)) as one:
        seen = one.run()
        assert one._quotients is not None
        return seen


def _machine(system: ScalarSystem) -> Machine:
    return Lowered.of(system, names_of(system)).machine()


def numbered(system: ScalarSystem, request: Request) -> Searched:
    with closing(search.NativeSearch(_machine(system), system, request)) as one:
        return one.run()


SYSTEMS = {
    "two words": kip320(2, 2, 2, 2),
    "three words": wide(9, 1 << 18),
    "six words": wide(18, 1 << 18),
    "one word": mutex(5),
    "few states": counter(9),
    "an end": stopper(7),
}


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("name", SYSTEMS)
def test_says_what_numbered_states_say(name: str, workers: int, small: None) -> None:
    system = SYSTEMS[name]
    asked = Request(properties=names_of(system), deadlock=True, workers=workers)
    assert timeless(compacted(system, asked)) == timeless(numbered(system, asked))


@pytest.mark.parametrize("seed", quick_sample(range(12)))
def test_random_systems(seed: int, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotient_store, "_SMALLEST_TABLE", 1 << 10)  # some have keys of 64 bits
    system = random_system(seed)
    asked = Request(properties=names_of(system), workers=1 + seed % 2)
    assert timeless(compacted(system, asked)) == timeless(numbered(system, asked))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("words", "bound", "bits", "compact_from", "joined"),
    [
        (3, 12, 15, 1, 0),
        (4, 8, 15, 1, 2),
        (4, 8, 16, 600, 2),
        (5, 5, 64, 600, 0),
        (6, 3, 15, 600, 3),
        (8, 2, 15, 1, 6),
        (8, 2, 16, 3000, 6),
        (9, 2, 17, 1, 5),
    ],
)
def test_groups_of_words_are_joined_until_a_key_has_room(
    words: int, bound: int, bits: int, compact_from: int, joined: int, workers: int,
    small: None, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(quotient_store, "_KEY_BITS", bits)
    monkeypatch.setattr(quotient_store, "_SMALLEST_TABLE", 1 << 10 if bits == 64 else 8)
    monkeypatch.setattr(search, "COMPACT_FROM", compact_from)
    system = counters(words, bound)
    asked = Request(properties=names_of(system), workers=workers)
    with closing(search.NativeSearch(_machine(system), system, asked, compacts=True)) as one:
        seen, store = one.run(), one._quotients
        assert store is not None
        assert one.pool.machine.program.words == words
        assert one.pool.run.dictionaries - words >= joined
    assert timeless(seen) == timeless(numbered(system, asked))


@pytest.mark.parametrize("load", [0.5, 0.95])  # a table in use is at most 0.85 full; at 0.99 not every key finds a line
@pytest.mark.parametrize("compact_from", [1, 300, 30_000])
def test_kip_320_at_every_size_of_its_table(
    load: float, compact_from: int, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "COMPACT_FROM", compact_from)
    monkeypatch.setattr(quotient_store, "_LOAD", load)
    monkeypatch.setattr(quotient_store, "_GROWN", load * 0.9)
    system = kip320(3, 2, 2, 1)
    asked = Request(properties=names_of(system))
    seen = compacted(system, asked)
    assert (seen.distinct, seen.depth, seen.cut) == (39619, 22, None)
    assert timeless(seen) == timeless(numbered(system, asked))


@pytest.mark.slow
def test_a_limit_of_memory_ends_it(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from isrcheck.process.budget import resident_bytes

    monkeypatch.setattr(search, "COMPACT_FROM", 100_000)
    limit = resident_bytes() + (90 << 20)
    seen = compacted(kip320(3, 3, 3, 3), Request(limits=Limits(memory=limit)))
    assert seen.cut is not None
    assert seen.cut.startswith("at the memory limit")
    assert (seen.digest, seen.distinct > 1_000_000) == (None, True)


def test_states_of_more_than_two_words_are_numbered_while_they_take_little_memory(
    small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "COMPACT_SHARE", 1 / 3)
    system = counters(3, 4)
    with closing(search.NativeSearch(_machine(system), system, Request(), compacts=True)) as one:
        one.run()
        assert one._quotients is None


@pytest.mark.slow
@pytest.mark.parametrize("compacts", [False, True])
def test_keys_of_seven_words_fit_where_states_do_not(compacts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from isrcheck.process.budget import resident_bytes

    monkeypatch.setattr(search, "COMPACT_FROM", 100_000)
    system = counters(7, 8)
    asked = Request(properties=names_of(system), limits=Limits(memory=resident_bytes() + (200 << 20)))
    with closing(search.NativeSearch(_machine(system), system, asked, compacts)) as one:
        seen = one.run()
        assert (one._quotients is not None) == compacts
    if compacts:
        assert (seen.cut, seen.distinct) == (None, 9**7)
    else:
        assert str(seen.cut).startswith("at the memory limit")


class Table:
    """A table in CPython's memory; `entries` are of any width."""

    def __init__(self, lines: int, key_bits: int, scheduler: Scheduler | None = None) -> None:
        self.lines, self.key_bits, self.layout = lines, key_bits, 0
        self.line_bits = max(lines.bit_length() - 4, 0)
        self.parts = lines >> self.line_bits
        self.reciprocal = -(-(1 << 32) // self.parts)
        self.mark_bits, self.stamp_bits, self.stamp, self.is_wide = MARK_BITS, STAMP_BITS, 1, 0
        if lines < 1 << 16:
            self.narrow = self.wide = Memory([0] * lines * quotient.LINE, scheduler)

    @property
    def any(self) -> Any:
        return self


def worker() -> Any:
    return SimpleNamespace(reached=[0] * 8, more_scratch=[0] * 64, scratch=[0] * 64, amiss=0)


def contents(table: Table) -> dict[int, int]:
    """The keys, with the actions of those of the newest level."""
    found: dict[int, int] = {}
    for line in range(table.lines):
        own = worker()
        count = KERNEL.keys_of_line(table, line, own)
        keys = own.more_scratch[:count]
        assert not set(keys) & set(found), "a key is there twice"
        found.update(zip(keys, own.scratch, strict=False))
    return found


LINES = st.integers(8, 15).flatmap(lambda parts: st.integers(0, 36).map(lambda bits: parts << bits))


@settings(deadline=None)
@given(lines=LINES, bits=st.integers(3, 64), number=st.integers(0, 2**64 - 1))
def test_a_key_is_its_line_and_the_rest_for_tables_beyond_32_bits(lines: int, bits: int, number: int) -> None:
    table = Table(lines, bits).any
    fields = number & ((1 << bits) - 1)
    x = KERNEL.key_of(table, fields)
    assert x < 1 << bits
    assert KERNEL.fields_of(table, x) == fields
    line, rest = KERNEL.line_of(table, x), KERNEL.rest_of(table, x)
    assert line < lines
    assert rest < 1 << max(13, bits - table.line_bits - 3)
    low, part = divmod(line, table.parts)
    assert KERNEL.key_at(table, low, part, rest) == x


MOVES = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 7), st.booleans()), max_size=300)


@settings(deadline=None, max_examples=60)
@given(moves=MOVES, bits=st.integers(9, 24), lines=st.sampled_from([8, 9, 15, 30]), grown=st.sampled_from([15, 16, 60]))
def test_against_a_dictionary_with_growth(
    moves: Sequence[tuple[int, int, bool]], bits: int, lines: int, grown: int
) -> None:
    """Keys with actions, some at a new level; then all of them in a table of another size and other numbers' bits."""
    with pytest.MonkeyPatch.context() as patch:
        understood(patch, quotient, units)
        table, own = Table(lines, bits), worker()
        expected: dict[int, int] = {}
        for key, action, is_new_level in moves:
            if is_new_level and table.stamp < 7:
                table.stamp += 1
                expected = dict.fromkeys(expected, 0)
            key %= 1 << bits
            is_new = KERNEL.enter(table, own, key, table.stamp << MARK_BITS | action, 0)
            assert is_new != quotient.NO_ROOM or len(expected) == lines * quotient.LINE
            if is_new == quotient.NO_ROOM:
                continue
            assert (is_new == quotient.NEW) == (key not in expected)
            if key not in expected or expected[key]:
                expected[key] = min(action, expected.get(key, action))
        assert contents(table) == expected
        counted = [own.reached[action] for action in range(8)]
        assert sum(counted) == 0  # what one action gains another loses
        after = Table(max(grown, lines), bits + 3)
        after.layout = 1
        run = SimpleNamespace(before=table, visited=after, shared=0, next_unit=Memory([0]), unit_stop=1)
        patch.setattr(quotient, "lay_out_again", lambda _run, _own, fields: 5 * fields)
        run.units = [0, lines]
        own.state = own.state_end = 0
        KERNEL.rebuild(run, own)
        assert own.amiss == 0
        fields = {5 * KERNEL.fields_of(table, key): action for key, action in expected.items()}
        assert {KERNEL.fields_of(after, key): action for key, action in contents(after).items()} == fields


def test_keys_of_one_line_fill_the_table_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    understood(monkeypatch, quotient, units)
    table, own = Table(8, 12), worker()
    keys = range(0, 128 * 16, 16)  # all of one line
    for key in keys:
        assert KERNEL.enter(table, own, key, 0, 0) == quotient.NEW
    assert KERNEL.enter(table, own, keys.stop, 0, 0) == quotient.NO_ROOM
    assert KERNEL.enter(table, own, keys[-1], 0, 0) == quotient.PRESENT
    assert set(contents(table)) == set(keys)


@pytest.mark.parametrize(
    "works", [[[(5, 2)], [(5, 1)]], [[(5, 3), (133, 1)], [(133, 2), (5, 1)]], [[(5, 1)], [(133, 1)]]]
)
def test_every_schedule_enters_each_key_once_at_one_place(
    works: Sequence[Sequence[tuple[int, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    understood(monkeypatch, quotient, units)

    def enter_all(schedule: Sequence[int]) -> int:
        scheduler = Scheduler(schedule)
        table, owns = Table(8, 9, scheduler), [worker() for _ in works]
        answers: list[int] = []

        def body(own: Any, work: Sequence[tuple[int, int]]) -> None:
            for key, action in work:
                answers.append(KERNEL.enter(table, own, key, 1 << MARK_BITS | action, 1))

        accesses = scheduler.run([partial(body, *each) for each in zip(owns, works, strict=True)])
        expected: dict[int, int] = {}
        for key, action in (each for work in works for each in work):
            expected[key] = min(action, expected.get(key, action))
        assert sorted(contents(table).values()) == sorted(expected.values())
        assert answers.count(quotient.NEW) == len(expected)
        return accesses

    for schedule in schedules(enter_all(()) + 4, 2):
        enter_all(schedule)


@pytest.mark.parametrize("works", [[[5], [5]], [[5, 6], [6, 5]], [[5], [6], [5]]])
def test_every_schedule_numbers_each_word_once(works: Sequence[Sequence[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    understood(monkeypatch, dictionaries)

    def number_all(schedule: Sequence[int]) -> int:
        scheduler = Scheduler(schedule)
        numbers = [0] * dictionaries.NUMBERS
        numbers[dictionaries.SLOTS], numbers[dictionaries.INDEX_MASK], numbers[dictionaries.LIMIT] = 7, 15, 8
        numbers[dictionaries.GROUP], numbers[dictionaries.SIZE] = 1, 1
        words = [0] * 16
        run = SimpleNamespace(
            numbers=Memory(numbers, scheduler),
            number_of=Memory([0] * 64, scheduler),
            words=Memory(words),
            most_words=16,
        )
        told: list[tuple[int, int]] = []

        def body(work: Sequence[int]) -> None:
            own = SimpleNamespace(full=0)
            told.extend((word, WORDS.number(run, own, 0, [word], 7 | 3 << 36)) for word in work)

        accesses = scheduler.run([partial(body, work) for work in works])
        assert len(set(told)) == len({word for word, _ in told}), "a word has two numbers"
        assert all(words[number] == word for word, number in told)
        return accesses

    for schedule in schedules(number_all(()) + 4, 2):
        number_all(schedule)


def test_stamps_begin_again(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one bit each level forgets the one before."""
    monkeypatch.setattr(quotient_store, "_STAMP_BITS", 1)
    for system in (kip320(2, 2, 2, 2), mutex(5)):
        asked = Request(properties=names_of(system))
        assert timeless(compacted(system, asked)) == timeless(numbered(system, asked))
