"""Searches with their states on disk say what searches in memory say."""

import ctypes
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.constraints.models import Near
from tests.fixtures.command_line import in_process
from tests.lang.models.choices import Several
from tests.liveness import small
from tests.native.systems import (
    FEW_FILES,
    Builder,
    counter,
    evaluated,
    kip320,
    little,
    mutex,
    names_of,
    on_disk,
    random_system,
    stopper,
    tight,
    timeless,
    wide,
)
from tests.native.test_agreement import ALL, bound

from isrcheck.api import check
from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import FoundFault, Limits, Request
from isrcheck.engines.native.disk import directory, search
from isrcheck.engines.native.disk.directory import CheckpointRefused
from isrcheck.engines.native.disk.memory import DiskMemory, least_capacity, memory_plan
from isrcheck.engines.native.disk.search import explore as explore_on_disk
from isrcheck.engines.native.disk.trace import DiskTracer
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.engine import search as native
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.program import ON_DISK
from isrcheck.engines.native.trace import NativeTracer
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.errors import UsageError
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.declare import Model
from isrcheck.passes import lower
from isrcheck.process.budget import resident_bytes

__all__ = ["tight"]

pytestmark = pytest.mark.usefixtures("tight")


def two_words() -> ScalarSystem:
    """Thousands of states of two words; the first word falls while the second one grows."""
    b = Builder(1 << 40, 1 << 40)
    k, (n, depth) = b.k, b.vars
    afters = (k.mod(k.add(k.mul(k.mod(n, 1 << 33), k.const(9)), k.const(7)), 1 << 33), k.div(n, 3))
    for more, after in enumerate(afters, 1):
        b.step(0, k.lt(depth, k.const(11)), {0: after, 1: k.add(k.mod(depth, 1 << 39), k.const(more))})
    b.claim("large", "reachable", k.lt(k.const(1 << 32), n))
    return b.system([1 << 32, 0])


WIDE = "more than 128 bits"
SMALL = {
    "counter": counter(100),
    "bounded counter": counter(10, bound=6),
    "stopper": stopper(7),
    "mutex of 5": mutex(5),
    "two words": two_words(),
    WIDE: wide(46, 8),
    "kip-320": kip320(2, 2, 2, 1),
}


def everything(system: ScalarSystem, workers: int = 1) -> Request:
    return Request(properties=names_of(system), deadlock=True, workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n == WIDE)) for n in SMALL])
def test_small_systems(name: str, workers: int) -> None:
    """Whether memory holds no state, some or all."""
    request = everything(SMALL[name], workers)
    wanted = timeless(explore(SMALL[name], request))
    for in_memory in (0, 50, 1 << 32):
        assert on_disk(SMALL[name], request, plan=little(in_memory=in_memory)) == wanted


def test_no_property_asked() -> None:
    assert on_disk(SMALL["kip-320"], Request()) == timeless(explore(SMALL["kip-320"], Request()))


