"""The engines by name, and what each of them offers. An engine is imported when it is asked."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import Any, Protocol, cast

from isrcheck.engines.common.behaviours import BehaviourGraph, ExploredBehaviours, FairnessCondition, Formula, Lasso
from isrcheck.engines.common.growth import run_with_growth, search_with_growth
from isrcheck.engines.common.targets import SearchTarget
from isrcheck.engines.contract import Bounded, Request, Sampled, Searched
from isrcheck.errors import UsageError, nearest
from isrcheck.ir.codec import NeedsSlots
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel


class Capability(Enum):
    """Capabilities that not every engine has; the value is said of an engine without it."""

    COUNTS = "counts no states: leave --max-states out, or use --engine native."
    SYMMETRY = "looks at every state: leave --symmetry out, or use --engine native."
    CHECKPOINTS = "keeps no checkpoints: use --engine native with --disk."
    DISK = "keeps its states in memory: leave --disk out, or use --engine native."
    WORKERS = "has one worker: leave --workers out, or use --engine native."
    GRAPH = "gives no graph of states and steps: use --engine native."
    PREPARED = "prepares no searches of a lowered system: use --engine native."
    BEHAVIOURS = "decides no temporal properties: use --engine native."
    WALKS = "takes no random walks: use --engine native."


class PreparedSearch(Protocol):
    """A lowered system that is ready to be searched for some properties, as often as asked."""

    @property
    def ir(self) -> str:
        """All that the answers depend on, but for the request and the initial state."""

    def search(self, request: Request) -> Searched:
        """Search for the properties that it was prepared for, or for none of them. Raises FoundFault."""


class StateGraph(Protocol):
    """A graph that was searched to its end, or to where `exploration` says.

    States are numbered from 0 as they were found, level after level; words are 64-bit, in this machine's byte order.
    """

    exploration: Searched
    words: int  # of a packed state
    instances: int
    targets: Sequence[SearchTarget]

    def states(self) -> Iterator[bytes]:
        """The packed states, in chunks of whole ones."""

    def steps(self) -> Iterator[tuple[bytes, bytes]]:
        """The steps by source, in chunks: source * instances + instance, and target, step by step."""

    def target_words(self) -> Iterator[list[int]]:
        """Yield, for each batch of 64 states, a word for each of `targets`: bit n is whether state n shows it."""


@dataclass(frozen=True)
class Engine:
    """One engine, called to search. What it lacks is refused with a UsageError."""

    name: str
    module: str
    capabilities: frozenset[Capability]
    behaviours_in: str = ""  # the module that has `behaviours` and `find_lasso`, if that is another

    def __call__(self, model: BoundModel, request: Request) -> Searched | Bounded:
        self.refuse(request)
        search = self._load().search
        if request.checkpoint is None:
            return search_with_growth(model, lambda: cast(Searched | Bounded, search(model, request)))
        try:
            return cast(Searched | Bounded, search(model, request))
        except NeedsSlots as needs:
            raise UsageError(f"{needs} A checkpoint keeps the room it began with: or leave --checkpoint out.") from None

    def search(self, model: BoundModel, request: Request) -> Searched:
        result = self(model, request)
        self._require(Capability.COUNTS)
        assert isinstance(result, Searched)
        return result

    def graph(
        self, system: ScalarSystem, properties: tuple[str, ...], request: Request
    ) -> AbstractContextManager[StateGraph]:
        """The graph, judged by these properties. The request has one worker, no symmetry and no properties."""
        graph: AbstractContextManager[StateGraph] = self._load(Capability.GRAPH).graph(system, properties, request)
        return graph

    def prepare(self, system: ScalarSystem, properties: tuple[str, ...], hasty: bool = False) -> PreparedSearch:
        """Searches for these properties; `hasty`: quick to prepare and slower to search."""
        return cast(PreparedSearch, self._load(Capability.PREPARED).prepare(system, properties, hasty=hasty))

    def walks(self, system: ScalarSystem, request: Request, seed: int, walks: int, steps: int) -> Sampled:
        return cast(Sampled, self._load(Capability.WALKS).simulate(system, request, seed, walks, steps))

    def find_lasso(
        self, graph: BehaviourGraph, conditions: Sequence[FairnessCondition], formula: Formula, pruned_is_enabled: bool
    ) -> Lasso | None:
        find = self._load(Capability.GRAPH, self.behaviours_in).find_lasso
        return cast(Lasso | None, find(graph, conditions, formula, pruned_is_enabled))

    def steps_to_stranded(self, graph: BehaviourGraph, conditions: Sequence[FairnessCondition]) -> int | None:
        return cast(int | None, self._load(Capability.GRAPH, self.behaviours_in).steps_to_stranded(graph, conditions))

    def behaviours(self, model: BoundModel, request: Request) -> ExploredBehaviours:
        """The graph in which the temporal properties of the request are decided. Raises ModelError."""
        explore = self._load(Capability.BEHAVIOURS, self.behaviours_in).behaviours
        return run_with_growth(model, lambda: cast(ExploredBehaviours, explore(model, request.temporal, request)))

    def offers(self, capability: Capability) -> bool:
        return capability in self.capabilities

    def refuse(self, request: Request) -> None:
        """Refuse a request for a capability that this engine lacks. Raises UsageError."""
        needs = {
            Capability.SYMMETRY: request.symmetry,
            Capability.CHECKPOINTS: request.checkpoint is not None,
            Capability.DISK: request.disk is not None,
            Capability.WORKERS: request.workers != 1,
            Capability.COUNTS: request.limits.states is not None,
        }
        for capability, is_needed in needs.items():
            if is_needed:
                self._require(capability)

    def _require(self, capability: Capability) -> None:
        if not self.offers(capability):
            raise UsageError(f"the {self.name} engine {capability.value}")

    def _load(self, needed: Capability | None = None, module: str = "") -> Any:
        if needed is not None:
            self._require(needed)
        return import_module(f"isrcheck.engines.{module or self.module}")


ENGINES: dict[str, Engine] = {
    each.name: each
    for each in (
        Engine(
            "native",
            "native.engine",
            frozenset(Capability) - {Capability.CHECKPOINTS},
            "native.behaviours.graph",
        ),
        Engine("reference", "reference.engine", frozenset({Capability.COUNTS, Capability.BEHAVIOURS})),
        Engine("evaluator", "evaluator", frozenset({Capability.COUNTS})),
        Engine("gpu", "gpu.engine", frozenset({Capability.COUNTS})),
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
