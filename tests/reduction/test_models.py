"""The gate on models: every verdict of a reduced search is that of the complete graph."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from tests.models.generate import models
from tests.models.loading import load
from tests.reduction.factors import system_of
from tests.reduction.full import TooLarge, differences

from isrcheck.catalogue import find_model, known_models
from isrcheck.engines.contract import FoundFault, Limits, Request
from isrcheck.engines.native.engine import explore
from isrcheck.errors import ModelError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower

MOST_STATES = 1000  # that plain Python has time for
MOST_COMPILED = 300_000
MOST_INSTANCES = 1000
MOST_EVALUATED = 20_000  # instances in states, by plain Python
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


def verdicts(system: ScalarSystem, names: Sequence[str], reduce: bool) -> object:
    """What a search says of the complete graph; None if it would take long, an error of the model's as one."""
    request = Request(properties=tuple(names), deadlock=True, reduce=reduce, limits=Limits(states=MOST_COMPILED))
    try:
        seen = explore(system, request)
    except FoundFault:
        return "wrong"
    if seen.cut is not None and len(seen.found) <= len(names):
        return None
    happened = None if seen.cut else tuple(times > 0 for times in seen.action_generated)
    return set(seen.found), seen.cut or seen.pruned > 0, happened


@pytest.mark.slow
@pytest.mark.parametrize("name", known_models())
def test_every_model_of_the_catalogue(name: str) -> None:
    """By plain Python where the complete graph is small, else by the native engine."""
    system = system_of(name)
    if system.view is not None or system.outside is not None or has_form(name):
        pytest.skip("--reduce is refused")
    if len(system.instances) > MOST_INSTANCES:
        pytest.skip("its program takes minutes to compile")
    names = [each.name for each in system.properties if each.kind.engines]
    for chosen in (names, *([name] for name in names[:3]), []):
        whole = verdicts(system, chosen, reduce=False)
        assert whole == verdicts(system, chosen, reduce=True), chosen
    seen = explore(system, Request(limits=Limits(states=MOST_STATES)))
    if seen.cut is None and seen.distinct * len(system.instances) <= MOST_EVALUATED:
        assert agrees(system)


def has_form(name: str) -> bool:
    """Whether it has a canonical form, with which no step is put off."""
    return read_model(find_model(name)).canonical is not None


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
