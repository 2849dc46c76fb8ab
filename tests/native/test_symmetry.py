"""Search among least representatives."""

import math
from collections.abc import Mapping

import pytest
from tests.native.systems import evaluated, kip320, mutex_builder, names_of, timeless

from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.contract import Path, Request
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.symmetry import swap_sequence
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarProperty, ScalarSystem


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
    paths = explore(system, Request(properties=names_of(system), symmetry=True)).paths
    assert paths == {"somebody_enters": (0, 3), "nobody_idles": (0, 1, 2, 3), "never_leaves": (0, 3, 6)}


def test_kip_320_at_3_2_2_1() -> None:
    system = kip320(3, 2, 2, 1)
    seen = explore(system, Request(properties=names_of(system), symmetry=True))
    assert (seen.distinct, seen.depth, seen.paths, seen.cut) == (6713, 22, {}, None)
