"""Every engine passes the published test, and the test refuses an engine that does not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Self

import pytest
from tests.cli.test_command_line import refused

from isrcheck import Model, Taken, UpTo, action, check, require, step
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.registry import ENGINES, Capability, Engine, engine
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrtoys.conformance import NotConformant, run_conformance
from isrtoys.counting import Counter

# A bounded search counts no states, and a GPU is rarely there; tests/symbolic and tests/gpu have tests of their own.
EXPLICIT = [name for name in ENGINES if name not in ("symbolic", "spark", "gpu")]


@pytest.mark.heavy(reason="what every engine must pass")
@pytest.mark.parametrize("name", EXPLICIT)
def test_an_engine_is_accepted(name: str) -> None:
    assert run_conformance(engine(name)) >= 15


@pytest.mark.heavy(reason="its searches go through a JVM")
def test_spark_is_accepted(spark: object) -> None:
    assert run_conformance(engine("spark")) >= 15


@pytest.mark.parametrize(
    "lie",
    [{"distinct": 1}, {"levels": ()}, {"pruned": 10**6}, {"digest": "0" * 32}, {"paths": {}}, {"action_distinct": ()}],
    ids=lambda lie: next(iter(lie)),
)
def test_an_engine_that_lies_is_refused(lie: dict[str, Any]) -> None:
    reference = engine("reference").search

    def lying(model: BoundModel, request: Request) -> Searched:
        return replace(reference(model, request), **lie)

    with pytest.raises(NotConformant, match="the reference says"):
        run_conformance(lying)


class LosingEngine(Engine):
    """The native engine, but the last step of its graph leads to the second state."""

    def __call__(self, model: BoundModel, request: Request) -> Any:
        return replace(engine("native").search(model, request), digest="0" * 32)

    @contextmanager
    def graph(self, *asked: Any) -> Iterator[Any]:
        with engine("native").graph(*asked) as graph:
            *_, (sources, targets) = graph.steps()
            lie = iter([(sources, targets[:-8] + (1).to_bytes(8, "little"))])
            setattr(graph, "steps", lambda: lie)  # noqa: B010 # a method of this one object
            yield graph


def test_the_first_differing_state_is_shown() -> None:
    losing = LosingEngine("native", "native.engine", frozenset(Capability))
    with pytest.raises(NotConformant) as refused:
        run_conformance(losing)
    assert str(refused.value) == (
        "toy-clock: from hour=2, minute=3, tick(): the reference leads to hour=0, minute=0, "
        "and this engine to hour=0, minute=1"
    )


Bit = Annotated[int, UpTo(1)]


class Parting(Model):
    """From its first state one step violates the property, and the next has no answer to it."""

    at: Bit = 0

    @action
    def go(self, to: Bit) -> None:
        require(self.at == 0)
        self.at = to

    @action
    def stay(self) -> None:
        require(self.at == 0)

    @step
    def goes_nowhere(self, before: Self, taken: Taken) -> bool:
        """A step has a place, and it is 1."""
        return before.at == 0 and taken.to == 1


@pytest.mark.parametrize("engine", ["reference", "evaluator", "native"])
def test_a_step_without_an_answer_is_an_error_beside_one_that_violates(engine: str) -> None:
    with pytest.raises(ModelError, match="stay has no parameter to"):
        check(Parting, engine=engine)


SYSTEM = lower(bind(read_model(Counter), {}))
CALLS: dict[Capability, Callable[[str], object]] = {
    Capability.GRAPH: lambda name: engine(name).graph(SYSTEM, (), Request()),
    Capability.PREPARED: lambda name: engine(name).prepare(SYSTEM, ()),
    Capability.WALKS: lambda name: engine(name).walks(SYSTEM, Request(), 1, 1, 1),
}


@pytest.mark.parametrize("capability", CALLS)
@pytest.mark.parametrize("name", ENGINES)
def test_what_is_lacking_is_refused_by_name(name: str, capability: Capability) -> None:
    if engine(name).offers(capability):
        assert CALLS[capability](name) is not None
        return
    with pytest.raises(UsageError) as refused:
        CALLS[capability](name)
    assert str(refused.value) == f"the {name} engine {capability.value}"
    assert refused.value.exit_code == 2


def test_a_search_that_needs_what_is_lacking_is_wrong_usage() -> None:
    assert refused("check", "toy-counter", "--engine", "reference", "--workers", "2") == (
        "isrcheck: the reference engine has one worker: leave --workers out, or use --engine native.\n"
    )
