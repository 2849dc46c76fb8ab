"""Temporal properties decided in a graph: first as if what bounds prune could happen, then as if it could not.

What the first search finds violates the property without the bounds, too. What only the second finds is a behaviour
that some bound stops: neither a violation nor none.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from isrcheck.budget import OutOfBudget
from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.engines.common.explored_behaviours import ExploredBehaviours

Find = Callable[[BehaviourGraph, Sequence[FairnessCondition], Formula, bool], Lasso | None]  # of liveness/graph.py


@dataclass
class BehaviourFindings:
    """By property; `cut` says, as a phrase, why those not in `decided` are not known."""

    violated: dict[str, Lasso] = field(default_factory=dict)
    stopped: dict[str, Lasso] = field(default_factory=dict)  # a behaviour that some bound stops
    decided: set[str] = field(default_factory=set)  # those of which all behaviours were looked at
    cut: str | None = None
    interrupted: bool = False
    depth: int = 1  # every lasso of at most depth - 1 steps was looked at
    none_is_fair: bool = False  # of the behaviours within the bounds
    never_enabled: frozenset[str] = frozenset()  # conditions


def decide(explored: ExploredBehaviours, conditions: Sequence[FairnessCondition], find: Find) -> BehaviourFindings:
    """Whatever ends it early, what was found by then stays."""
    found = BehaviourFindings(cut=explored.cut, interrupted=explored.interrupted)
    is_whole = explored.cut is None

    def first(formulas: Iterable[Formula], pruned_counts: bool) -> Lasso | None:
        lassos = (find(explored.graph, conditions, each, pruned_counts) for each in formulas)
        return next((lasso for lasso in lassos if lasso is not None), None)

    try:
        for name, formulas in explored.formulas.items():
            if (lasso := first(formulas, True)) is not None:
                found.violated[name] = lasso
            elif is_whole and len(explored.graph.pruned_instance) and (lasso := first(formulas, False)) is not None:
                found.stopped[name] = lasso
            elif is_whole and not explored.is_constrained:
                found.decided.add(name)
        if is_whole:
            found.never_enabled = _never_enabled(explored.graph, conditions)
            if found.decided and not found.violated:
                never = Formula(FormulaKind.EVENTUALLY, bytearray(len(explored.graph.first) - 1))
                found.none_is_fair = first([never], True) is None
    except OutOfBudget as over:
        found.cut = str(over)
    except KeyboardInterrupt:
        found.cut, found.interrupted = "by the user", True
    return found


def _never_enabled(graph: BehaviourGraph, conditions: Sequence[FairnessCondition]) -> frozenset[str]:
    enabled = {*graph.instance, *graph.pruned_instance}
    return frozenset(each.name for each in conditions if each.instances.isdisjoint(enabled))
