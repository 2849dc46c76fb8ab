"""Every toy and every published design at its smallest: the same answer as the scalar evaluator, traces and all."""

import pytest
from tests.native.systems import timeless
from tests.slow import quick_sample

from isrcheck.engines import evaluator
from isrcheck.engines.contract import Request
from isrcheck.engines.native import engine
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrmodel.catalogue import MODELS
from isrtoys import TOYS

SMALLEST = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1, "max_changes": 1}
SMALLEST |= {"servers": 2, "in_flight": 2, "messages": 12}
ALL = {**TOYS, **MODELS}
LARGE = ("partition-", "forever-partition", "kraft", "raft-", "original-design", "forever-kraft")
SMALL = [name for name in MODELS if not name.startswith(LARGE)]


def bound(name: str) -> BoundModel:
    ir = read_model(ALL[name])
    known = {constant.name for constant in ir.constants}
    return bind(ir, {k: v for k, v in SMALLEST.items() if name in MODELS and k in known})


def assert_agreement(model: BoundModel, *requests: Request) -> None:
    for request in requests:
        wanted = timeless(evaluator.search(model, request))
        assert timeless(engine.search(model, request)) == wanted
        assert timeless(engine.search(model, replace(request, workers=2))) == wanted


@pytest.mark.parametrize("name", quick_sample(ALL, len(ALL), besides=(*TOYS, *SMALL[::4])))
def test_agrees_with_the_evaluator(name: str) -> None:
    model = bound(name)
    names = tuple(p.name for p in model.properties)
    assert_agreement(model, Request(properties=names, deadlock=True), Request(properties=names, stop_at_first=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_agrees_with_the_evaluator_where_no_property_is_asked(name: str) -> None:
    """Another program, which is compiled for itself; the toys and the small systems have it in the quick tests."""
    assert_agreement(bound(name), Request())
