"""The engines by name, with what each of them offers. Asking one something imports it; importing this imports none."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from isrcheck.engines.capabilities import Capability, PreparedSearch, ReachableStates, StateGraph, needed_by
from isrcheck.engines.contract import Bounded, Limits, Request, Sampled, Searched
from isrcheck.errors import UsageError, nearest
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel


@dataclass(frozen=True)
class Engine:
    """One engine, called to search. Whatever it lacks is refused by name, with a UsageError."""

    name: str
    module: str
    capabilities: frozenset[Capability]

    def __call__(self, model: BoundModel, request: Request) -> Searched | Bounded:
        """Search a model as asked. Raises UsageError, ModelError or FoundFault."""
        self.refuse(request)
        found: Searched | Bounded = self._loaded().search(model, request)
        return found

    def search(self, model: BoundModel, request: Request) -> Searched:
        """The same of an engine that makes states one by one."""
        found = self(model, request)
        self._require(Capability.COUNTS)
        assert isinstance(found, Searched)
        return found

    def states(self, system: ScalarSystem, limits: Limits) -> ReachableStates:
        """Every reachable state within the limits, with no property asked. Raises FoundFault."""
        found: ReachableStates = self._loaded(Capability.STATES).states(system, limits)
        return found

    def graph(
        self, system: ScalarSystem, properties: tuple[str, ...], request: Request
    ) -> AbstractContextManager[StateGraph]:
        """The graph, for as long as the block lasts; these properties judge its states and steps.

        The request has one worker, no symmetry and no properties: those that were decided would end the search.
        """
        found: AbstractContextManager[StateGraph] = self._loaded(Capability.GRAPH).graph(system, properties, request)
        return found

    def prepare(self, system: ScalarSystem, properties: tuple[str, ...], hasty: bool = False) -> PreparedSearch:
        """Searches for these properties; `hasty`: quick to prepare and slower to search."""
        prepared: PreparedSearch = self._loaded(Capability.PREPARED).prepare(system, properties, hasty=hasty)
        return prepared

    def walks(self, system: ScalarSystem, request: Request, seed: int, walks: int, steps: int) -> Sampled:
        """So many random walks of at most so many steps each."""
        found: Sampled = self._loaded(Capability.WALKS).simulate(system, request, seed, walks, steps)
        return found

    def offers(self, capability: Capability) -> bool:
        """Whether it has this capability."""
        return capability in self.capabilities

    def refuse(self, request: Request) -> None:
        """Raises UsageError for a request that needs what this engine lacks."""
        for capability in needed_by(request):
            self._require(capability)

    def _require(self, capability: Capability) -> None:
        if not self.offers(capability):
            raise UsageError(f"the {self.name} engine {capability.value}")

    def _loaded(self, needed: Capability | None = None) -> Any:
        if needed is not None:
            self._require(needed)
        return import_module(f"isrcheck.engines.{self.module}")


ENGINES: dict[str, Engine] = {
    each.name: each
    for each in (
        Engine("native", "native.engine", frozenset(Capability)),
        Engine("reference", "reference", frozenset({Capability.COUNTS})),
        Engine("evaluator", "evaluator", frozenset({Capability.COUNTS, Capability.STATES})),
        Engine("symbolic", "symbolic.engine", frozenset()),
        Engine(
            "spark",
            "spark.engine",
            frozenset({Capability.COUNTS, Capability.SYMMETRY, Capability.CHECKPOINTS, Capability.WORKERS}),
        ),
    )
}
WITHOUT_GRAPH = frozenset(name for name, each in ENGINES.items() if not each.offers(Capability.COUNTS))


def engine(name: str) -> Engine:
    """The engine of this name. Raises UsageError if there is none."""
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name}.{nearest(name, ENGINES)}")
    return ENGINES[name]
