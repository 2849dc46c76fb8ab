"""z3's terms mean what the evaluator computes: every node of guards, updates and properties, on random states."""

import random
from collections.abc import Iterable
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.systems import counter, mutex, random_system, wide
from tests.native.test_lanes import SCALES, calculator

from isrcheck.catalogue import find_model
from isrcheck.engines.evaluator import compile_values
from isrcheck.engines.symbolic.encode import Encoder, value_of
from isrcheck.ir.scalar import Node, ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrtoys import KNOWN, TOYS

KAFKA: dict[str, dict[str, Any]] = {
    "kip-101": {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    "kip-320": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1},
    "async-isr": {"replicas": 2, "max_offset": 2, "max_version": 2},
    "isr-kip-501": {"max_records": 2, "fetch_steps": "two"},
    "isr-kip-16-text": {"max_records": 2},
}


def roots(system: ScalarSystem) -> Iterable[Node]:
    for instance in system.instances:
        yield from (instance.guard, instance.pruned, *(node for _, node in instance.updates))
        yield from (fault.condition for fault in instance.faults)
    for property_ in system.properties:
        for condition in property_.conditions:
            yield from (condition.node, *(fault.condition for fault in condition.faults))


def check(system: ScalarSystem, states: int, seed: int) -> None:
    """Every root on random states, as z3 and as Python compute it."""
    rng = random.Random(seed)
    encoder = Encoder(system)
    nodes = [*{id(node): node for node in roots(system)}.values()]
    expected = compile_values(nodes)
    for _ in range(states):
        here, before = (tuple(rng.randrange(min(s.size, 1 << 61)) for s in system.scalars) for _ in "ab")
        terms = encoder.terms(encoder.constants(here), encoder.constants(before))
        found = [terms.term(node) for node in nodes]
        for node, term, value in zip(nodes, found, expected(here + before), strict=True):
            simple = z3.simplify(term.z3)
            seen = value_of(simple)
            if isinstance(simple, z3.BitVecNumRef) and term.signed:
                seen = simple.as_signed_long()
            assert seen == int(value), node
            assert node.low <= value <= node.high, node


@pytest.mark.parametrize("name", TOYS)
def test_toys(name: str) -> None:
    check(lower(bind(read_model(TOYS[name]), KNOWN[name].constants)), 3, 1)


@pytest.mark.parametrize("name", KAFKA)
def test_kafka(name: str) -> None:
    check(lower(bind(read_model(find_model(name)), KAFKA[name])), 1, 2)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_random_systems(seed: int) -> None:
    check(random_system(seed), 2, seed)


def test_systems_by_hand() -> None:
    for system in (counter(5), mutex(3), wide(9, 7)):
        check(system, 5, 3)


@pytest.mark.parametrize(("scale", "shift"), SCALES)
def test_every_operator(scale: int, shift: int) -> None:
    """In every state of two small numbers: below zero, and at the ends of a bit-vector's width."""
    check(calculator(scale, shift), 20, 5)
