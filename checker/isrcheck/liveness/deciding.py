"""Temporal properties decided in a graph: as if what bounds prune could not happen, and as if it could.

What is found where it could violates the property without the bounds, too. What is found only where it could not is a
behaviour that some bound stops: neither a violation nor none.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.engines.common.explored_behaviours import ExploredBehaviours
from isrcheck.liveness.shortest import ShortestLasso, is_small, steps_of
from isrcheck.process.budget import OutOfBudget, poll

_AT_ONCE = 1 << 16  # instances between two looks at the clock: 2 ms
OF_THE_END = (FormulaKind.ALWAYS_EVENTUALLY, FormulaKind.EVENTUALLY_ALWAYS)  # no beginning decides them
Find = Callable[[BehaviourGraph, Sequence[FairnessCondition], Formula, bool], Lasso | None]  # of liveness/graph.py
Stranded = Callable[[BehaviourGraph, Sequence[FairnessCondition]], int | None]  # of liveness/naive.py


@dataclass
class BehaviourFindings:
    """The findings by property; `cut` says, as a phrase, why the rest are not decided."""

    violated: dict[str, Lasso] = field(default_factory=dict)
    stopped: dict[str, Lasso] = field(default_factory=dict)  # a behaviour that some bound stops
    decided: set[str] = field(default_factory=set)  # those of which all behaviours were looked at
    cut: str | None = None
    interrupted: bool = False
    none_is_fair: bool = False  # of the behaviours within the bounds
    unseen: set[str] = field(default_factory=set)  # what becomes of them is beyond the bounds,
    unseen_after: int = 0  # after so many steps, in all fair behaviours
    never_enabled: frozenset[str] = frozenset()  # conditions


def decide(
    explored: ExploredBehaviours, conditions: Sequence[FairnessCondition], find: Find, stranded: Stranded
) -> BehaviourFindings:
    """Decide temporal properties in an explored graph. An interrupt keeps the findings so far."""
    findings = BehaviourFindings(cut=explored.cut, interrupted=explored.interrupted)
    is_whole = explored.cut is None
    is_pruned = is_whole and len(explored.graph.pruned_instance) > 0

    def first(formulas: Iterable[Formula], pruned_counts: bool) -> Lasso | None:
        """The shortest lasso in a small graph, else the lasso of the first formula that has one."""
        graph, best = explored.graph, None
        for each in formulas:
            lasso = find(graph, conditions, each, pruned_counts)
            if lasso is not None and not is_small(graph):
                return lasso
            if lasso is not None:
                shortest = ShortestLasso(graph, conditions, each, pruned_counts).than(lasso)
                best = shortest if best is None else min(best, shortest, key=steps_of)
        return best

    try:
        for name, formulas in explored.formulas.items():
            # What is fair while pruned steps count is fair while they do not: where the latter search finds nothing,
            # the former would not either.
            stopped = first(formulas, False) if is_pruned else None
            if (stopped or not is_pruned) and (lasso := first(formulas, True)):
                findings.violated[name] = lasso
            elif stopped:
                findings.stopped[name] = stopped
            elif is_whole and not explored.is_constrained:
                findings.decided.add(name)
        if is_whole:
            findings.never_enabled = _never_enabled(explored.graph, conditions)
            if findings.decided and not findings.violated:
                never = Formula(FormulaKind.EVENTUALLY, bytearray(len(explored.graph.first) - 1))
                findings.none_is_fair = find(explored.graph, conditions, never, True) is None
            of_the_end = {n for n in findings.decided if any(f.kind in OF_THE_END for f in explored.formulas[n])}
            if is_pruned and of_the_end and (steps := stranded(explored.graph, conditions)) is not None:
                findings.unseen, findings.unseen_after = of_the_end, steps
                findings.decided -= of_the_end
    except OutOfBudget as over:
        findings.cut = str(over)
    except KeyboardInterrupt:
        findings.cut, findings.interrupted = "by the user", True
    return findings


def _distinct(instances: Sequence[int]) -> set[int]:
    distinct = set[int]()
    for first in range(0, len(instances), _AT_ONCE):
        poll()
        distinct.update(instances[first : first + _AT_ONCE])
    return distinct


def _never_enabled(graph: BehaviourGraph, conditions: Sequence[FairnessCondition]) -> frozenset[str]:
    enabled = _distinct(graph.instance) | _distinct(graph.pruned_instance)
    return frozenset(each.name for each in conditions if each.instances.isdisjoint(enabled))
