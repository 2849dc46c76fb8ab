"""The shortest of all lassos, of stem and cycle together, in graphs that are small enough to look at each of them."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.liveness import naive
from isrcheck.process.budget import poll

MOST_STATES = 5_000
MOST_LOOKS = 300_000  # at a state with what a cycle has met so far: a second of CPython
Step = tuple[int, int]  # instance and target
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
        self._formula, self._finder = formula, naive.Finder(graph, conditions, pruned_counts)
        self._weak = sum(1 << bit for bit, each in enumerate(conditions) if not each.is_strong)
        self._strong = sum(1 << bit for bit, each in enumerate(conditions) if each.is_strong)
        self._of_instance: dict[int, int] = {}
        for bit, condition in enumerate(conditions):
            for instance in condition.instances:
                self._of_instance[instance] = self._of_instance.get(instance, 0) | 1 << bit
        self._ways = self._finder.ways(formula)
        self._looks = 0
        self._known: dict[int, list[tuple[int, int, int]]] = {}

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
                best = naive.lasso_of(self._ways, anchor, cycle)
                most = steps_of(best)
        return best

    @cached_property
    def _distances(self) -> dict[naive.Node, int]:
        """The distance in steps of each state in which a cycle may begin, nearer ones first.

        The formula waits there, or begins to wait on the way round.
        """
        distances: dict[naive.Node, int] = {}
        for node, way in self._ways.items():
            distances[node] = 0 if way is None else distances[way[0]] + 1
        begins_later = self._formula.kind is FormulaKind.LEADS_TO
        inside = (n for n in distances if n[1] or (begins_later and naive.stays(self._formula, n[0])))
        return {node: distances[node] for node in inside}

    def _cycle(self, anchor: naive.Node, most: int) -> list[Step] | None:
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
                    reached = (target, self._and(node[1], self._at(target, waits), taken))
                    if target == home and self._is_fair(reached[1]):
                        return [*_path(parents, node), (instance, target)]
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

    def _and(self, before: Met, here: Met, taken: int) -> Met:
        return before[0] | here[0] | taken, before[1] | here[1], before[2] or here[2]

    def _is_fair(self, met: Met) -> bool:
        done, enabled, is_false = met
        return is_false and not (self._weak | enabled) & ~done

    def _mask(self, instances: set[int]) -> int:
        mask = 0
        for instance in instances:
            mask |= self._of_instance.get(instance, 0)
        return mask

    def _steps(self, state: int) -> list[tuple[int, int, int]]:
        """(target, least instance, conditions that all instances to it satisfy) for each target."""
        if state not in self._known:
            self._known[state] = list(self._group_by_target(state))
        return self._known[state]

    def _group_by_target(self, state: int) -> Iterator[tuple[int, int, int]]:
        to: dict[int, set[int]] = {}
        for instance, target in self._finder.steps[state]:
            if naive.stays(self._formula, target):
                to.setdefault(target, set()).add(instance)
        for target, instances in to.items():
            yield min(instances), target, self._mask(instances)


def _path(parents: dict[tuple[int, Met], tuple[tuple[int, Met], int] | None], node: tuple[int, Met]) -> list[Step]:
    steps = list[Step]()
    while (way := parents[node]) is not None:
        steps.append((way[1], node[0]))
        node = way[0]
    return steps[::-1]
