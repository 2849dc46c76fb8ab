"""The native engine and the scalar evaluator say the same of small and random systems."""

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.native.systems import counter, evaluated, mutex, names_of, random_system, stopper, timeless, wide

from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.engine import explore

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
