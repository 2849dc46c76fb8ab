"""Lassos found slowly: it decides for the reference, and the fast search is checked against it.

In a graph that is small enough to look at each lasso it finds the shortest, of stem and cycle together.

A fair cycle lies in a strongly connected component. A component in every state of which a fair step is enabled that it
never takes has none; one that never takes a strongly fair step is searched again without the states that enable it.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, reduce
from itertools import pairwise
from operator import or_
from typing import Any, TypeVar

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.process.budget import poll

Step = tuple[int, int]  # instance and target
N = TypeVar("N", bound=tuple[int, Any])  # a state, and what else a search tells apart
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
        """The strongly connected ones, by Kosaraju: searches backwards from what a search forwards leaves last."""
        before = defaultdict[int, set[int]](set)
        left, rest = dict[int, None](), set(states)
        waiting = [(state, False) for state in states]
        while waiting:
            state, is_left = waiting.pop()
            if is_left:
                left[state] = None
            elif state in rest:
                poll()
                rest.discard(state)
                targets = {target for _, target in self.steps[state] if target in states}
                waiting += [(state, True), *((target, False) for target in targets)]
                for target in targets:
                    before[target].add(state)
        while left:
            poll()
            component = [left.popitem()[0]]
            for state in component:
                new = before[state] & left.keys()
                component += new
                for each in new:
                    del left[each]
            yield set(component)

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
    is_asked = formula.kind is not FormulaKind.LEADS_TO or bool(formula.p[state])
    return is_asked and stays(formula, state)


def stays(formula: Formula, state: int) -> bool:
    match formula.kind:
        case FormulaKind.LEADS_TO:
            return not formula.q[state]
        case FormulaKind.EVENTUALLY_ALWAYS:
            return True
    return not formula.p[state]


def lasso_of(ways: Ways, anchor: Node, cycle: list[Step]) -> Lasso:
    start, stem = _path(ways, anchor)
    states = (start, *(t for _, t in stem))
    return Lasso(states, tuple(i for i, _ in stem), tuple(t for _, t in cycle), tuple(i for i, _ in cycle))


def _path(ways: Mapping[N, tuple[N, int] | None], node: N) -> tuple[int, list[Step]]:
    """The state from which a node was first reached, and the steps."""
    steps = list[Step]()
    while (way := ways[node]) is not None:
        steps.append((way[1], node[0]))
        node = way[0]
    return node[0], steps[::-1]


MOST_STATES = 5_000
MOST_LOOKS = 300_000  # at a state with what a cycle has met so far: a second of CPython
Met = tuple[int, int, bool]  # conditions met, strong ones that were enabled, and whether the formula was false


def is_small(graph: BehaviourGraph) -> bool:
    return len(graph.first) - 1 <= MOST_STATES


def steps_of(lasso: Lasso) -> int:
    return len(lasso.stem_instances) + len(lasso.cycle_instances)


class ShortestLasso:
    """The shortest lasso of a formula in a small graph; its cycle begins at the state nearest to a start."""

    def __init__(
        self, graph: BehaviourGraph, conditions: Sequence[FairnessCondition], formula: Formula, pruned_counts: bool
    ) -> None:
        self._formula, self._finder = formula, Finder(graph, conditions, pruned_counts)
        self._weak = sum(1 << bit for bit, each in enumerate(conditions) if not each.is_strong)
        self._strong = sum(1 << bit for bit, each in enumerate(conditions) if each.is_strong)
        self._of_instance: dict[int, int] = {}
        for bit, condition in enumerate(conditions):
            for instance in condition.instances:
                self._of_instance[instance] = self._of_instance.get(instance, 0) | 1 << bit
        self._ways = self._finder.ways(formula)
        self._looks = 0
        self._steps = cache(self._group_by_target)

    def shorten(self, lasso: Lasso) -> Lasso:
        """Return the shortest lasso if it is shorter than this one; after MOST_LOOKS the shortest until then."""
        best, most = lasso, steps_of(lasso)
        for anchor, distance in self._distances.items():
            if distance >= most or self._looks > MOST_LOOKS:
                break
            if not anchor[1] and self._distances.get((anchor[0], True)) == distance:
                continue  # it waits there as soon
            cycle = self._cycle(anchor, most - distance - 1)
            if cycle is not None:
                best = lasso_of(self._ways, anchor, cycle)
                most = steps_of(best)
        return best

    @cached_property
    def _distances(self) -> dict[Node, int]:
        """The distance in steps of each state in which a cycle may begin, nearer ones first.

        The formula waits there, or begins to wait on the way round.
        """
        distances: dict[Node, int] = {}
        for node, way in self._ways.items():
            distances[node] = 0 if way is None else distances[way[0]] + 1
        begins_later = self._formula.kind is FormulaKind.LEADS_TO
        inside = (n for n in distances if n[1] or (begins_later and stays(self._formula, n[0])))
        return {node: distances[node] for node in inside}

    def _cycle(self, anchor: Node, most: int) -> list[Step] | None:
        """The shortest fair one through this state, and through none that is nearer to a start."""
        home, waits = anchor
        least, first = self._distances[anchor], (home, self._at(*anchor))
        if self._is_fair(first[1]):  # it may stop there
            return []
        parents: dict[tuple[int, Met], tuple[tuple[int, Met], int] | None] = {first: None}
        level = [first]
        for _ in range(most):
            poll()
            following = []
            for node in level:
                for instance, target, taken in self._steps(node[0]):
                    if self._distances.get((target, waits), -1) < least:
                        continue
                    reached = (target, self._join_met(node[1], self._at(target, waits), taken))
                    if target == home and self._is_fair(reached[1]):
                        return [*_path(parents, node)[1], (instance, target)]
                    if reached not in parents:
                        parents[reached] = (node, instance)
                        following.append(reached)
            self._looks += len(following)
            level = following
            if not level or self._looks > MOST_LOOKS:
                return None
        return None

    def _at(self, state: int, waits: bool) -> Met:
        enabled = self._mask(self._finder.enabled[state])
        if self._formula.kind is FormulaKind.EVENTUALLY_ALWAYS:
            is_false = not self._formula.p[state]
        else:
            is_false = waits or bool(self._formula.p[state])
        return self._weak & ~enabled, self._strong & enabled, is_false

    def _join_met(self, before: Met, here: Met, taken: int) -> Met:
        return before[0] | here[0] | taken, before[1] | here[1], before[2] or here[2]

    def _is_fair(self, met: Met) -> bool:
        done, enabled, is_false = met
        return is_false and not (self._weak | enabled) & ~done

    def _mask(self, instances: set[int]) -> int:
        return reduce(or_, (self._of_instance.get(instance, 0) for instance in instances), 0)

    def _group_by_target(self, state: int) -> list[tuple[int, int, int]]:
        """(least instance, target, conditions that all instances to it satisfy) for each target."""
        to: dict[int, set[int]] = {}
        for instance, target in self._finder.steps[state]:
            if stays(self._formula, target):
                to.setdefault(target, set()).add(instance)
        return [(min(instances), target, self._mask(instances)) for target, instances in to.items()]
