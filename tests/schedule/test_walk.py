"""Sets of states against one path after another: the same ends, the same first violations."""

from functools import cache
from itertools import islice
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.schedule.naive import runs
from tests.schedule.pumps import Careful, Careless

from isrcheck import Model
from isrcheck.engines.contract import Limits
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.schedule.steps import Step
from isrcheck.schedule.walk import Walk
from isrcheck.toys import TOYS

NAMES = ("toy-mutex", "toy-counter", "toy-ratchet", "toy-forks", "toy-seats", "toy-crossing-careless", "toy-queue")
MODELS = [*(TOYS[name] for name in NAMES), Careful, Careless]
MOST_PATHS = 5_000  # a path costs a copy of itself; a few schedules have a million, and show nothing that others do not


@cache
def stepper_of(cls: type[Model]) -> ReferenceStepper:
    return ReferenceStepper(bind(read_model(cls), {}))


def enabled(stepper: Any, state: Any) -> list[tuple[int, Any]]:
    return [(i, t) for i, t in stepper.steps(state) if t is not None]


@settings(max_examples=300, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(MODELS), st.data())
def test_random_schedules(cls: Any, data: st.DataObject) -> None:
    stepper = stepper_of(cls)
    some = st.frozensets(st.sampled_from(range(len(stepper.instances))), max_size=3)
    schedule = data.draw(st.lists(some.filter(bool), max_size=4))
    internal = data.draw(st.frozensets(st.sampled_from(range(len(stepper.instances))), max_size=2))
    kinds = {p.name: p.kind for p in stepper.model.properties}
    seen = Walk(stepper, [Step("", "", s) for s in schedule], internal, kinds).run()
    every = runs(lambda s: enabled(stepper, s), stepper.initial, schedule, internal)
    paths = list(islice(every, MOST_PATHS + 1))
    assume(len(paths) <= MOST_PATHS)
    farthest = max(taken for taken, _, _ in paths)
    assert seen.taken == farthest
    assert set(seen.ends) == {states[-1] for taken, _, states in paths if taken == farthest}
    for name, kind in kinds.items():
        broken = [path for _, path, states in paths if decides(stepper, name, kind, path, states)]
        assert (name in seen.decided) == bool(broken)
        if broken:
            assert seen.decided[name].path == min(broken, key=lambda p: (len(p), p))


def decides(stepper: Any, name: str, kind: PropertyKind, path: tuple[int, ...], states: list[Any]) -> bool:
    if kind.is_of_steps:
        return bool(path) and not stepper.step_holds(name, states[-2], path[-1], states[-1])
    return kind.is_target(stepper.holds(name, states[-1]))


def test_the_evaluator_follows_the_same_schedules() -> None:
    for cls in (Careful, Careless):
        bound = bind(read_model(cls), {})
        one, two = ReferenceStepper(bound), ScalarStepper(lower(bound))
        internal = frozenset(i for i, (a, _) in enumerate(one.instances) if a == 2)
        steps = [Step("", "", frozenset(range(2))), Step("", "", frozenset(range(6)))] * 2
        kinds = {p.name: p.kind for p in bound.properties}
        seen, again = (Walk(stepper, steps, internal, kinds).run() for stepper in (one, two))
        assert seen.decided == again.decided
        assert (seen.taken, seen.nodes, seen.pruned, seen.ways) == (again.taken, again.nodes, again.pruned, again.ways)
        assert [tuple(one.scalars(s)) for s in seen.ends] == [tuple(two.scalars(s)) for s in again.ends]


def test_a_walk_that_is_cut_says_so() -> None:
    stepper = stepper_of(Careless)
    steps = [Step("", "", frozenset(range(len(stepper.instances))))] * 6
    seen = Walk(stepper, steps, frozenset(), {}, Limits(states=20)).run()
    assert seen.cut is not None
    assert seen.cut.startswith("after 2")
    assert Walk(stepper, steps, frozenset(), {}, Limits(memory=1)).run().cut is not None or seen.nodes < 256
