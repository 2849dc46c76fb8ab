"""Behaviours that never end, by definition: every set of states that one can visit for ever is tried."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso

Step = tuple[int, int, int]  # source, instance, target


@dataclass
class SmallGraph:
    size: int
    steps: list[Step]
    starts: list[int]
    pruned: list[tuple[int, int]] = field(default_factory=list)  # state, instance

    def as_arrays(self) -> BehaviourGraph:
        steps, pruned = sorted(set(self.steps)), sorted(set(self.pruned))
        return BehaviourGraph(
            first=_offsets(self.size, [source for source, _, _ in steps]),
            target=array("I", [target for _, _, target in steps]),
            instance=array("I", [instance for _, instance, _ in steps]),
            starts=self.starts,
            pruned_first=_offsets(self.size, [state for state, _ in pruned]),
            pruned_instance=array("I", [instance for _, instance in pruned]),
        )

    def enabled(self, state: int, condition: FairnessCondition, counts_pruned: bool) -> bool:
        own = {instance for source, instance, _ in self.steps if source == state}
        lost = {instance for source, instance in self.pruned if source == state} if counts_pruned else set()
        return not condition.instances.isdisjoint(own | lost)

    def reached(self, sources: set[int], inside: set[int]) -> set[int]:
        found = sources & inside
        while fresh := {t for s, _, t in self.steps if s in found and t in inside} - found:
            found |= fresh
        return found


def _offsets(size: int, sources: Sequence[int]) -> "array[int]":
    return array("Q", [sum(source < state for source in sources) for state in range(size + 1)])


def has_lasso(
    graph: SmallGraph, conditions: Sequence[FairnessCondition], formula: Formula, counts_pruned: bool = True
) -> bool:
    states = set(range(graph.size))
    not_p = {state for state in states if not formula.p[state]}
    everywhere = graph.reached(set(graph.starts), states)
    match formula.kind:
        case FormulaKind.EVENTUALLY:
            region = graph.reached(set(graph.starts), not_p)
        case FormulaKind.ALWAYS_EVENTUALLY:
            region = everywhere & not_p
        case FormulaKind.EVENTUALLY_ALWAYS:
            region = everywhere
        case FormulaKind.LEADS_TO:
            not_q = {state for state in states if not formula.q[state]}
            region = graph.reached((everywhere - not_p) & not_q, not_q)
    return any(
        (formula.kind is not FormulaKind.EVENTUALLY_ALWAYS or visited & not_p)
        and is_connected(graph, visited)
        and is_fair(graph, visited, conditions, counts_pruned)
        for visited in subsets(region)
    )


def subsets(states: set[int]) -> Iterator[set[int]]:
    sizes = range(1, len(states) + 1)
    return (set(each) for each in chain.from_iterable(combinations(sorted(states), size) for size in sizes))


def is_connected(graph: SmallGraph, states: set[int]) -> bool:
    """Whether each state leads to each, by stuttering or by steps inside."""
    return all(graph.reached({state}, states) == states for state in states)


def is_fair(
    graph: SmallGraph,
    visited: set[int],
    conditions: Sequence[FairnessCondition],
    counts_pruned: bool,
    instances: set[int] | None = None,
) -> bool:
    """Whether a behaviour is that visits these states for ever and takes these instances, or all steps between them."""
    inner = {i for s, i, t in graph.steps if s in visited and t in visited} if instances is None else instances
    for condition in conditions:
        enabled = [graph.enabled(state, condition, counts_pruned) for state in visited]
        demanded = any(enabled) if condition.is_strong else all(enabled)
        if demanded and condition.instances.isdisjoint(inner):
            return False
    return True


def check(
    graph: SmallGraph,
    conditions: Sequence[FairnessCondition],
    formula: Formula,
    lasso: Lasso,
    counts_pruned: bool = True,
) -> None:
    """That it is a behaviour, fair, and one for which the formula is false."""
    assert lasso.stem[0] in graph.starts
    cycle = [lasso.stem[-1], *lasso.cycle]
    assert cycle[-1] == cycle[0]
    for states, instances in ((lasso.stem, lasso.stem_instances), (cycle, lasso.cycle_instances)):
        walked = zip(pairwise(states), instances, strict=True)
        assert {(s, i, t) for (s, t), i in walked} <= set(graph.steps)
    assert is_fair(graph, set(cycle), conditions, counts_pruned, set(lasso.cycle_instances))
    never_p = not any(formula.p[state] for state in cycle)
    match formula.kind:
        case FormulaKind.EVENTUALLY:
            assert never_p
            assert not any(formula.p[state] for state in lasso.stem)
        case FormulaKind.ALWAYS_EVENTUALLY:
            assert never_p
        case FormulaKind.EVENTUALLY_ALWAYS:
            assert not all(formula.p[state] for state in cycle)
        case FormulaKind.LEADS_TO:
            walk = [*lasso.stem, *lasso.cycle]
            after = [walk[place:] for place, state in enumerate(walk) if formula.p[state]]
            assert any(not any(formula.q[state] for state in [*rest, *cycle]) for rest in after)
