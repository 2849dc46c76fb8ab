"""The least of the shortest traces: fewest changes of actor, then fewest faults, those early, then the first in order.

A second pass over the steps that searches have marked: those on a shortest way from the beginning to a target.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Path
from isrcheck.ir.scalar import Actors
from isrcheck.process.budget import OutOfBudget

S = TypeVar("S", bound=Hashable)
Steps = Sequence[tuple[int, S]]  # from one state: positions, each with the state after it
Expand = Callable[[Sequence[S], int], Iterable[Steps[S]]]  # the marked steps from states to a level, state by state

MOST_STEPS = 20_000  # marked, besides one a level: TODO
_FAULT, _CHANGE = 1 << 40, 1 << 80  # of one: more than all depths, or all faults, of a trace add up to


class Stories:
    """The least stories of one search, while its time lasts; `untold` are the names of those it did not find."""

    def __init__(self, actors: Actors, pause: Callable[[], None], are_asked: bool = True) -> None:
        self._actors, self.pause = actors, pause
        self._are_asked = self._goes_on = are_asked and bool(actors.roles)
        self.untold: list[str] = []

    def choose(self, name: str, path: Path, starts: Sequence[S], expand: Expand[S]) -> Path:
        """Return the least story to a target; this path of the same length where a limit is near."""
        if not self._are_asked:
            return path
        try:
            steps = self._marked_steps(len(path), starts, expand) if self._goes_on else None
        except (Stopped, OutOfBudget):
            self._goes_on, steps = False, None
        if steps is None:
            self.untold.append(name)
            return path
        return _Story(self._actors, steps).path(starts)

    def _marked_steps(self, length: int, starts: Sequence[S], expand: Expand[S]) -> list[dict[S, Steps[S]]] | None:
        """The marked steps by level and state; None if they are too many."""
        graph, count, states = list[dict[S, Steps[S]]](), 0, [*starts]
        for level in range(1, length + 1):
            graph.append({})
            for state, steps in zip(states, expand(states, level), strict=True):
                self.pause()
                graph[-1][state] = steps
                count += len(steps)
                if count > MOST_STEPS + length:
                    return None
            states = [*dict.fromkeys(after for steps in graph[-1].values() for _, after in steps)]
        return graph


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

    def path(self, starts: Sequence[S]) -> Path:
        if not self._graph:
            return ()
        state, path = min(starts, key=lambda start: min(self._costs[0][start].values())), list[int]()
        last: Hashable = None
        for depth, steps in enumerate(self._graph):

            def cost(step: tuple[int, S], depth: int = depth, last: Hashable = last) -> tuple[int, int]:
                is_change = depth > 0 and self._actors.of(step[0]) != last
                return self._cost(depth, *step) + _CHANGE * is_change, step[0]

            position, state = min(steps[state], key=cost)
            path.append(position)
            last = self._actors.of(position)
        return tuple(path)
