"""What a search says when it is cut short, when a model is wrong, and with several workers."""

import itertools
import os
import signal
import threading
from array import array
from contextlib import closing

import pytest
from tests.native.systems import (
    Builder,
    counter,
    evaluated,
    kip320,
    mutex,
    names_of,
    random_system,
    stopper,
    timeless,
    wide,
)

from isrcheck.engines.common.targets import AT_FIRST, NothingLeft, Stopped, StopPolicy
from isrcheck.engines.contract import DEADLOCK, FoundFault, Limits, Progress, Request
from isrcheck.engines.native import compile as compiling
from isrcheck.engines.native import search
from isrcheck.engines.native import workers as worker_pools
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.workers import Segments, WorkerPool, states_in_slice
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import kind_by_name
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.process.budget import resident_bytes


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several workers share even the smallest level."""
    monkeypatch.setattr("isrcheck.engines.native.workers.SHARED_FROM", 1)


@pytest.mark.parametrize(
    ("constants", "distinct", "depth"),
    [((2, 2, 2, 2), 5973, 18), ((3, 2, 2, 1), 39619, 22), ((3, 2, 2, 2), 737794, 26)],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_kip_320(constants: tuple[int, int, int, int], distinct: int, depth: int, workers: int) -> None:
    system = kip320(*constants)
    seen = explore(system, Request(properties=names_of(system), workers=workers))
    assert (seen.distinct, seen.depth, seen.paths, seen.cut) == (distinct, depth, {}, None)
    assert sum(seen.action_distinct) == distinct - 1
    assert sum(seen.action_generated) == seen.generated - 1


@pytest.mark.parametrize("system", [mutex(5), stopper(7), wide(25, 8), kip320(2, 2, 2, 2)])
@pytest.mark.parametrize("symmetry", [False, True])
def test_any_number_of_workers_says_the_same(system: ScalarSystem, symmetry: bool, eager: None) -> None:
    if symmetry and not system.symmetries:
        pytest.skip("nothing to swap")
    asked = Request(properties=names_of(system), deadlock=True, symmetry=symmetry)
    one = timeless(explore(system, asked))
    for workers in (2, 3, 8):
        for _ in range(3):
            assert timeless(explore(system, replace(asked, workers=workers))) == one


@pytest.mark.parametrize("seed", range(20))
def test_workers_agree_with_the_evaluator(seed: int, eager: None) -> None:
    system = random_system(seed)
    request = Request(properties=names_of(system), workers=3)
    assert timeless(explore(system, request)) == evaluated(system, request)


def end_after_level(request: Request, decided: str) -> Stopped | None:
    """Return how a search of `safe`, an invariant, and `met`, a reachability property, ends at 9 states in 3 levels."""
    kinds = {"safe": kind_by_name("invariant"), "met": kind_by_name("reachable")}
    try:
        StopPolicy(request, kinds).after_level(decided.split(), 9, 3)
    except Stopped as stopped:
        return stopped
    return None


BOTH = Request(properties=("safe", "met"))
FIRST = replace(BOTH, stop_at_first=True)


@pytest.mark.parametrize(
    ("asked", "decided", "reason"),
    [
        (BOTH, "safe met", "when every property was decided"),
        (replace(BOTH, deadlock=True), f"safe met {DEADLOCK}", "when every property was decided"),
        (Request(deadlock=True), DEADLOCK, "when every property was decided"),
        (FIRST, "safe", AT_FIRST),
        (FIRST, "met safe", "when every property was decided"),
        (replace(FIRST, deadlock=True), DEADLOCK, AT_FIRST),
        (replace(FIRST, temporal=("ends",)), "met safe", AT_FIRST),
        (replace(BOTH, limits=Limits(states=9, depth=3)), "safe met", "when every property was decided"),
        (replace(FIRST, limits=Limits(states=9, depth=3)), "safe", AT_FIRST),
    ],
)
def test_a_search_that_would_change_no_answer_ends_after_a_level(asked: Request, decided: str, reason: str) -> None:
    end = end_after_level(asked, decided)
    assert (type(end), str(end)) == (NothingLeft, reason)


@pytest.mark.parametrize(
    ("asked", "decided"),
    [
        (Request(), ""),
        (BOTH, ""),
        (BOTH, "safe"),
        (BOTH, "met"),
        (replace(BOTH, deadlock=True), "safe met"),
        (replace(BOTH, deadlock=True), f"safe {DEADLOCK}"),
        (replace(BOTH, temporal=("ends",)), "safe met"),
        (Request(temporal=("ends",)), ""),
        (FIRST, ""),
        (FIRST, "met"),
    ],
)
def test_a_search_goes_on_while_an_answer_may_change(asked: Request, decided: str) -> None:
    assert end_after_level(asked, decided) is None


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(states=10, depth=4), None),
        (Limits(states=9, depth=4), "after 9 states"),
        (Limits(states=8), "after 9 states"),
        (Limits(states=10, depth=3), "after 3 levels"),
        (Limits(depth=2), "after 3 levels"),
        (Limits(states=9, depth=3), "after 9 states"),
    ],
)
def test_a_limit_that_a_level_reaches_cuts_the_search(limits: Limits, reason: str | None) -> None:
    for request in (BOTH, replace(FIRST, temporal=("ends",))):
        end = end_after_level(replace(request, limits=limits), "met")
        assert (end and (type(end), str(end))) == (reason and (Stopped, reason))


def test_a_limit_of_states_ends_at_the_end_of_a_level() -> None:
    seen = explore(counter(100), Request(limits=Limits(states=7)))
    assert (seen.distinct, seen.depth, seen.cut, seen.digest) == (7, 7, "after 7 states", None)


def test_a_limit_of_levels() -> None:
    seen = explore(counter(100), Request(limits=Limits(depth=5)))
    assert len(seen.levels) == 5
    assert (seen.distinct, seen.depth, seen.generated, seen.cut) == (5, 5, 5, "after 5 levels")


def test_a_limit_that_is_not_reached_is_no_cut() -> None:
    assert explore(counter(5), Request(limits=Limits(states=6, depth=6, seconds=60.0, memory=8 << 30))).complete


def test_a_limit_of_time() -> None:
    seen = explore(kip320(3, 3, 3, 3), Request(limits=Limits(seconds=0.2)))
    assert seen.cut == "after 0.2 seconds"
    assert seen.digest is None
    assert not seen.interrupted
    assert seen.seconds >= 0.2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_limit_of_memory_is_respected(workers: int) -> None:
    limit = resident_bytes() + (100 << 20)
    seen = explore(kip320(3, 3, 3, 3), Request(workers=workers, limits=Limits(memory=limit)))
    assert seen.cut is not None
    assert seen.cut.startswith("at the memory limit, after ")
    assert seen.distinct > 500_000
    assert seen.digest is None


def test_no_memory_at_all() -> None:
    seen = explore(counter(5), Request(limits=Limits(memory=1)))
    assert seen.cut is not None
    assert seen.cut.startswith("at the memory limit")


def test_ctrl_c_ends_in_good_order() -> None:
    """The signal comes with the first report, and not by a clock, which a busy machine would outrun."""
    signals = iter([signal.SIGINT])

    def interrupt(_: Progress) -> None:
        for number in signals:
            os.kill(os.getpid(), number)

    seen = explore(kip320(3, 3, 3, 3), Request(progress=interrupt))
    assert seen.interrupted
    assert seen.cut == "by the user"
    assert seen.digest is None
    assert seen.distinct > 1


@pytest.mark.parametrize(("states", "count"), [(0, 1), (8191, 1), (8192, 2), (10**9, 3)])
def test_as_many_workers_take_part_as_a_level_is_worth(states: int, count: int) -> None:
    with closing(WorkerPool(Lowered.of(mutex(2), ()).machine(), 3)) as pool:
        pool.share(states)
        assert (pool.active, pool.run.shared) == (count, int(count > 1))


def test_who_waits_for_another_worker_is_counted(eager: None) -> None:
    system = kip320(2, 2, 2, 2)
    with closing(search.NativeSearch(Lowered.of(system, ()).machine(), system, Request(workers=2))) as alike:
        alike.run()
        assert sum(alike.pool.waited) > 0  # one of them is the last in every slice


def test_ctrl_c_in_the_progress_report() -> None:
    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    seen = explore(kip320(3, 3, 3, 3), Request(progress=stop))
    assert seen.interrupted
    assert seen.cut == "by the user"


def test_progress_is_told() -> None:
    told: list[Progress] = []
    explore(kip320(3, 3, 3, 3), Request(progress=told.append, limits=Limits(seconds=0.5)))
    assert told
    assert told[-1].distinct > told[0].distinct > 0


def test_a_worker_that_dies_fails_the_run(monkeypatch: pytest.MonkeyPatch, eager: None) -> None:
    from isrcheck.engines.native.machine import Machine

    original = Machine.function

    def dying(self: Machine, name: str):  # type: ignore[no-untyped-def]  # stands in for a method
        def call(run: object, worker: object) -> int:
            if name == "advance" and threading.current_thread() is not threading.main_thread():
                raise MemoryError("no more")
            return original(self, name)(run, worker)

        return call

    monkeypatch.setattr(Machine, "function", dying)
    with pytest.raises(MemoryError):
        explore(mutex(5), Request(workers=2))


def test_the_table_grows_without_losing_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    from isrcheck.engines.native import store

    monkeypatch.setattr(store, "_SMALLEST_TABLE", 1 << 4)
    monkeypatch.setattr(store, "_QUADRUPLE_BELOW", 0)
    for workers in (1, 2):
        assert explore(kip320(3, 2, 2, 2), Request(workers=workers)).distinct == 737794


def faulty(kind: str) -> ScalarSystem:
    b = Builder(8, 3)
    k, (n, m) = b.k, b.vars
    three = k.eq(n, k.const(3))
    b.step(0, k.lt(m, k.const(2)), {1: k.add(m, k.const(1))})
    b.step(1, k.lt(n, k.const(7)), {0: k.add(n, k.const(1))}, fault=three if kind == "instance" else None)
    b.claim("fine", "invariant", k.lt(n, k.const(9)), fault=three if kind == "invariant" else None)
    b.claim("move", "step", k.true, k.true, fault=three if kind == "step" else None)
    return b.system()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("kind", "path", "instance", "name"),
    [("instance", (1, 1, 1), 1, None), ("invariant", (1, 1, 1), None, "fine"), ("step", (1, 1, 1), None, "move")],
)
def test_a_fault_of_the_model(
    kind: str, path: tuple[int, ...], instance: int | None, name: str | None, workers: int, eager: None
) -> None:
    with pytest.raises(FoundFault) as fault:
        explore(faulty(kind), Request(properties=("fine", "move"), workers=workers))
    assert (fault.value.path, fault.value.instance, fault.value.property) == (path, instance, name)


def test_a_system_without_steps() -> None:
    b = Builder(2, 1)
    b.claim("zero", "invariant", b.k.eq(b.vars[0], b.k.const(0)))
    seen = explore(b.system(), Request(properties=("zero",), deadlock=True))
    assert (seen.distinct, seen.generated, seen.depth, seen.paths) == (1, 1, 1, {"deadlock": ()})


def test_a_warm_start_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    system = kip320(2, 2, 2, 2)
    explore(system, Request())
    monkeypatch.setattr(compiling, "object_code", None)
    explore(system, Request())


@pytest.mark.parametrize("system", [wide(25, 8), stopper(7)])
def test_what_an_unfinished_level_shows_is_reported(system: ScalarSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is cut when states of a level were found and not judged says which properties they violate."""
    names = tuple(each.name for each in system.properties)
    whole = explore(system, Request(properties=names, deadlock=True))
    lengths = {name: len(path) for name, path in whole.paths.items()}
    assert max(lengths.values()) > 1
    pause = search.NativeSearch._pause
    for level in range(1, whole.depth):

        def cut(self: search.NativeSearch, level: int = level) -> None:
            if len(self.store.levels) > level:
                raise Stopped("by hand")
            pause(self)

        monkeypatch.setattr(search.NativeSearch, "_pause", cut)
        seen = explore(system, Request(properties=names, deadlock=True))
        assert seen.cut == "by hand"
        expected = {name: n for name, n in lengths.items() if n + (name == "deadlock") <= level}
        assert {name: len(path) for name, path in seen.paths.items()} == expected


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
        super().__init__(Lowered.of(system, ()).machine(), workers)
        self.clock, self.sizes = clock, list[int]()

    def _split(self, segments: Segments, unit: int) -> "tuple[array[int], array[int]]":
        self._before, self._sliced = 0, super()._split(segments, unit)
        return self._sliced

    def _until(self, name: str, stop: int) -> list[int]:
        firsts, ends = (each[self._before : stop] for each in self._sliced)
        size = sum(ends) - sum(firsts)
        self._before = stop
        self.clock.now += size * self.clock.seconds
        self.sizes.append(size)
        return [0]


