"""Random models in the whole language: machine code does what the scalar evaluator does, on the whole graph."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from tests.models.compare import median
from tests.models.generate import models
from tests.models.loading import load

from isrcheck.engines.contract import FoundFault, Limits, Request, Searched
from isrcheck.engines.evaluator import search as evaluate
from isrcheck.engines.native.engine import search as compute
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import BoundModel, bind, check_domains
from isrtoys.conformance import first_differing_state

LIMITS = Limits(states=1000)


def answer(search: object, model: BoundModel, request: Request) -> Searched | str:
    """What an engine says; an error in the model is an answer too."""
    assert callable(search)
    try:
        found = search(model, request)
    except (ModelError, FoundFault):
        return "an error in the model"
    assert isinstance(found, Searched)
    return replace(found, seconds=0.0)


def agree_on_random_models(examples: int, derandomize: bool) -> list[int]:
    """The numbers of states that the models had."""
    sizes: list[int] = []

    @settings(
        max_examples=examples,
        derandomize=derandomize,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(models())
    def agree(text: str) -> None:
        note(text)
        with tempfile.TemporaryDirectory() as folder:
            cls = load(text, Path(folder))
            try:
                read = read_model(cls)
                check_domains(read)
                model = bind(read, {})
                names = tuple(p.name for p in model.properties)
            except ModelError:
                return
            for request in (Request(limits=LIMITS), Request(properties=names, deadlock=True, limits=LIMITS)):
                expected = answer(evaluate, model, request)
                for workers in (1, 2):
                    found = answer(compute, model, replace(request, workers=workers))
                    assert found == expected, first_differing_state(model, engine("native"))
                if isinstance(expected, Searched):
                    sizes.append(expected.distinct)

    agree()
    return sizes


def test_random_models_agree() -> None:
    """Too few to be judged by their sizes."""
    assert len(agree_on_random_models(5, derandomize=True)) > 5


@pytest.mark.slow
def test_many_random_models_agree() -> None:
    assert median(agree_on_random_models(600, derandomize=False)) >= 15
