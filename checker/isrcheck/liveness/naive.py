"""Lassos found slowly: it decides for the reference, and the fast search is checked against it.

A fair cycle lies in a strongly connected component. A component in every state of which a fair step is enabled that it
never takes has none; one that never takes a strongly fair step is searched again without the states that enable it.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.process.budget import poll

Step = tuple[int, int]  # instance and target
Node = tuple[int, bool]  # a state, and whether the formula waits there for what never comes
Ways = dict[Node, tuple[Node, int] | None]  # from where, and by which instance, each node is first reached


def find_lasso(
    graph: BehaviourGraph,
    conditions: Sequence[FairnessCondition],
    formula: Formula,
    pruned_counts_as_enabled: bool = True,
) -> Lasso | None:
    """A fair behaviour of which the formula is false, with a shortest stem; the cycle is not the shortest."""
    finder = Finder(graph, conditions, pruned_counts_as_enabled)
    ways = finder.ways(formula)
    waiting = [state for state, waits in ways if waits]
    begins = {state for state in waiting if formula.kind is not FormulaKind.EVENTUALLY_ALWAYS or not formula.p[state]}
    component_of = {state: states for states in finder.fair_components(set(waiting)) for state in states}
    for state in waiting:
        if state in begins and finder.may_stop(state):
            return lasso_of(ways, (state, True), [])
        if state in begins and state in component_of:
            return lasso_of(ways, (state, True), finder.cycle(state, component_of[state]))
    return None


def steps_to_stranded(graph: BehaviourGraph, conditions: Sequence[FairnessCondition]) -> int | None:
    """How many steps lead to a state from which no fair behaviour goes on, while pruned steps count as enabled."""
    finder = Finder(graph, conditions, True)
    everywhere = set(range(len(graph.first) - 1))
    goes_on = {state for state in everywhere if finder.may_stop(state)}.union(*finder.fair_components(everywhere))
    before = defaultdict[int, set[int]](set)
    for state, steps in enumerate(finder.steps):
        for _, target in steps:
            before[target].add(state)
    for state in (waiting := [*goes_on]):
        waiting += before[state] - goes_on
        goes_on |= before[state]
    distances = dict.fromkeys(graph.starts, 0)
    for state in (reached := [*distances]):
        if state not in goes_on:
            return distances[state]
        for _, target in finder.steps[state]:
            if target not in distances:
                distances[target] = distances[state] + 1
                reached.append(target)
    return None


class Finder:
    """The tables of one search of a graph; a step to a state where the formula is met ends its waiting."""

    def __init__(self, graph: BehaviourGraph, conditions: Sequence[FairnessCondition], pruned_counts: bool) -> None:
        self.graph, self.conditions = graph, conditions
        self.steps: list[list[Step]] = []
        self.enabled: list[set[int]] = []
        for state in range(len(graph.first) - 1):
            own = slice(graph.first[state], graph.first[state + 1])
            pruned = slice(graph.pruned_first[state], graph.pruned_first[state + 1])
            self.steps.append(list(zip(graph.instance[own], graph.target[own], strict=True)))
            self.enabled.append({*graph.instance[own], *(graph.pruned_instance[pruned] if pruned_counts else ())})

    def ways(self, formula: Formula) -> Ways:
        """The shortest ways to every node, shorter ones first."""
        ways: Ways = {}
        waiting = deque[Node]()

        def reach(node: Node, way: tuple[Node, int] | None) -> None:
            if node not in ways:
                ways[node] = way
                waiting.append(node)

        def arrive(state: int, way: tuple[Node, int] | None) -> None:
            if formula.kind is not FormulaKind.EVENTUALLY or way is None:
                if _begins(formula, state):
                    reach((state, True), way)
                reach((state, False), way)

        for start in self.graph.starts:
            arrive(start, None)
        while waiting:
            poll()
            node = waiting.popleft()
            for instance, target in self.steps[node[0]]:
                if not node[1]:
                    arrive(target, (node, instance))
                elif stays(formula, target):
                    reach((target, True), (node, instance))
        return ways

    def may_stop(self, state: int) -> bool:
        return not any(each.instances & self.enabled[state] for each in self.conditions)

    def fair_components(self, states: set[int]) -> Iterator[set[int]]:
        """The largest sets that some fair cycle within these states visits whole."""
        rest = [states]
        while rest:
            for component in self._components(rest.pop()):
                unmet = [each for each in self.conditions if not self._is_taken(each, component)]
                if any(not each.is_strong and all(self._enables(s, each) for s in component) for each in unmet):
                    continue
                enabling = {s for each in unmet if each.is_strong for s in component if self._enables(s, each)}
                if enabling:
                    rest.append(component - enabling)
                else:
                    yield component

    def _enables(self, state: int, condition: FairnessCondition) -> bool:
        return not condition.instances.isdisjoint(self.enabled[state])

    def _is_taken(self, condition: FairnessCondition, within: set[int]) -> bool:
        return any(i in condition.instances and t in within for s in within for i, t in self.steps[s])

    def _components(self, states: set[int]) -> Iterator[set[int]]:
        """The strongly connected ones of two states or more: what is reached both ways from one of them."""
        rest = [states]
        while rest:
            poll()
            inside = self._trim(rest.pop())
            if not inside:
                continue
            forward, backward = self._edges(inside)
            first = min(inside)
            after, before = _reachable_from(first, forward), _reachable_from(first, backward)
            yield after & before
            rest += [after - before, before - after, inside - after - before]

    def _edges(self, inside: set[int]) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
        forward, backward = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        for source in inside:
            for _, target in self.steps[source]:
                if target in inside:
                    forward[source].add(target)
                    backward[target].add(source)
        return forward, backward

    def _trim(self, states: set[int]) -> set[int]:
        """Remove states on no cycle: those without a step into the rest, or from it."""
        inside = set(states)
        for here, there in (self._edges(inside), self._edges(inside)[::-1]):
            waiting = [s for s in inside if not here[s] & inside]
            while waiting:
                inside.discard(gone := waiting.pop())
                waiting += [s for s in there[gone] & inside if not here[s] & inside]
        return inside

    def cycle(self, start: int, within: set[int]) -> list[Step]:
        """Return a fair cycle through `start`, lengthened until each fairness condition is met."""
        path = list[Step]()
        while True:
            poll()
            end = path[-1][1] if path else start
            closing = [] if path and end == start else self._way(end, within, lambda _, step: step[1] == start)
            round_trip = [*path, *closing]
            unmet = next((c for c in self.conditions if not self._is_met(c, start, round_trip)), None)
            if unmet is None:
                return round_trip
            path += self._towards(unmet, end, within)

    def _is_met(self, condition: FairnessCondition, start: int, steps: list[Step]) -> bool:
        states = [start, *(target for _, target in steps)]
        if any(self._has_step_of(condition, s, t) for s, t in pairwise(states)):
            return True
        enabled = [self._enables(state, condition) for state in states]
        return not any(enabled) if condition.is_strong else not all(enabled)

    def _has_step_of(self, condition: FairnessCondition, source: int, target: int) -> bool:
        return any(t == target and i in condition.instances for i, t in self.steps[source])

    def _towards(self, condition: FairnessCondition, start: int, within: set[int]) -> list[Step]:
        def is_goal(source: int, step: Step) -> bool:
            is_out = not condition.is_strong and not self._enables(step[1], condition)
            return is_out or step[0] in condition.instances

        return self._way(start, within, is_goal)

    def _way(self, start: int, within: set[int], is_goal: Callable[[int, Step], bool]) -> list[Step]:
        """Return the shortest path, of a step or more, whose last step is a goal."""
        ways: dict[int, list[Step]] = {start: []}
        for source in (waiting := [start]):
            for step in self.steps[source]:
                if step[1] not in within:
                    continue
                if is_goal(source, step):
                    return [*ways[source], step]
                if step[1] not in ways:
                    ways[step[1]] = [*ways[source], step]
                    waiting.append(step[1])
        raise AssertionError("a component has no way to a step of its own")


def _begins(formula: Formula, state: int) -> bool:
    """Whether a behaviour may violate the formula by what follows from this state."""
    match formula.kind:
        case FormulaKind.LEADS_TO:
            return bool(formula.p[state]) and not formula.q[state]
        case FormulaKind.EVENTUALLY_ALWAYS:
            return True
    return not formula.p[state]


def stays(formula: Formula, state: int) -> bool:
    match formula.kind:
        case FormulaKind.LEADS_TO:
            return not formula.q[state]
        case FormulaKind.EVENTUALLY_ALWAYS:
            return True
    return not formula.p[state]


def _reachable_from(start: int, edges: dict[int, set[int]]) -> set[int]:
    reachable = {start}
    for state in (waiting := [start]):
        new = edges[state] - reachable
        reachable |= new
        waiting += new
    return reachable


def lasso_of(ways: Ways, anchor: Node, cycle: list[Step]) -> Lasso:
    stem, instances = [anchor[0]], list[int]()
    way = ways[anchor]
    while way is not None:
        (before, _), instance = way
        stem.append(before)
        instances.append(instance)
        way = ways[way[0]]
    return Lasso(
        tuple(reversed(stem)), tuple(reversed(instances)), tuple(t for _, t in cycle), tuple(i for i, _ in cycle)
    )
