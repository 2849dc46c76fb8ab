"""The relational system is the model: at every size that can be searched, its graph is the reference's."""

from typing import Any

import pytest

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Request
from isrcheck.engines.reference import stepper
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.proofs import stepper as relational

COMPARED = ("distinct", "generated", "depth", "levels", "pruned", "digest", "paths", "action_generated", "cut")
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("isr-strict-min-isr", {"max_records": 1}),
    ("toy-queue", {}),
    ("toy-shelf", {}),
    ("toy-cashier", {}),
    ("toy-thermometer", {}),
    ("toy-mutex", {}),
    ("isr-kafka-7152", {"max_records": 1}),
    ("isr-kafka-7152", {"max_records": 1, "fetch_steps": "two"}),
    ("isr-kafka-7152", {"max_records": 1, "appends": "in-read-window", "fetch_size": "one"}),
    ("isr-kafka-4485-v1", {"max_records": 1}),
    ("isr-kip-16-text", {"max_records": 1}),
    ("isr-kip-501", {"max_records": 1, "relinquish": True}),
    ("isr-original-design", {"max_records": 1}),
    ("async-isr", {"replicas": 1}),
    ("async-isr", {"replicas": 3, "max_offset": 1, "max_version": 0}),
    ("async-isr", {"max_version": 2}),
    ("async-isr-committed-only", {"max_version": 1}),
    ("kip-320", {"replicas": 2}),
]
LARGER: list[tuple[str, dict[str, Any]]] = [
    ("isr-strict-min-isr", {"replicas": 3, "max_records": 1}),
    ("async-isr", {"replicas": 3, "max_offset": 1, "max_version": 1}),
    ("truncate-to-high-watermark", {"replicas": 2, "isr_may_empty": False}),
    ("kip-101", {"replicas": 2}),
    ("kip-320-first-try", {"replicas": 2}),
    ("kip-320", {"replicas": 2, "log_size": 2, "max_records": 2}),
    ("kip-320", {"replicas": 2, "log_size": 2, "max_leader_epoch": 2}),
    ("kip-320", {"replicas": 3}),
    ("isr-kafka-7152", {"replicas": 3, "max_records": 2}),
    ("isr-kip-501", {"max_records": 2}),
    ("isr-original-design", {"max_records": 1, "fetch_steps": "two"}),
    ("isr-original-design", {"replicas": 3, "max_records": 1}),
    ("async-isr", {"replicas": 3, "max_offset": 1, "max_version": 2}),
]


def searched(engine: Any, name: str, constants: dict[str, Any]) -> dict[str, Any]:
    ir = read_model(find_model(name))
    model = bind(ir.with_lemmas([lemma.name for lemma in ir.lemmas]), constants, slots=False)
    found = engine.search(model, Request(properties=tuple(p.name for p in model.properties)))
    return {fact: getattr(found, fact) for fact in COMPARED}


@pytest.mark.heavy(reason="whole graphs, of which kip-320 is the largest")
@pytest.mark.parametrize(("name", "constants"), SMALL, ids=str)
def test_the_graph_is_the_reference_s(name: str, constants: dict[str, Any]) -> None:
    """Counts, levels, digest, pruned steps, and where properties and lemmas fail."""
    expected = searched(stepper, name, constants)
    assert expected["cut"] is None
    assert searched(relational, name, constants) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("name", "constants"), LARGER, ids=str)
def test_larger_graphs_are_the_reference_s(name: str, constants: dict[str, Any]) -> None:
    assert searched(relational, name, constants) == searched(stepper, name, constants)


@pytest.mark.parametrize(("name", "constants"), [("async-isr", {"max_version": 1}), ("kip-320", {"replicas": 2})])
def test_what_is_assumed_of_states_is_true_of_all_that_are_reached(name: str, constants: dict[str, Any]) -> None:
    """Of numbers in sets, of bounds, of assumptions, and of symbols: what the proofs' scripts assert."""
    model = bind(read_model(find_model(name)), constants, slots=False)
    stepper = relational.RelationalStepper(model)
    assumed = stepper.assumptions()
    assert len(assumed) > 5
    waiting, seen = [stepper.initial], {stepper.initial}
    while waiting:
        state = waiting.pop()
        stepper.enter(state)
        assert all(holds() for holds in assumed)
        fresh = {after for _, after in stepper.steps(state) if isinstance(after, tuple)} - seen
        seen |= fresh
        waiting += fresh
    assert len(seen) > 20
