"""The kernel's own text, run by CPython under a scheduler that decides at every access to shared memory who goes on.

All schedules with at most so many preemptions are tried, one after the other: what a lost race does is then no matter
of luck.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from types import ModuleType
from typing import Any

import pytest

_PATIENCE = 20  # seconds that one access may take


class Scheduler:
    """Threads of which one runs; another takes over before the accesses whose numbers are given, or at an end."""

    def __init__(self, preemptions: Sequence[int]) -> None:
        self._preemptions = set(preemptions)
        self._turn = threading.Condition()
        self._order: list[int] = []
        self._me = threading.local()
        self._failures: list[BaseException] = []
        self.accesses = 0

    def run(self, bodies: Sequence[Callable[[], object]]) -> int:
        """Runs the bodies to their ends; returns how many accesses they made."""
        self._order = list(range(len(bodies)))
        threads = [threading.Thread(target=self._body, args=each, daemon=True) for each in enumerate(bodies)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(_PATIENCE)
            assert not thread.is_alive(), "a worker waits for ever"
        if self._failures:
            raise self._failures[0]
        return self.accesses

    def _body(self, number: int, body: Callable[[], object]) -> None:
        self._me.number = number
        with self._turn:
            self._turn.wait_for(lambda: self._order[0] == number)
        try:
            body()
        except BaseException as error:
            self._failures.append(error)
        with self._turn:
            self._order.remove(number)
            self._order.append(-1)
            self._turn.notify_all()

    def access(self) -> None:
        number = getattr(self._me, "number", None)
        if number is None:
            return
        self.accesses += 1
        assert self.accesses < 10_000, "the workers never end"
        if self.accesses in self._preemptions and self._order[1:2] not in ([], [-1]):
            with self._turn:
                alive = [each for each in self._order if each >= 0]
                self._order = [*alive[1:], alive[0], *([-1] * (len(self._order) - len(alive)))]
                self._turn.notify_all()
                self._turn.wait_for(lambda: self._order[0] == number)


class Memory:
    """An array of the dialect; `shared` if other workers see it."""

    def __init__(self, numbers: list[int], scheduler: Scheduler | None = None, first: int = 0) -> None:
        self.numbers, self.scheduler, self.first = numbers, scheduler, first

    def __getitem__(self, position: int) -> int:
        if self.scheduler:
            self.scheduler.access()
        return self.numbers[self.first + position]

    def __setitem__(self, position: int, value: int) -> None:
        if self.scheduler:
            self.scheduler.access()
        self.numbers[self.first + position] = value


def at(array: Memory, position: int) -> Memory:
    return Memory(array.numbers, array.scheduler, array.first + position)


def prefetch(array: Memory, position: int) -> None:
    pass


def acquire(array: Memory, position: int) -> int:
    return array[position]


def publish(array: Memory, position: int, old: int, new: int) -> bool:
    if array[position] != old:
        return False
    array.numbers[array.first + position] = new
    return True


def take(array: Memory, position: int, count: int) -> int:
    before = array[position]
    array.numbers[array.first + position] = before + count
    return before


def bits(mask: int) -> Iterator[int]:
    return (position for position in range(mask.bit_length()) if mask >> position & 1)


DIALECT = {"at": at, "prefetch": prefetch, "acquire": acquire, "publish": publish, "take": take, "bits": bits}


def understood(patch: pytest.MonkeyPatch, *modules: ModuleType, **more: Any) -> None:
    """Gives kernel modules the words of the dialect as functions, and whatever else is to mean something else."""
    for module in modules:
        for name, value in {**DIALECT, **more}.items():
            if hasattr(module, name):
                patch.setattr(module, name, value)


def schedules(accesses: int, preemptions: int) -> Iterator[tuple[int, ...]]:
    """The accesses before which another worker takes over: none, one, and so on."""
    for count in range(preemptions + 1):
        yield from combinations(range(1, accesses + 1), count)
