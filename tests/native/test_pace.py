"""A slice of the search is short whatever a state takes, so that signals and limits are heard between slices."""

from contextlib import closing

import pytest
from tests.native.kip320 import kip320

from isrcheck.engines.native import workers
from isrcheck.engines.native.machine import machine
from isrcheck.engines.native.workers import Segments, WorkerPool, states_in_slice


class Clock:
    """Time that passes by what is done: so many seconds for each state of a unit."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds = 0.0, seconds

    def perf_counter(self) -> float:
        return self.now


class Slices(WorkerPool):
    """Notes the sizes of slices in place of the kernel's work."""

    def __init__(self, clock: Clock, workers: int) -> None:
        system = kip320(2, 2, 2, 1)
        super().__init__(machine(system, ()), workers)
        self.clock, self.sizes = clock, list[int]()

    def _split(self, segments: Segments, unit: int) -> Segments:
        self._before, self._sliced = 0, super()._split(segments, unit)
        return self._sliced

    def _until(self, name: str, stop: int) -> list[int]:
        size = sum(end - start for start, end in self._sliced[self._before : stop])
        self._before = stop
        self.clock.now += size * self.clock.seconds
        self.sizes.append(size)
        return [0]


@pytest.mark.parametrize("count", [1, 2])
def test_a_slice_of_slow_states_is_short_whatever_the_level(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    clock = Clock(seconds=0.05)
    monkeypatch.setattr(workers, "time", clock)
    with closing(Slices(clock, count)) as pool:
        for size in (1, 12, 300, 15_000):
            pool.sizes.clear()
            pool.run_over("advance", [(0, size)])
            assert sum(pool.sizes) == size
            assert max(pool.sizes) <= count, size


def test_a_slice_of_quick_states_grows() -> None:
    clock = Clock(seconds=1e-7)
    with pytest.MonkeyPatch.context() as patch, closing(Slices(clock, 1)) as pool:
        patch.setattr(workers, "time", clock)
        pool.run_over("advance", [(0, 3_000_000)])
    assert pool.sizes[0] == 64
    assert max(pool.sizes) >= 300_000
    assert states_in_slice(1000, 0.08) == 500
