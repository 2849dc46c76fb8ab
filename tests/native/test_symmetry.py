"""Search among least representatives."""

import math

import pytest
from tests.native import naive
from tests.native.kip320 import kip320
from tests.native.systems import mutex
from tests.native.test_agreement import agree, names_of

from isrcheck.engines.contract import Request
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.symmetry import swap_sequence


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
    names = names_of(system) if ask else ()
    agree(explore(system, Request(properties=names, symmetry=True)), naive.explore(system, names, symmetry=True))


def test_kip_320_at_3_2_2_1() -> None:
    system = kip320(3, 2, 2, 1)
    seen = explore(system, Request(properties=names_of(system), symmetry=True))
    assert (seen.distinct, seen.depth, seen.paths, seen.cut) == (6713, 22, {}, None)
