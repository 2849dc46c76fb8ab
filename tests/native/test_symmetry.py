"""Search among least representatives."""

import math

import pytest
from tests.native.systems import evaluated, kip320, mutex, names_of, timeless

from isrcheck.engines.contract import Request
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.symmetry import swap_sequence
from isrcheck.ir.frozen import replace


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


@pytest.mark.parametrize("members", [2, 3, 4, 5])
@pytest.mark.parametrize("ask", [False, True])
def test_mutex_agrees(members: int, ask: bool) -> None:
    system = mutex(members)
    request = Request(properties=names_of(system) if ask else (), symmetry=True)
    one, other = timeless(explore(system, request)), evaluated(system, request)
    assert replace(one, paths={}) == replace(other, paths={})
    assert {name: len(path) for name, path in one.paths.items()} == {n: len(p) for n, p in other.paths.items()}


def test_kip_320_at_3_2_2_1() -> None:
    system = kip320(3, 2, 2, 1)
    seen = explore(system, Request(properties=names_of(system), symmetry=True))
    assert (seen.distinct, seen.depth, seen.paths, seen.cut) == (6713, 22, {}, None)
