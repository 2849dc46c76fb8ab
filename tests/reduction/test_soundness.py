"""The gate: what a search that puts steps off says is what the complete graph shows."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.systems import mutex, random_system, stopper, wide
from tests.reduction.full import TooLarge, differences, facts, reduced
from tests.reduction.processes import random_processes

from isrcheck.ir.scalar import ScalarSystem


def names_of(system: ScalarSystem, seed: int) -> tuple[str, ...]:
    """Some of its properties."""
    rng = random.Random(seed)
    return tuple(each.name for each in system.properties if rng.random() < 0.5)


def check_processes(seeds: range) -> int:
    """Returns in how many of them fewer states were seen."""
    fewer = 0
    for seed in seeds:
        system = random_processes(seed)
        names = names_of(system, seed)
        assert differences(system, names) == [], (seed, names)
        seen = reduced(system, names)
        fewer += seen is not None and seen.cut is None and seen.distinct < len(facts(system, names).states)
    return fewer


def test_processes_that_share_a_little() -> None:
    assert check_processes(range(100)) > 30


@pytest.mark.slow
def test_many_processes_that_share_a_little() -> None:
    assert check_processes(range(1000, 6000)) > 1500


@pytest.mark.slow
@given(st.integers(0, 10**9))
@settings(max_examples=2000, deadline=None, derandomize=True, database=None)
def test_random_systems(seed: int) -> None:
    system = random_system(seed)
    try:
        assert differences(system, names_of(system, seed)) == []
    except TooLarge:
        pass


@pytest.mark.parametrize(
    "system", [mutex(3), mutex(4), stopper(6), wide(5, 2)], ids=["mutex3", "mutex4", "stopper", "wide"]
)
def test_systems_made_by_hand(system: ScalarSystem) -> None:
    names = [each.name for each in system.properties]
    for chosen in ([], *([name] for name in names), names):
        assert differences(system, chosen) == []