@pytest.mark.parametrize("workers", [1, 2])
def test_levels_of_many_runs(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are merged more than once, and so are the files of states seen."""
    written = list[str]()
    write = directory.DiskDirectory.write

    def noted(self: directory.DiskDirectory, memory: object, name: str, *rest: object, **more: object) -> object:
        written.append(name.partition("-")[0])
        return write(self, memory, name, *rest, **more)  # type: ignore[arg-type]  # passed on as they come

    monkeypatch.setattr(directory.DiskDirectory, "write", noted)
    system = kip320(3, 2, 2, 1)
    request = everything(system, workers)
    assert on_disk(system, request, plan=little(merged=200)) == timeless(explore(system, request))
    assert written.count("run") > 20 * FEW_FILES
    assert written.count("seen") > 5


@pytest.mark.parametrize("examples", [6, pytest.param(250, marks=pytest.mark.slow)])
def test_random_systems(examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(
        seed=st.integers(0, 10**9),
        asks=st.booleans(),
        workers=st.integers(1, 2),
        block=st.integers(1, 5),
        piece=st.integers(1, 100),
        merged=st.integers(1, 9),
        in_memory=st.sampled_from([0, 0, 9, 300, 1 << 32]),
    )
    def agrees(seed: int, asks: bool, workers: int, block: int, piece: int, merged: int, in_memory: int) -> None:
        system = random_system(seed)
        names = names_of(system) if asks else ()
        request = Request(properties=names, deadlock=asks, workers=workers, limits=Limits(states=1000))
        plan = little(block, piece, merged, in_memory=in_memory)
        assert on_disk(system, request, plan=plan) == evaluated(system, request)

    agrees()


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_model_at_its_smallest(name: str) -> None:
    model = bound(name)
    if model.ir.constraints or model.others:
        pytest.skip("it is refused on disk")
    request = Request(properties=tuple(p.name for p in model.properties), deadlock=True)
    wanted, system = timeless(native(model, request)), lower(model, request.properties)
    for workers, in_memory in ((1, 0), (2, 0), (2, 1 << 32)):
        plan = little(merged=64, in_memory=in_memory)
        assert on_disk(system, replace(request, workers=workers), plan=plan) == wanted


@pytest.mark.parametrize("workers", [1, 2])
def test_symmetry(workers: int) -> None:
    request = replace(everything(mutex(4), workers), symmetry=True)
    assert on_disk(mutex(4), request) == timeless(explore(mutex(4), request))


@pytest.mark.parametrize("limits", [Limits(states=200), Limits(depth=5)])
def test_limits_at_the_end_of_a_level(limits: Limits) -> None:
    request = replace(everything(SMALL["kip-320"]), limits=limits)
    seen = on_disk(SMALL["kip-320"], request)
    assert seen == timeless(explore(SMALL["kip-320"], request))
    assert seen.cut is not None


def test_the_end_at_the_first_violation() -> None:
    for system in (stopper(9), mutex(3)):
        request = replace(everything(system), stop_at_first=True)
        assert on_disk(system, request) == timeless(explore(system, request))


def test_an_error_in_the_model() -> None:
    b = Builder(200)
    k, (n,) = b.k, b.vars
    b.step(0, k.true, {0: k.add(n, k.const(1))}, fault=k.eq(n, k.const(150)), pruned=k.eq(n, k.const(199)))
    with pytest.raises(FoundFault) as wanted:
        explore(b.system(), Request())
    with pytest.raises(FoundFault) as found:
        on_disk(b.system(), Request())
    assert str(found.value) == str(wanted.value)
    assert found.value.path == wanted.value.path == (0,) * 150


def test_a_limit_of_time_shows_complete_levels_only() -> None:
    whole = explore(SMALL["kip-320"], Request())
    seen = on_disk(SMALL["kip-320"], Request(limits=Limits(seconds=0)))
    assert seen.cut == "after 0 seconds"
    assert seen.digest is None
    assert seen.levels == whole.levels[: seen.depth]
    assert seen.distinct == sum(seen.levels) == 1 + sum(seen.action_distinct)


def test_too_little_memory_is_refused() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.raises(UsageError, match=r"--max-memory 9M is too small for --disk: this model needs [\d,]+M, "),
    ):
        explore_on_disk(SMALL["counter"], Path(folder), Request(limits=Limits(memory=9 << 20)))


@pytest.mark.parametrize("megabytes", [0, 100])
def test_the_memory_that_is_planned_is_kept_to(megabytes: int) -> None:
    """As the limit grows, so does the plan, and never above it."""
    with closing(WorkerPool(Lowered.of(SMALL["kip-320"], ()).machine(), 2)) as pool:
        with pytest.raises(UsageError) as too_small:
            memory_plan(0, pool)
        least = int(re.findall(r"needs ([\d,]+)M", str(too_small.value))[0].replace(",", ""))
        limit = (least + megabytes) << 20
        base = resident_bytes()
        plan = memory_plan(limit, pool)
        state, mark = 8 * pool.machine.program.words, pool.machine.mark_bytes
        states = plan.capacity + 2 * plan.merged + 34 * plan.block
        assert states * (state + mark) + 4 * plan.slots + 34 * plan.piece <= limit - base
        assert plan.capacity >= least_capacity(pool)
        assert plan.capacity <= 0.75 * plan.slots


@pytest.mark.parametrize("spread", [(0,), (7,), (8,), (15,), (0, 15), range(16)])
def test_a_range_is_sorted(spread: Sequence[int]) -> None:
    """By the last word first, whatever bytes differ; the marks go with their states."""
    lowered, rng = Lowered.of(two_words(), (), more=ON_DISK), Random(1)
    with (
        closing(WorkerPool(Machine(lowered.program, lowered.ir), 1)) as pool,
        closing(DiskMemory(pool, little(merged=3000)(pool))) as memory,
    ):
        assert pool.machine.program.words == 2
        states = list({bytes(rng.randrange(256) if i in spread else 7 for i in range(16)) for _ in range(3000)})
        for index, state in enumerate(states):
            memory.put(index, state)
            ctypes.memset(pool.run.marks + index, state[spread[0]], 1)
        pool.run_over("sort", [(0, len(states))], unit=len(states))
        wanted = sorted(states, key=lambda state: state[::-1])
        assert ctypes.string_at(pool.run.states, 16 * len(states)) == b"".join(wanted)
        assert ctypes.string_at(pool.run.marks, len(states)) == bytes(each[spread[0]] for each in wanted)


def test_what_is_behind_the_last_candidate_is_compared_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each level is below those seen: of their files only the first states are decoded."""
    b = Builder(10, 14)
    k, (_, n) = b.k, b.vars
    for place in range(10):
        b.step(0, k.lt(k.const(0), n), {0: k.const(place), 1: k.sub(n, k.const(1))})
    write = directory.DiskDirectory.write

    def damaging(self: directory.DiskDirectory, memory: object, name: str, *rest: object, **more: object) -> object:
        written = write(self, memory, name, *rest, **more)  # type: ignore[arg-type]  # passed on as they come
        if name == "level-000005":
            (tmp_path / "level-000003").write_bytes((tmp_path / "level-000003").read_bytes()[:-1] + b"\x7f")
        return written

    monkeypatch.setattr(search, "FILES", 16)
    monkeypatch.setattr(directory.DiskDirectory, "write", damaging)
    with pytest.raises(CheckpointRefused, match=r"is damaged: level-000003 is not what was written$"):
        on_disk(b.system([0, 13]), Request(), tmp_path)


def test_more_targets_than_a_mark_has_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two groups of them; what led to one of the first group leads to none of the second."""
    b = Builder(7, 7)
    k, (x, y) = b.k, b.vars
    for position, scalar in enumerate((x, y)):
        b.step(position, k.lt(scalar, k.const(6)), {position: k.add(scalar, k.const(1))})
    for place in range(8):
        b.claim(f"right {place}", "reachable", k.and_(k.eq(x, k.const(6)), k.eq(y, k.const(place % 7))))
    for place in range(1, 4):
        b.claim(f"up {place}", "reachable", k.and_(k.eq(x, k.const(0)), k.eq(y, k.const(place))))
    seen = on_disk(b.system(), everything(b.system()))
    assert seen == timeless(explore(b.system(), everything(b.system())))
    assert seen.paths["up 3"] == (1, 1, 1)
    for run, tracer in ((on_disk, DiskTracer), (explore, NativeTracer)):
        begin, marks = tracer._mark, count()

        def mark(*arguments: Any, begin: Any = begin, marks: Iterator[int] = marks) -> None:
            if next(marks) == 2:  # the first group again, for its stories
                raise Stopped("after 1 second")
            begin(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(tracer, "_mark", mark)
            late = timeless(run(b.system(), everything(b.system())))
        assert late.untold
        assert late.cut is None
        assert {name: len(path) for name, path in late.paths.items()} == {n: len(p) for n, p in seen.paths.items()}


def refused(model: type[Model] | str, **options: object) -> str:
    with pytest.raises(UsageError) as sentence, tempfile.TemporaryDirectory() as folder:
        check(model, disk=Path(folder), **options)  # type: ignore[arg-type]  # options by their names
    return str(sentence.value)


def test_what_is_refused() -> None:
    assert refused("toy-mutex", engine="reference") == (
        "the reference engine keeps its states in memory: leave --disk out, or use --engine native."
    )
    assert refused(Near) == "Near has constraints, with which no search is kept on disk: leave --disk out."
    assert refused("toy-mutex", certificate=Path("here")) == (
        "a certificate is made in memory, which --disk need not have: leave one of the two out."
    )
    assert refused(small.Lock) == (
        "the search for cycles that lock_is_freed, a temporal property, needs is not kept on disk: "
        "leave it out, or ask for other properties with --property."
    )
    assert refused(Several).startswith("Several has 4 initial states, and a search on disk begins in one")


@pytest.mark.parametrize("other", ["--checkpoint", "--resume"])
def test_the_native_engine_keeps_searches_on_disk_alone(other: str) -> None:
    done = in_process("check", "toy-mutex", other, "there")
    assert (done.returncode, done.stderr) == (
        2,
        "isrcheck: the native engine keeps no checkpoints: use --engine native with --disk.\n",
    )
