"""The engines by name. Asking for one imports it; importing this imports none."""

from collections.abc import Callable
from importlib import import_module

from isrcheck.engines.contract import Exploration, Request
from isrcheck.errors import UsageError, nearest
from isrcheck.passes.bind import BoundModel

Engine = Callable[[BoundModel, Request], Exploration]

ENGINES: dict[str, str] = {
    "native": "isrcheck.engines.native.engine",
    "reference": "isrcheck.engines.reference",
    "evaluator": "isrcheck.engines.evaluator",
    "symbolic": "isrcheck.engines.symbolic.engine",
    "spark": "isrcheck.engines.spark.engine",
}
WITHOUT_GRAPH = frozenset({"symbolic"})  # engines that never see the whole graph


def engine(name: str) -> Engine:
    """The engine's search. Raises UsageError for an unknown name."""
    if name in ENGINES:
        search: Engine = import_module(ENGINES[name]).search
        return search
    raise UsageError(f"there is no engine {name}.{nearest(name, ENGINES)}")
