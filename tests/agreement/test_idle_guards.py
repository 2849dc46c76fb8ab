"""Guards that a run calls never false are those that said no in no state, as CPython calls the author's methods."""

from pathlib import Path
from typing import Any

import pytest
from tests.agreement.test_random_models import each_random_model
from tests.slow import quick_sample

from isrcheck import Model, check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.reference.why import AskingStepper, Guard
from isrcheck.errors import IsrcheckError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.parts import CaseStatus
from isrcheck.run.vacuity import guards_of_state
from isrtoys import TOYS

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
KAFKA: dict[str, dict[str, int]] = {
    "kip-101": SMALL,
    "kip-320": SMALL,
    "kip-320-first-try": {**SMALL, "log_size": 2, "max_records": 2},
    "async-isr": {"max_version": 2},
    "isr-kafka-7152": {"max_records": 1},
}
MOST_STATES = 250
Guards = set[tuple[str, str, int]]


def by_the_reference(cls: type[Model], **constants: int) -> tuple[Guards, Guards]:
    """The guards of actions that happen: those that said no in some state, and those that never did."""
    bound = bind(read_model(cls), constants)
    asking = AskingStepper(bound)
    refused: Guards = set()
    taken: set[str] = set()
    for state in reachable_states(asking):
        for position, answer in enumerate(asking.answers(state)):
            action = asking.actions[asking.action_of[position]]
            if isinstance(answer, Guard):
                refused.add((action, answer.at.file, answer.at.line))
            elif isinstance(answer, tuple):
                taken.add(action)
    asked = {(a.name, p.file, p.line) for a in bound.ir.actions if a.name in taken for p in guards_of_state(bound, a)}
    return asked & refused, asked - refused


def by_a_run(cls: type[Model], **constants: Any) -> Guards:
    outcome = check(cls, properties=[], vacuity=True, **constants)
    assert all(part.kind != "guard" for part in outcome.maybe_vacuous)
    guards = (p for p in outcome.parts or () if p.kind == "guard" and p.status is not CaseStatus.CASE)
    places = ((p.owner, *p.place.rsplit(":", 2)[:2]) for p in guards)
    return {(owner, str(Path(file).resolve()), int(line)) for owner, file, line in places}


def compare(cls: type[Model], **constants: Any) -> int:
    """Holds the two against each other; how many guards are idle."""
    refused, never = by_the_reference(cls, **constants)
    found = by_a_run(cls, **constants)
    assert not found & refused
    assert found == never
    return len(never)


@pytest.mark.parametrize("name", TOYS)
def test_of_toys(name: str) -> None:
    compare(TOYS[name])


@pytest.mark.parametrize("name", quick_sample(KAFKA))
def test_of_kafka(name: str) -> None:
    compare(find_model(name), **KAFKA[name])


def agree_on_random_models(examples: int) -> tuple[int, int]:
    """The models compared, and those of them that left a guard idle."""
    idle: list[int] = []

    def agree(cls: type[Model]) -> None:
        try:
            if check(cls, properties=[], limits=Limits(states=MOST_STATES)).cut is not None:
                return
        except IsrcheckError:
            return
        idle.append(compare(cls))

    each_random_model(agree, examples)
    return len(idle), sum(n > 0 for n in idle)


@pytest.mark.slow
def test_of_many_random_models() -> None:
    compared, idle = agree_on_random_models(300)
    assert compared >= 150
    assert idle >= 15
