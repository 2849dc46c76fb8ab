"""What an engine does not offer is refused by the engine's name, as wrong usage."""

from collections.abc import Callable

import pytest
from tests.cli.test_command_line import refused

from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.registry import ENGINES, Capability, engine
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.toys.counting import Counter

SYSTEM = lower(bind(read_model(Counter), {}))
CALLS: dict[Capability, Callable[[str], object]] = {
    Capability.STATES: lambda name: engine(name).states(SYSTEM, Limits()),
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