@pytest.mark.parametrize("count", [1, 2])
def test_a_slice_of_slow_states_is_short_whatever_the_level(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    clock = Clock(seconds=0.05)
    monkeypatch.setattr(worker_pools, "time", clock)
    with closing(Slices(clock, count)) as pool:
        for size in (1, 12, 300, 15_000):
            pool.sizes.clear()
            pool.run_over("advance", [(0, size)])
            assert sum(pool.sizes) == size
            assert max(pool.sizes) <= count, size


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_that_take_turns_have_parts_of_their_own(workers: int) -> None:
    with closing(WorkerPool(Lowered.of(kip320(2, 2, 2, 1), ()).machine(), workers)) as pool:
        pool.share(1 << 20)
        units = [*zip(*pool._split([(0, 5000), (6000, 6000), (7000, 7100)], 64), strict=True)]
    assert sorted(state for each in units for state in range(*each)) == [*range(5000), *range(7000, 7100)]
    own = [units[worker::workers] for worker in range(workers)]
    assert [sorted(each) for each in own] == own
    assert all(before[-2] < after[0] for before, after in itertools.pairwise(own))


def test_a_slice_of_quick_states_grows() -> None:
    clock = Clock(seconds=1e-7)
    with pytest.MonkeyPatch.context() as patch, closing(Slices(clock, 1)) as pool:
        patch.setattr(worker_pools, "time", clock)
        pool.run_over("advance", [(0, 3_000_000)])
    assert pool.sizes[0] == 64
    assert max(pool.sizes) >= 300_000
    assert states_in_slice(1000, 0.08) == 500
