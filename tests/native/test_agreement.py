"""The native engine and the scalar evaluator say the same of toys, designs and random systems, also with symmetry."""

import math
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.native.systems import (
    counter,
    evaluated,
    kip320,
    mutex,
    mutex_builder,
    names_of,
    race,
    random_system,
    stopper,
    timeless,
    wide,
)
from tests.slow import quick_sample

from isrcheck.engines import evaluator
from isrcheck.engines.common import story
from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Limits, Path, Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, State
from isrcheck.engines.native import engine
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.symmetry import swap_sequence
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import DEADLOCK
from isrcheck.ir.scalar import ScalarProperty, ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import OutOfBudget
from isrmodel.catalogue import MODELS
from isrtoys import TOYS

SMALL = {
    "counter": counter(10),
    "bounded counter": counter(10, bound=6),
    "large counter": counter(300),
    "stopper": stopper(7),
    "mutex of 2": mutex(2),
    "mutex of 3": mutex(3),
    "mutex of 5": mutex(5),
    "one word": wide(5, 3),
    "two words": wide(8, 9),
    "more than 64 bits": wide(25, 8),
    "more than 128 bits": wide(46, 8),
}


SLOW_TO_COMPILE = ("more than 64 bits", "more than 128 bits")


def requests() -> Iterator[object]:
    """Every system with every request; those that compile for seconds have one quick request."""
    for name, ask, deadlock, stop_at_first in product(SMALL, ((), "all"), (False, True), (False, True)):
        slow = name in SLOW_TO_COMPILE and (ask, deadlock, stop_at_first) != ("all", True, False)
        label = f"{name}-{ask or 'nothing'}-{deadlock}-{stop_at_first}"
        yield pytest.param(name, ask, deadlock, stop_at_first, id=label, marks=[pytest.mark.slow] * slow)


@pytest.mark.parametrize(("name", "ask", "deadlock", "stop_at_first"), [*requests()])
def test_small_systems(name: str, ask: Sequence[str] | str, deadlock: bool, stop_at_first: bool) -> None:
    system = SMALL[name]
    names = names_of(system) if ask == "all" else ()
    request = Request(properties=names, deadlock=deadlock, stop_at_first=stop_at_first)
    assert timeless(explore(system, request)) == evaluated(system, request)


@pytest.mark.parametrize("name", ["bounded counter", "stopper", "mutex of 3"])
def test_each_property_alone(name: str) -> None:
    system = SMALL[name]
    for each in names_of(system):
        request = Request(properties=(each,))
        assert timeless(explore(system, request)) == evaluated(system, request)


@pytest.mark.parametrize("examples", [6, pytest.param(250, marks=pytest.mark.slow)])
def test_random_systems(examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 10**9), all_of_them=st.booleans(), deadlock=st.booleans(), stop=st.booleans())
    def agrees(seed: int, all_of_them: bool, deadlock: bool, stop: bool) -> None:
        agree_on_random_system(seed, all_of_them, deadlock, stop)

    agrees()


def agree_on_random_system(seed: int, all_of_them: bool, deadlock: bool, stop: bool) -> None:
    system = random_system(seed)
    names = names_of(system) if all_of_them else ()
    request = Request(properties=names, deadlock=deadlock, stop_at_first=stop, limits=Limits(states=3000))
    assert timeless(explore(system, request)) == evaluated(system, request)


SMALLEST = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1, "max_changes": 1}
SMALLEST |= {"servers": 2, "in_flight": 2, "messages": 12}
ALL = {**TOYS, **MODELS}
LARGE = ("partition-", "forever-partition", "kraft", "raft-", "original-design", "forever-kraft", "fluss")
SMALL_MODELS = [name for name in MODELS if not name.startswith(LARGE)]


def bound(name: str) -> BoundModel:
    ir = read_model(ALL[name])
    known = {constant.name for constant in ir.constants}
    return bind(ir, {k: v for k, v in SMALLEST.items() if name in MODELS and k in known})


def assert_agreement(model: BoundModel, *requests: Request) -> None:
    for request in requests:
        wanted = timeless(evaluator.search(model, request))
        assert timeless(engine.search(model, request)) == wanted
        assert timeless(engine.search(model, replace(request, workers=2))) == wanted


