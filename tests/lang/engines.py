"""Runs a model on the reference and on the scalar evaluator, and holds the two together."""

from typing import Any

from isrcheck import Model
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower


def explore_both(cls: type[Model], **constants: Any) -> Searched:
    """The whole graph of a model, on which both engines must agree; what they found by the names of properties."""
    model = bind(read_model(cls), constants)
    kinds = {p.name: p.kind for p in model.properties}
    system = lower(model)
    graph = Explorer(ReferenceStepper(model), {}, Request()).run()
    assert graph.complete
    assert same(graph, Explorer(ScalarStepper(system), {}, Request()).run())
    decided = Request(properties=tuple(kinds), deadlock=True)
    one = Explorer(ReferenceStepper(model), kinds, decided).run()
    two = Explorer(ScalarStepper(system), kinds, decided).run()
    assert same(one, two)
    return replace(graph, paths=one.paths)


def same(one: Searched, two: Searched) -> bool:
    """Whether two searches saw the same, in whatever time."""
    assert replace(one, seconds=0) == replace(two, seconds=0)
    return True
