"""The native engine takes the steps that the evaluator takes: the whole reduced graph is the same."""

import random
from collections.abc import Iterator

import pytest
from tests.native import naive
from tests.native.systems import Builder, mutex, random_system
from tests.reduction.processes import random_processes

from isrcheck.engines.contract import FoundFault, Limits, Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, State, explorer_of
from isrcheck.engines.native.engine import explore
from isrcheck.errors import ModelError
from isrcheck.ir.scalar import ScalarSystem


class CanonicalStepper(ScalarStepper):
    """Its steps lead to canonical representatives."""

    def __init__(self, system: ScalarSystem) -> None:
        super().__init__(system)
        self.initial = naive.canonical(system, system.initial)
        self.initials = (self.initial,)

    def by_instance(self, state: State) -> Iterator[tuple[int, State | None]]:
        for instance, after in super().by_instance(state):
            yield instance, None if after is None else naive.canonical(self.system, after)


def by_evaluator(stepper: ScalarStepper, request: Request) -> Searched | None:
    kinds = {each.name: each.kind for each in stepper.system.properties}
    try:
        return explorer_of(stepper, kinds, request).run()
    except ModelError:
        return None


def by_native(system: ScalarSystem, request: Request) -> Searched | None:
    try:
        return explore(system, request)
    except FoundFault:
        return None


def graph(seen: Searched | None) -> object:
    if seen is None:
        return None
    counts = (seen.distinct, seen.generated, seen.levels, seen.pruned, seen.action_generated, seen.action_distinct)
    return counts, seen.digest, seen.found, seen.cut


def check(system: ScalarSystem, seed: int, workers: int = 1) -> None:
    rng = random.Random(seed)
    names = tuple(each.name for each in system.properties if rng.random() < 0.5)
    request = Request(properties=names, deadlock=True, reduce=True, workers=workers, limits=Limits(states=20_000))
    assert graph(by_native(system, request)) == graph(by_evaluator(ScalarStepper(system), request)), (seed, names)


@pytest.mark.parametrize("seed", [1, 2, 12, 142, 187, 256])
def test_processes(seed: int) -> None:
    """In the last three a step that was put off leads to a level after the next one, and to a target."""
    check(random_processes(seed), seed)


def same_by_both(system: ScalarSystem) -> Searched:
    request = Request(deadlock=True, reduce=True)
    seen = explore(system, request)
    assert graph(seen) == graph(by_evaluator(ScalarStepper(system), request))
    return seen


def test_an_action_is_not_ignored_for_ever() -> None:
    b = Builder(2, 4)
    k, (flag, number) = b.k, b.vars
    b.step(0, k.true, {0: k.not_(flag)})
    b.step(1, k.lt(number, k.const(3)), {1: k.add(number, k.const(1))})
    assert same_by_both(b.system()).action_generated[1] > 0


def test_no_guard_has_a_literal() -> None:
    """Whatever cannot be taken then goes wrong elsewhere, and everything that changes what it asks comes first."""
    b = Builder(2, 2)
    k, (first, second) = b.k, b.vars
    b.step(0, k.true, {0: k.const(1)})
    b.step(1, k.eq(first, k.const(1)), {1: k.const(1)}, fault=k.and_(k.eq(first, k.const(0)), k.eq(second, k.const(1))))
    assert same_by_both(b.system()).distinct == 3


def test_more_instances_than_bits_of_a_word() -> None:
    """The last one takes away the first one's chance, which others give: a set grows towards the first word."""
    b = Builder(2, 2, 3)
    k, last, chance = b.k, b.vars[0], b.vars[1]
    b.step(0, k.and_(k.eq(last, k.const(0)), k.eq(chance, k.const(1))), {2: k.const(1)})
    b.step(1, k.eq(chance, k.const(0)), {1: k.const(1)})
    b.step(2, k.eq(chance, k.const(0)), {1: k.const(1), 2: k.const(2)})
    for _ in range(70):
        b.step(3, k.false, {})
    b.step(4, k.eq(last, k.const(0)), {0: k.const(1)})
    assert same_by_both(b.system()).action_generated == (3, 1, 1, 0, 3)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_many(first: int) -> None:
    for seed in range(first, first + 50):
        check(random_processes(seed), seed)
        check(random_system(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("members", [3, 4])
def test_with_symmetry(members: int) -> None:
    system = mutex(members)
    for names in ((), ("exclusive",), ("exclusive", "entered", "both")):
        request = Request(properties=names, deadlock=True, reduce=True, symmetry=True)
        assert graph(explore(system, request)) == graph(by_evaluator(CanonicalStepper(system), request))


@pytest.mark.slow
def test_two_workers_see_what_one_sees() -> None:
    """Levels are large enough for both: of 5 processes that share a scalar, and of one by itself."""
    b = Builder(*[10] * 5, 2, 8)
    for p in range(5):
        for place in range(10):
            b.step(p, b.k.eq(b.vars[p], b.k.const(place)), {p: b.k.const((place + 1) % 10), 5: b.k.const(place % 2)})
    for place in range(8):
        b.step(5, b.k.eq(b.vars[6], b.k.const(place)), {6: b.k.const((place + 1) % 8)})
    system = b.system()
    one, two = (explore(system, Request(reduce=True, workers=workers)) for workers in (1, 2))
    assert max(one.levels) > 8192
    assert graph(one) == graph(two)


def test_processes_that_share_next_to_nothing() -> None:
    """Six of them with eight places each; all orders make half a million states."""
    b = Builder(*[8] * 6, 2)
    for p in range(6):
        for place in range(8):
            shared = {6: b.k.const(place % 2)} if place in (2, 5) else {}
            b.step(p, b.k.eq(b.vars[p], b.k.const(place)), {p: b.k.const((place + 1) % 8), **shared})
    assert explore(b.system(), Request(reduce=True)).distinct == 1291