@pytest.mark.parametrize("name", quick_sample(ALL, len(ALL), besides=(*TOYS, *SMALL_MODELS[::4])))
def test_agrees_with_the_evaluator(name: str) -> None:
    model = bound(name)
    names = tuple(p.name for p in model.properties)
    assert_agreement(model, Request(properties=names, deadlock=True), Request(properties=names, stop_at_first=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_agrees_with_the_evaluator_where_no_property_is_asked(name: str) -> None:
    """Another program, which is compiled for itself; the toys and the small systems have it in the quick tests."""
    assert_agreement(bound(name), Request())


@pytest.mark.parametrize("sizes", [[1], [2], [3], [4], [5], [2, 3], [3, 2, 2]])
def test_swaps_reach_every_order_once(sizes: list[int]) -> None:
    orders = [list(range(size)) for size in sizes]
    places = [(sort, i) for sort, size in enumerate(sizes) for i in range(size - 1)]
    seen = {str(orders)}
    for swap in swap_sequence(sizes):
        sort, i = places[swap]
        orders[sort][i], orders[sort][i + 1] = orders[sort][i + 1], orders[sort][i]
        seen.add(str(orders))
    assert len(seen) == math.prod(map(math.factorial, sizes)) == len(swap_sequence(sizes)) + 1


def mutex_with_symmetric_claims(members: int) -> ScalarSystem:
    """The claims of mutex() are of one member, or hold: no search among representatives has a path to them."""
    b = mutex_builder(members)
    k, lock, lock_before = b.k, b.vars[members], b.before[members]
    is_free, was_free = k.eq(lock, k.const(0)), k.eq(lock_before, k.const(0))
    b.claim("somebody_enters", "reachable", k.not_(is_free))
    idle = [k.eq(each, k.const(0)) for each in b.vars[:members]]
    b.claim("nobody_idles", "reachable", k.and_(k.not_(is_free), *map(k.not_, idle)))
    b.claim("never_leaves", "step", *[k.or_(was_free, k.not_(is_free))] * len(b.instances))
    return b.system()


@pytest.mark.parametrize("members", [2, 3, 4, 5])
@pytest.mark.parametrize("ask", [False, True])
def test_mutex_agrees(members: int, ask: bool) -> None:
    system = mutex_with_symmetric_claims(members)
    request = Request(properties=names_of(system) if ask else (), symmetry=True)
    one, other = timeless(explore(system, request)), evaluated(system, request)
    assert replace(one, paths={}) == replace(other, paths={})
    assert {name: len(path) for name, path in one.paths.items()} == {n: len(p) for n, p in other.paths.items()}
    shown = {each.name for each in system.properties if each.name in one.paths and shows(system, each, one.paths)}
    assert shown == ({"somebody_enters", "nobody_idles", "never_leaves"} if ask else set())


def shows(system: ScalarSystem, of: ScalarProperty, paths: Mapping[str, Path]) -> bool:
    """Whether the last state of the property's path, or its last step, decides the property."""
    before = state = system.initial
    for position in paths[of.name]:
        values, instance = Values(state), system.instances[position]
        assert values.of(instance.guard)
        assert not values.of(instance.pruned)
        before, state = state, values.successor(instance)
    condition = of.conditions[paths[of.name][-1] if of.kind.is_of_steps else 0]
    return of.kind.is_target(bool(Values((*state, *before)).of(condition.node)))


def test_paths_among_representatives_are_the_least() -> None:
    system = mutex_with_symmetric_claims(3)
    names = names_of(system)
    paths, plain = (explore(system, Request(properties=names, symmetry=each)).paths for each in (True, False))
    assert paths.items() <= plain.items()
    assert paths == {"somebody_enters": (1, 4), "nobody_idles": (0, 1, 2, 5), "never_leaves": (2, 5, 8)}


def test_kip_320_at_3_2_2_1() -> None:
    system = kip320(3, 2, 2, 1)
    seen = explore(system, Request(properties=names_of(system), symmetry=True))
    assert (seen.distinct, seen.depth, seen.paths, seen.cut) == (6713, 22, {}, None)


def test_races_have_the_same_stories() -> None:
    for seed in range(3):
        request = Request(properties=names_of(race(seed)), deadlock=True)
        assert timeless(explore(race(seed), request)) == evaluated(race(seed), request)


@pytest.mark.parametrize("examples", [8, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_evaluator_shows_the_least_story(examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 10**9))
    def is_least(seed: int) -> None:
        system = race(seed)
        for name, path in evaluated(system, Request(properties=names_of(system), deadlock=True)).paths.items():
            ways = shortest_ways(ScalarStepper(system), name, len(path), system)
            assert path == min(ways, key=lambda way: story_of(system, way))

    is_least()


def shortest_ways(stepper: ScalarStepper, name: str, length: int, system: ScalarSystem) -> Iterator[Path]:
    """Every path of this length to what a property, or a deadlock, looks for."""
    kind = next((each.kind for each in system.properties if each.name == name), DEADLOCK)
    of_steps = kind.is_of_steps

    def is_end(state: State) -> bool:
        return not list(stepper.steps(state)) if kind is DEADLOCK else kind.is_target(stepper.holds(name, state))

    def ways(path: Path, state: State, is_shown: bool) -> Iterator[Path]:
        if len(path) == length:
            if is_shown if of_steps else is_end(state):
                yield path
            return
        for position, after in stepper.steps(state):
            if after is not None:
                shows = of_steps and kind.is_target(stepper.step_holds(name, state, position, after))
                yield from ways((*path, position), after, shows)

    return ways((), system.initial, False)


def story_of(system: ScalarSystem, path: Path) -> tuple[int, int, int, Path]:
    """The criteria of DESIGN.md, section 4, read one by one."""
    who = [system.actors.of(position) for position in path]
    changes = sum(one != other for one, other in pairwise(who))
    faults = [number for number, position in enumerate(path) if system.actors.is_fault(position)]
    return changes, len(faults), sum(faults), path


@pytest.mark.parametrize("search", [explore, evaluated])
def test_a_story_that_takes_too_long_is_the_first_in_order(
    search: Callable[[ScalarSystem, Request], Searched], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, request = race(1), Request(properties=("all", "shrinks"))
    whole, first = search(system, request), search(system, replace(request, stories=False))
    assert not whole.untold
    assert {n: len(path) for n, path in whole.paths.items()} == {n: len(path) for n, path in first.paths.items()}
    ways = [*shortest_ways(ScalarStepper(system), "all", len(first.paths["all"]), system)]
    assert first.paths["all"] == min(ways) != whole.paths["all"]
    monkeypatch.setattr(story, "MOST_STEPS", 5)
    assert timeless(search(system, request)) == timeless(replace(first, untold=search(system, request).untold))
    assert "all" in search(system, request).untold


def test_a_limit_that_is_near_loses_no_path() -> None:
    def pause() -> None:
        raise Stopped("after 1 second")

    stories = story.Stories(race(1).actors, pause)
    for name in ("one", "other"):
        way = story.MarkedSteps(2, lambda: [0], lambda states, _: [[(1, 0), (2, 0)] for _ in states])
        assert stories.choose(name, (1, 2), way) == (1, 2)
    assert stories.untold(["other", "one"]) == ("one", "other")


def test_a_wide_level_is_looked_at_within_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine states have more steps than are allowed; where each takes long, none is looked at when time is over."""
    seen: list[int] = []

    def expand(states: Iterable[int], level: int) -> Iterator[list[tuple[int, int]]]:
        seen.extend(states)
        yield from ([(level, state)] for state in seen)

    def pause() -> None:
        if len(seen) == 2:
            raise Stopped("after 1 second")

    way = story.MarkedSteps(1, lambda: range(9), expand)
    for most, looked_at in ((5, 0), (9, 2)):
        monkeypatch.setattr(story, "MOST_STEPS", most)
        stories = story.Stories(race(1).actors, pause)
        assert stories.choose("one", (1,), way) == (1,)
        assert (len(seen), stories.untold(["one"])) == (looked_at, ("one",))


@pytest.mark.parametrize("search", [explore, evaluated])
def test_a_signal_among_stories_loses_no_path(
    search: Callable[[ScalarSystem, Request], Searched], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, request = race(1), Request(properties=("all", "shrinks"))
    whole, collect = search(system, request), story.MarkedSteps.collect

    def interrupt(marked: story.MarkedSteps[State], pause: Callable[[], None]) -> object:
        signal.raise_signal(signal.SIGINT)
        return collect(marked, pause)

    monkeypatch.setattr(story.MarkedSteps, "collect", interrupt)
    seen = search(system, request)
    assert (seen.interrupted, seen.cut, seen.untold) == (True, whole.cut, ("all", "shrinks"))
    assert {n: len(path) for n, path in seen.paths.items()} == {n: len(path) for n, path in whole.paths.items()}


def test_no_story_is_left_out_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time ends between the first path and the second: both lack their stories, and one its path."""
    first, calls = story.MarkedSteps.first, []

    def end(marked: story.MarkedSteps[State]) -> Path:
        calls.append(marked)
        if len(calls) == 2:
            raise OutOfBudget("after 1 second")
        return first(marked)

    monkeypatch.setattr(story.MarkedSteps, "first", end)
    seen = evaluated(race(1), Request(properties=("all", "shrinks")))
    assert seen.untold == tuple(seen.paths)
    assert len(seen.paths) == 1
