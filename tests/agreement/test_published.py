"""The reference and the scalar evaluator on the published designs, and on the toys with their known answers."""

from typing import Any

import pytest
from tests.models.compare import compare, results
from tests.slow import quick_sample

from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrmodel.async_isr import IsrByRequest
from isrmodel.catalogue import MODELS
from isrmodel.published import Replication
from isrtoys import KNOWN, TOYS

SMALLEST = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
SMALL = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}
ASYNC = [{"replicas": 2, "max_offset": 1, "max_version": 2}, {"replicas": 2, "max_offset": 2, "max_version": 3}]
CONFIGURATIONS = [
    (name, constants)
    for name, cls in MODELS.items()
    if issubclass(cls, Replication | IsrByRequest)
    for constants in (ASYNC if issubclass(cls, IsrByRequest) else [SMALLEST, SMALL])
]


@pytest.mark.parametrize("configuration", quick_sample(CONFIGURATIONS), ids=str)
def test_published_designs_agree(configuration: tuple[str, dict[str, int]]) -> None:
    """Counts, digest, actions and paths; the smallest ones also state by state."""
    name, constants = configuration
    if constants in (SMALLEST, ASYNC[0]):
        seen = compare(MODELS[name], **constants)
        assert seen.distinct > 20
        assert len(seen.fired) >= 4
        assert seen.undecided == 0
        return
    model = bind(read_model(MODELS[name]), constants)
    kinds = {p.name: p.kind for p in model.properties}
    reference, scalar = ReferenceStepper(model), ScalarStepper(lower(model))
    for request in (Request(), Request(properties=tuple(kinds), deadlock=True)):
        one, two = (results(Explorer(s, kinds, request).run()) for s in (reference, scalar))
        assert one == two


@pytest.mark.parametrize("name", TOYS)
def test_toys_agree(name: str) -> None:
    known = KNOWN[name]
    seen = compare(TOYS[name], **known.constants)
    assert (seen.distinct, seen.depth, seen.pruned) == (known.distinct, known.depth, known.pruned)
    assert not seen.undecided


@pytest.mark.parametrize("name", TOYS)
def test_toys_have_their_known_answers(name: str) -> None:
    known = KNOWN[name]
    model = bind(read_model(TOYS[name]), known.constants)
    kinds = {p.name: p.kind for p in model.properties}
    whole: list[Any] = []
    for stepper in (ReferenceStepper(model), ScalarStepper(lower(model))):
        graph = Explorer[Any](stepper, kinds, Request()).run()
        assert (graph.distinct, graph.generated, graph.depth, graph.pruned) == (
            known.distinct,
            known.generated,
            known.depth,
            known.pruned,
        )
        decided = Explorer[Any](stepper, kinds, Request(properties=tuple(kinds), deadlock=True)).run()
        for prop, (verdict, length) in known.properties.items():
            path = decided.paths.get(prop)
            assert (None if path is None else len(path) + 1) == length, prop
            assert verdict == ("holds" if kinds[prop].holds_by_target == (path is not None) else "violated"), prop
        deadlock = decided.paths.get("deadlock")
        assert (None if deadlock is None else len(deadlock) + 1) == known.deadlock
        whole.append(results(graph))
    assert whole[0] == whole[1]
