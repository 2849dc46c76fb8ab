"""Workers at one table: whoever is interrupted wherever, nothing is lost and nothing is there twice.

The outcome is the same, byte for byte, for any number of workers and any number of runs.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from tests.native.schedules import Memory, Scheduler, schedules, understood
from tests.native.systems import kip320, mutex, names_of, timeless

from isrcheck import check
from isrcheck.engines.contract import Request
from isrcheck.engines.native import store
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.kernel import states, table, units
from isrcheck.ir.frozen import replace

SLOTS, STATES = 8, 32
MASK = 0xF  # an index below 16, and 28 bits of tag

INSERT: Any = table.insert_batch  # called with stand-ins, as is the other
REFILL: Any = table.refill
Hash = Callable[[int], int]
HASHES: dict[str, Hash] = {
    "one slot and one tag": lambda word: 7,
    "one slot": lambda word: 7 | word << 36,
    "apart": lambda word: word | word << 36,
}


class Table:
    """A small table under a scheduler, empty or with some states in the array before it."""

    def __init__(self, preemptions: Sequence[int], listed: Sequence[int] = ()) -> None:
        self.scheduler = Scheduler(preemptions)
        self.words, self.entries = [0] * STATES, [0] * SLOTS
        self.words[: len(listed)] = listed
        self.marks = [99] * STATES
        self.units = [0, 0]
        self.run: Any = SimpleNamespace(
            states=Memory(self.words, self.scheduler),
            marks=Memory(self.marks, self.scheduler),
            table=Memory(self.entries, self.scheduler),
            next_block=Memory([0], self.scheduler),
            next_unit=Memory([1]),
            unit_stop=0,
            slots=SLOTS - 1,
            index_mask=MASK,
            fresh=0,
            block_size=2,
            shared=1,
        )

    def found(self) -> dict[int, int]:
        """The states that the table holds, each once, with their marks."""
        places = [(entry & MASK) - 1 for entry in self.entries if entry]
        assert len({self.words[place] for place in places}) == len(places), "a state is there twice"
        return {self.words[place]: self.marks[place] for place in places}


def worker(successors: Sequence[tuple[int, int]]) -> Any:
    words, marks = (list(each) for each in zip(*successors, strict=True))
    return SimpleNamespace(
        successors=Memory(words), marks=Memory(marks), hashes=Memory([0] * len(words)), index=0, index_end=0, distinct=0
    )


def insert_all(preemptions: Sequence[int], work: Sequence[Sequence[tuple[int, int]]]) -> int:
    """Inserts states with marks, a list for each worker, under one schedule; returns the accesses made."""
    made, workers = Table(preemptions), [worker(each) for each in work]
    bodies = [partial(INSERT, made.run, *each) for each in zip(workers, map(len, work), strict=True)]
    accesses = made.scheduler.run(bodies)
    expected: dict[int, int] = {}
    for state, mark in (pair for each in work for pair in each):
        expected[state] = min(mark, expected.get(state, mark))
    assert made.found() == expected
    assert sum(each.distinct for each in workers) == len(expected)
    return accesses


@pytest.mark.parametrize("kind", HASHES)
@pytest.mark.parametrize(
    ("work", "preemptions"),
    [
        ([[(5, 2)], [(5, 1)]], 3),
        ([[(5, 1)], [(6, 1)]], 3),
        ([[(5, 3), (6, 1)], [(6, 2), (5, 1)]], 2),
        ([[(5, 3)], [(5, 2)], [(5, 1)]], 2),
        ([[(5, 1)], [(6, 1)], [(7, 1)]], 2),
    ],
)
def test_every_schedule_inserts_each_state_once_with_its_least_mark(
    kind: str, work: list[list[tuple[int, int]]], preemptions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    understood(monkeypatch, units, states, table, scramble=lambda words: HASHES[kind](words[0]))
    for schedule in schedules(insert_all((), work) + 4, preemptions):
        insert_all(schedule, work)


@pytest.mark.parametrize("kind", HASHES)
def test_every_schedule_fills_a_new_table_with_all_states(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    understood(monkeypatch, units, states, table, scramble=lambda words: HASHES[kind](words[0]))

    def fill(schedule: Sequence[int]) -> int:
        made = Table(schedule, [5, 6, 7, 9])

        def part(first: int) -> Callable[[], object]:
            ours: Any = SimpleNamespace(state=first, state_end=first + 2, hashes=Memory([0] * 4))
            return lambda: REFILL(made.run, ours)

        accesses = made.scheduler.run([part(0), part(2)])
        assert set(made.found()) == {5, 6, 7, 9}
        return accesses

    for schedule in schedules(fill(()) + 4, 2):
        fill(schedule)


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_many_workers_at_a_crowded_table_agree_with_one(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled kernel, in threads: small blocks, a table that is nearly full, every level shared."""
    monkeypatch.setattr("isrcheck.engines.native.workers.SHARED_FROM", 1)
    monkeypatch.setattr(store, "_BLOCK", 4)
    monkeypatch.setattr(store, "_LOAD", 0.95)
    monkeypatch.setattr(store, "_SMALLEST_TABLE", 1 << 4)
    for system in (mutex(5), kip320(2, 2, 2, 2)):
        asked = Request(properties=names_of(system))
        one = timeless(explore(system, asked))
        for _ in range(5):
            assert timeless(explore(system, replace(asked, workers=workers))) == one


NOISE = ("seconds", "startup_seconds", "peak_rss_bytes", "workers", "command")
KIP_101 = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}


def facts(workers: int, *, symmetry: bool = False) -> str:
    outcome = check("kip-101", workers=workers, symmetry=symmetry, deadlock=True, constants=KIP_101)
    traces = [p.trace.to_json() for p in outcome.properties if p.trace]
    kept = {k: v for k, v in outcome.to_dict().items() if k not in NOISE}
    return json.dumps([kept, traces])


@pytest.mark.parametrize("symmetry", [False, True])
def test_any_number_of_workers_gives_the_same_outcome(symmetry: bool) -> None:
    assert len({facts(workers, symmetry=symmetry) for workers in (1, 2, 3, 8)}) == 1


@pytest.mark.slow
def test_twenty_runs_of_each_number_of_workers_give_the_same_outcome() -> None:
    assert len({facts(workers) for workers in (1, 2, 3, 8) for _ in range(20)}) == 1
