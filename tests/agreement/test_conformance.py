"""Every engine passes the published test, and the test refuses an engine that does not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from isrcheck.engines.conformance import NotConformant, run_conformance
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.registry import ENGINES, Capability, Engine, engine
from isrcheck.ir.frozen import replace
from isrcheck.passes.bind import BoundModel

# A bounded search counts no states; tests/symbolic checks its verdicts and lengths against the known answers.
EXPLICIT = [name for name in ENGINES if name not in ("symbolic", "spark")]


@pytest.mark.heavy(reason="what every engine must pass")
@pytest.mark.parametrize("name", EXPLICIT)
def test_an_engine_is_accepted(name: str) -> None:
    assert run_conformance(engine(name)) >= 15


@pytest.mark.heavy(reason="its searches go through a JVM")
def test_spark_is_accepted(spark: object) -> None:
    assert run_conformance(engine("spark")) >= 15


@pytest.mark.parametrize(
    "lie",
    [
        {"distinct": 1},
        {"levels": ()},
        {"pruned": 10**6},
        {"digest": "0" * 32},
        {"paths": {}},
        {"action_distinct": ()},
    ],
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
