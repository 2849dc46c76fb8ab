"""Random models in the whole language: the scalar evaluator does what CPython does, and machine code what that does.

Agreement on shallow models says little, so the tests ask for a minimum of depth.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from tests.models.compare import Seen, compare, median, percentile
from tools.random_models.author import models
from tools.random_models.loading import load

from isrcheck import Model
from isrcheck.engines.contract import FoundFault, Limits, Request, Searched
from isrcheck.engines.evaluator import search as evaluate
from isrcheck.engines.native.engine import search as compute
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import BoundModel, bind, check_domains, lower
from isrtoys.conformance import first_differing_state

MOST_STATES = 250


class Tally:
    """What the models of one test were like."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.refused: list[str] = []

    def shares(self) -> dict[str, int]:
        """The figures that the quality of the models is judged by."""
        distinct = [s.distinct for s in self.seen]
        return {
            "models": len(self.seen),
            "refused": len(self.refused),
            "states, median": median(distinct),
            "states, 90th percentile": percentile(distinct, 90),
            "one state only, %": 100 * sum(d == 1 for d in distinct) // max(1, len(distinct)),
            "depth, median": median([s.depth for s in self.seen]),
            "actions that fired, median": median([len(s.fired) for s in self.seen]),
            "properties decided by a trace, median": median([len(s.found) for s in self.seen]),
            "with pruned steps": sum(s.pruned > 0 for s in self.seen),
            "with errors when run": sum(s.undecided > 0 for s in self.seen),
            f"compared up to {MOST_STATES} states": sum(s.cut for s in self.seen),
        }


def each_random_model(judge: Callable[[type[Model]], None], examples: int, derandomize: bool = False) -> None:
    """Judge random models; one that is refused is none."""

    @settings(max_examples=examples, derandomize=derandomize, database=None, suppress_health_check=list(HealthCheck))
    @given(models())
    def ask(text: str) -> None:
        note(text)
        with tempfile.TemporaryDirectory() as folder:
            judge(load(text, Path(folder)))

    ask()


def agree_on_random_models(examples: int, derandomize: bool) -> Tally:
    tally = Tally()

    def agree(cls: type[Model]) -> None:
        try:
            read = read_model(cls)
            check_domains(read)
            lower(bind(read, {}))
        except ModelError as error:
            tally.refused.append(str(error))
            return
        tally.seen.append(compare(cls, MOST_STATES))

    each_random_model(agree, examples, derandomize)
    return tally


def judge(shares: dict[str, int], tally: Tally) -> None:
    """Whether models written by chance have enough to them."""
    assert shares["refused"] * 20 <= shares["models"], tally.refused[:5]
    assert shares["states, median"] >= 10  # each sample is another, and 16 was seen
    assert shares["one state only, %"] <= 15
    assert shares["depth, median"] >= 4
    assert shares["actions that fired, median"] >= 3
    assert 1 <= shares["with errors when run"] <= shares["models"] // 4


def test_random_models_agree() -> None:
    """Too few to be judged by their figures: Hypothesis begins with the plainest."""
    assert len(agree_on_random_models(15, derandomize=True).seen) > 8


@pytest.mark.slow
def test_many_random_models_agree() -> None:
    tally = agree_on_random_models(1500, derandomize=False)
    judge(tally.shares(), tally)


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


def native_agrees_on_random_models(examples: int, derandomize: bool) -> list[int]:
    """The numbers of states that the models had."""
    sizes: list[int] = []

    def agree(cls: type[Model]) -> None:
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

    each_random_model(agree, examples, derandomize)
    return sizes


def test_the_native_engine_agrees_on_random_models() -> None:
    """Too few to be judged by their sizes."""
    assert len(native_agrees_on_random_models(5, derandomize=True)) > 5


@pytest.mark.slow
def test_the_native_engine_agrees_on_many_random_models() -> None:
    assert median(native_agrees_on_random_models(600, derandomize=False)) >= 15
