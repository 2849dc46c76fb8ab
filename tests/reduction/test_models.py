"""The gate on models: every verdict of a reduced search is that of the complete graph."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from tests.models.generate import models
from tests.models.loading import load
from tests.reduction.factors import system_of
from tests.reduction.full import TooLarge, differences

from isrcheck.catalogue import known_models
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower

MOST_STATES = 1000  # that plain Python has time for
TOYS = ["toy-mutex", "toy-forks", "toy-cashier", "toy-crossing-careless", "toy-evens"]


def agrees(system: ScalarSystem) -> bool:
    """False if it is too large to say."""
    names = [each.name for each in system.properties if each.kind.engines]
    try:
        for chosen in (names, *([name] for name in names[:3]), []):
            assert differences(system, chosen, MOST_STATES) == [], chosen
    except TooLarge:
        return False
    return True


@pytest.mark.parametrize("name", TOYS)
def test_toys(name: str) -> None:
    assert agrees(system_of(name))


@pytest.mark.slow
def test_all_that_are_small_enough() -> None:
    small = []
    for name in known_models():
        try:
            system = system_of(name)
        except UsageError:
            continue
        if system.view is None and system.outside is None and agrees(system):
            small.append(name)
    assert len(small) > 20


@pytest.mark.slow
@settings(max_examples=100, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(models())
def test_random_models(text: str) -> None:
    note(text)
    with tempfile.TemporaryDirectory() as folder:
        cls = load(text, Path(folder))
        try:
            read = read_model(cls)
            check_domains(read)
            system = lower(bind(read, {}))
        except ModelError:
            return
        if system.view is None and system.outside is None:
            agrees(system)
