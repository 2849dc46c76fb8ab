"""A search that begins with provisional code says the same, whenever optimized code takes its place."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from tests.constraints.models import Near, NoWayBack
from tests.native.systems import evaluated, kip320, mutex, names_of, random_system, timeless
from tests.native.test_agreement import SLOW_TO_COMPILE, SMALL

from isrcheck.catalogue import find_model
from isrcheck.engines import evaluator
from isrcheck.engines.contract import Limits, Request, Searched
from isrcheck.engines.native import compile as compiling
from isrcheck.engines.native import engine, lowered
from isrcheck.engines.native.compile import Effort, compile_ir
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.lanes import TooWide
from isrcheck.engines.native.lowered import Lowered, OptimizingProcess, TieredMachine, read_lowered
from isrcheck.engines.native.search import NativeSearch
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel

ROOT = Path(__file__).parents[2]
NEVER = 10**9


class Optimizer:
    """In place of the other process: ready when it has been asked so often."""

    asked = 0
    ready_after = 0

    def __init__(self, pickled: bytes) -> None:
        ir, Optimizer.asked = read_lowered(pickled).for_optimizer().ir, 0
        self._code = compiling.object_code(ir, compiling.Effort.OPTIMIZED)

    def code(self) -> bytes | None:
        Optimizer.asked += 1
        return self._code if Optimizer.asked > Optimizer.ready_after else None

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def optimizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowered, "OptimizingProcess", Optimizer)
    monkeypatch.setattr(lowered, "_PATIENCE", 0.0)


def searched(system: ScalarSystem, request: Request, ready_after: int = NEVER) -> tuple[Searched, list[Lowered]]:
    """What the search says, and what was kept for later ones when optimized code took over."""
    Optimizer.ready_after, kept = ready_after, list[Lowered]()
    asked = request.properties, request.symmetry
    provisional = Lowered.of(system, *asked, provisional=True)
    machine = TieredMachine(provisional, provisional.to_bytes, kept.append, lambda: None)
    began_with = machine._code
    with closing(NativeSearch(machine, system, request)) as search:
        seen = search.run()
    assert (machine._code is not began_with) == bool(kept)
    return timeless(seen), kept


@pytest.mark.parametrize("ask", [False, True])
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW_TO_COMPILE)) for n in SMALL])
def test_provisional_code_says_what_the_evaluator_says(name: str, ask: bool) -> None:
    system = SMALL[name]
    names = names_of(system) if ask else ()
    request = Request(properties=names, deadlock=ask)
    assert searched(system, request)[0] == evaluated(system, request)


@pytest.mark.parametrize("examples", [6, pytest.param(250, marks=pytest.mark.slow)])
def test_provisional_code_of_random_systems(examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 10**9), all_of_them=st.booleans(), ready_after=st.sampled_from([0, 2, NEVER]))
    def agrees(seed: int, all_of_them: bool, ready_after: int) -> None:
        system = random_system(seed)
        names = names_of(system) if all_of_them else ()
        request = Request(properties=names, limits=Limits(states=3000))
        try:
            seen = searched(system, request, ready_after)[0]
        except TooWide:
            reject()
        assert seen == evaluated(system, request)

    agrees()


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("ready_after", [0, 1, 3, 7, NEVER])
def test_optimized_code_takes_over_at_any_time(ready_after: int, symmetry: bool) -> None:
    system = kip320(2, 2, 2, 2)
    request = Request(properties=names_of(system), symmetry=symmetry)
    wanted = timeless(explore(system, request))
    seen, kept = searched(system, request, ready_after)
    assert seen == wanted
    assert [each.provisional for each in kept] == [False] * (ready_after < NEVER)


def test_with_several_workers() -> None:
    system, names = kip320(3, 2, 2, 1), ("weak_isr",)
    wanted = timeless(explore(system, Request(properties=names)))
    assert searched(system, Request(properties=names, workers=2), 5)[0] == wanted


def test_violations_and_their_paths() -> None:
    for system in (mutex(5), SMALL["bounded counter"]):
        request = Request(properties=names_of(system), deadlock=True)
        wanted = timeless(explore(system, request))
        assert wanted.paths
        assert [searched(system, request, after)[0] for after in (0, 2, NEVER)] == [wanted] * 3


def bound_of(source: str | type[Model]) -> BoundModel:
    return bind(read_model(source if isinstance(source, type) else find_model(source)), {})


@pytest.mark.parametrize("ready_after", [0, NEVER])
@pytest.mark.parametrize(
    "source",
    [
        f"{ROOT}/examples/two_phase.py:TwoPhase",  # messages
        f"{ROOT}/examples/chang_roberts.py:ChangRoberts",  # several initial states
        NoWayBack,  # constraints
        Near,
        "toy-crossing-careless",
    ],
)
def test_models_as_the_evaluator_says(
    source: str | type[Model], ready_after: int, began_provisional: Callable[[], list[bool]]
) -> None:
    model = bound_of(source)
    Optimizer.ready_after = ready_after
    asked = Request(properties=tuple(each.name for each in model.properties), deadlock=True)
    seen, wanted = (timeless(each.search(model, asked)) for each in (engine, evaluator))
    assert seen == wanted
    assert began_provisional() == [True]


@pytest.fixture
def began_provisional(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[[], list[bool]]:
    """Every model begins so; which machines were made."""
    made: list[bool] = []

    class Counted(TieredMachine):
        def __init__(self, *given: object) -> None:
            made.append(True)
            super().__init__(*given)  # type: ignore[arg-type] # handed on as they are

    monkeypatch.setattr(engine, "TieredMachine", Counted)
    monkeypatch.setattr(engine, "WORTH_KEEPING", 0.0)
    monkeypatch.setattr(lowered, "_origin", lambda _: b"made here\n")
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    return lambda: made


def test_a_later_run_begins_with_the_code_that_took_over(began_provisional: Callable[[], list[bool]]) -> None:
    bound = bound_of("toy-seats")
    Optimizer.ready_after = 0
    first = engine.search(bound, Request())
    assert began_provisional() == [True]
    assert engine.search(bound, Request()).digest == first.digest
    assert began_provisional() == [True]


@pytest.mark.parametrize(("patience", "began"), [(1e9, [True] * 3), (0.0, [True])], ids=["short", "long"])
def test_a_later_run_optimizes_at_once_where_the_search_lasted(
    patience: float, began: list[bool], began_provisional: Callable[[], list[bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lowered, "_PATIENCE", patience)
    bound = bound_of("toy-seats")
    Optimizer.ready_after = NEVER
    digests = {engine.search(bound, Request()).digest for _ in range(3)}
    assert (began_provisional(), len(digests)) == (began, 1)


def test_a_later_run_of_a_long_text_begins_so_again(
    began_provisional: Callable[[], list[bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lowered, "_PATIENCE", 0.0)
    monkeypatch.setattr(lowered, "_SHORT", 0)
    bound = bound_of("toy-seats")
    Optimizer.ready_after = NEVER
    digests = {engine.search(bound, Request()).digest for _ in range(2)}
    assert (began_provisional(), len(digests)) == ([True, True], 1)


def test_limited_memory_is_for_the_search_alone(began_provisional: Callable[[], list[bool]]) -> None:
    bound = bound_of("toy-seats")
    engine.search(bound, Request(limits=Limits(memory=8 << 30)))
    assert began_provisional() == []


TEXT = "define i64 @f() {\n  ret i64 7\n}\n"


def test_the_other_process_makes_the_same_code() -> None:
    system = mutex(2)
    provisional = Lowered.of(system, names_of(system), provisional=True)
    with closing(OptimizingProcess(provisional.to_bytes())) as process:
        process._process.wait(60)
        optimized = Lowered.of(system, names_of(system)).ir
        assert process.code() == compiling.object_code(optimized, compiling.Effort.OPTIMIZED)


def test_code_that_took_over_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    _, (kept,) = searched(mutex(3), Request(), ready_after=0)
    monkeypatch.setattr(compiling, "object_code", None)
    assert compile_ir(kept.ir).address("advance")


@pytest.mark.parametrize("executable", ["/bin/false", "/nowhere"])
def test_without_another_process_the_code_stays(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowered, "OptimizingProcess", OptimizingProcess)
    monkeypatch.setattr(sys, "executable", executable)
    system = mutex(3)
    seen, kept = searched(system, Request())
    assert (seen.digest, kept) == (explore(system, Request()).digest, [])


def test_what_is_not_needed_any_more_is_ended() -> None:
    process = OptimizingProcess(Lowered.of(mutex(2), (), provisional=True).to_bytes())
    process.close()
    assert process._process.returncode is not None


def test_only_what_is_short_is_optimized_at_once_after_a_long_search() -> None:
    large, small = (Lowered.of(system, names_of(system), provisional=True) for system in (kip320(3, 2, 2, 1), mutex(2)))
    assert [lowered.is_short(each) for each in (large, small)] == [False, True]


def test_codes_of_one_text_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    for effort in Effort:
        compile_ir(TEXT, effort)
    assert len(list(tmp_path.iterdir())) == 2  # what is made in haste is not kept
