"""The least of the shortest traces: fewest changes of actor, then fewest faults, those early, then the first in order.

A second pass over the steps that searches have marked: those on a shortest way from the beginning to a target.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Path
from isrcheck.ir.scalar import Actors
from isrcheck.process.budget import OutOfBudget

S = TypeVar("S", bound=Hashable)
Steps = Sequence[tuple[int, S]]  # from one state: positions, each with the state after it
Expand = Callable[[Iterable[S], int], Iterable[Steps[S]]]  # the marked steps from states to a level, state by state

MOST_STEPS = 10_000  # marked, besides one a level; seconds at most. The largest story of the specs has 1,200
_FAULT, _CHANGE = 1 << 40, 1 << 80  # of one: more than all depths, or all faults, of a trace add up to


@dataclass(frozen=True)
class MarkedSteps(Generic[S]):
    """The marked steps on the shortest ways to a target, of this many steps: from which states, and which lead on."""

    length: int
    starts: Callable[[], Sequence[S]]
    expand: Expand[S]

    def first(self) -> Path:
        """Return the first path in order."""
        state, path = self.starts()[0], list[int]()
        for level in range(1, self.length + 1):
            (steps,) = self.expand([state], level)
            position, state = steps[0]
            path.append(position)
        return tuple(path)

    def collect(self, pause: Callable[[], None]) -> list[dict[S, Steps[S]]] | None:
        """Return the steps by level and state; None if they are too many."""
        graph, count, states = list[dict[S, Steps[S]]](), 0, self.starts()
        for level in range(1, self.length + 1):
            if count + len(states) > MOST_STEPS + self.length:  # each has a step at least
                return None
            graph.append({})
            for state, steps in zip(states, self.expand(_pause_between(states, pause), level), strict=True):
                graph[-1][state] = steps
                count += len(steps)
                if count > MOST_STEPS + self.length:
                    return None
            states = [*dict.fromkeys(after for steps in graph[-1].values() for _, after in steps)]
        return graph


def _pause_between(states: Iterable[S], pause: Callable[[], None]) -> Iterator[S]:
    for state in states:
        pause()
        yield state


class Stories:
    """The least stories of one search, while its time lasts."""

    def __init__(self, actors: Actors, pause: Callable[[], None], are_asked: bool = True) -> None:
        self._actors, self.pause = actors, pause
        self._are_asked = self._goes_on = are_asked and bool(actors.roles)
        self._chosen: set[str] = set()

    def untold(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of these names whose least stories were not found."""
        return tuple(sorted({*names} - self._chosen)) if self._are_asked else ()

    def choose(self, name: str, path: Path, way: MarkedSteps[S]) -> Path:
        """Return the least story to a target; this path of the same length where a limit is near."""
        if not self._are_asked:
            return path
        try:
            if self._goes_on and (steps := way.collect(self.pause)) is not None:
                path = _Story(self._actors, steps).path() if path else path
                self._chosen.add(name)
        except (Stopped, OutOfBudget):
            self._goes_on = False
        return path


class _Story(Generic[S]):
    """Costs of the ways through marked steps: by level and state, of the cheapest that each actor begins."""

    def __init__(self, actors: Actors, graph: list[dict[S, Steps[S]]]) -> None:
        self._actors, self._graph = actors, graph
        self._costs: list[dict[S, dict[Hashable, int]]] = [{} for _ in range(len(graph) + 1)]
        for depth in reversed(range(len(graph))):
            self._costs[depth] = {state: self._by_actor(depth, steps) for state, steps in graph[depth].items()}

    def _by_actor(self, depth: int, steps: Steps[S]) -> dict[Hashable, int]:
        costs: dict[Hashable, int] = {}
        for position, after in steps:
            actor, cost = self._actors.of(position), self._cost(depth, position, after)
            costs[actor] = min(cost, costs.get(actor, cost))
        return costs

    def _cost(self, depth: int, position: int, after: S) -> int:
        """The cost of a step and the cheapest way on."""
        own = _FAULT + depth if self._actors.is_fault(position) else 0
        return own + self._way_on(depth + 1, after, self._actors.of(position))

    def _way_on(self, depth: int, state: S, last: Hashable) -> int:
        costs = self._costs[depth].get(state, {})
        return min((cost + _CHANGE * (actor != last) for actor, cost in costs.items()), default=0)

    def path(self) -> Path:
        state = min(self._graph[0], key=lambda start: self._way_on(0, start, None))
        last: Hashable = None
        path = list[int]()
        for depth in range(len(self._graph)):
            position, state = self._next(depth, state, last)
            last = self._actors.of(position)
            path.append(position)
        return tuple(path)

    def _next(self, depth: int, state: S, last: Hashable) -> tuple[int, S]:
        """The first of the steps that begin the cheapest ways on."""

        def cost(step: tuple[int, S]) -> tuple[int, int]:
            return self._cost(depth, *step) + _CHANGE * (self._actors.of(step[0]) != last), step[0]

        return min(self._graph[depth][state], key=cost)
