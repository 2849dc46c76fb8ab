"""Every engine passes the published test, and the test notices an engine that does not."""

from dataclasses import replace
from typing import Any

import pytest

from isrcheck.engines.conformance import NotConformant, run_conformance
from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.registry import ENGINES, engine
from isrcheck.passes.bind import BoundModel

# A bounded search counts no states; tests/symbolic holds its verdicts and lengths against the known answers.
EXPLICIT = [name for name in ENGINES if name != "symbolic"]


@pytest.mark.parametrize("name", EXPLICIT)
def test_an_engine_is_accepted(name: str) -> None:
    assert run_conformance(engine(name)) >= 15


@pytest.mark.parametrize(
    "lie",
    [
        {"distinct": 1},
        {"levels": ()},
        {"pruned": 10**6},
        {"digest": "0" * 32},
        {"found": {}},
        {"action_distinct": ()},
    ],
    ids=lambda lie: next(iter(lie)),
)
def test_an_engine_that_lies_is_refused(lie: dict[str, Any]) -> None:
    reference = engine("reference")

    def lying(model: BoundModel, request: Request) -> Exploration:
        return replace(reference(model, request), **lie)

    with pytest.raises(NotConformant, match="the reference says"):
        run_conformance(lying)
