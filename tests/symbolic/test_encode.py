"""z3's terms mean what the evaluator computes: every node of guards, updates and properties, on random states."""

import random
from collections.abc import Iterable
from typing import Any, get_args

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.systems import counter, mutex, random_system, wide
from tests.native.test_lanes import SCALES, calculator

from isrcheck.catalogue import find_model
from isrcheck.engines.evaluator import compile_values
from isrcheck.engines.symbolic.encode import Encoder, Scheme, value_of
from isrcheck.engines.symbolic.kinds import mask_scalars
from isrcheck.errors import UsageError
from isrcheck.ir.scalar import Node, ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.cone import Cut
from isrcheck.passes.symbolic import bind_symbolic, lower_symbolic
from isrcheck.toys import KNOWN, TOYS

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


SCHEMES = get_args(Scheme)


def check(system: ScalarSystem, scheme: Scheme, states: int, seed: int, extra: tuple[Node, ...] = ()) -> None:
    """Every root on random states, as z3 and as Python compute it."""
    rng = random.Random(seed)
    encoder = Encoder(system, scheme, extra)
    nodes = [*{id(node): node for node in (*roots(system), *extra)}.values()]
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


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", TOYS)
def test_toys(name: str, scheme: Scheme) -> None:
    check(lower(bind(read_model(TOYS[name]), KNOWN[name].constants)), scheme, 3, 1)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", KAFKA)
def test_kafka(name: str, scheme: Scheme) -> None:
    check(lower(bind(read_model(find_model(name)), KAFKA[name])), scheme, 1, 2)


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_random_systems(scheme: Scheme, seed: int) -> None:
    check(random_system(seed), scheme, 2, seed)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_systems_by_hand(scheme: Scheme) -> None:
    for system in (counter(5), mutex(3), wide(9, 7)):
        check(system, scheme, 5, 3)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("scale", "shift"), SCALES)
def test_every_operator(scale: int, shift: int, scheme: Scheme) -> None:
    """In every state of two small numbers: below zero, and at the ends of a bit-vector's width."""
    check(calculator(scale, shift), scheme, 20, 5)


def test_endless_integers() -> None:
    given = {"replicas": 3, "max_records": "0..", "lag_time_max": "1.."}
    cut = Cut(("isr_at_least_hw", "no_bad_expand"), guards=True)
    symbolic = lower_symbolic(bind_symbolic(read_model(find_model("isr-kafka-4485-v2")), given, cut))
    check(symbolic.system, "integers", 5, 4, (symbolic.within, symbolic.allowed.node))
    with pytest.raises(UsageError, match="log_end has no upper end: a search over bit-vectors needs one"):
        Encoder(symbolic.system, "bits")


def test_sets_are_bit_vectors_among_integers() -> None:
    system = lower(bind(read_model(find_model("isr-kafka-4485-v2")), {"replicas": 3, "pace": "every-tick"}))
    masks = {system.scalars[i].name for i in mask_scalars(system, roots(system))}
    assert masks == {"isr", "fetched"}
