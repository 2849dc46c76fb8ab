"""Behaviours that never end, looked for in a graph that is known whole."""

from collections.abc import Sequence

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.engines.registry import ENGINES

__all__ = ["BehaviourGraph", "FairnessCondition", "Formula", "FormulaKind", "Lasso", "find_lasso"]


def find_lasso(
    graph: BehaviourGraph,
    conditions: Sequence[FairnessCondition],
    formula: Formula,
    pruned_counts_as_enabled: bool = True,
) -> Lasso | None:
    """A behaviour from a start that is fair by all conditions and for which the formula is false; None: there is none.

    One found while pruned steps count as enabled is a behaviour of the model without its bounds. The answer does not
    depend on how states are numbered, if each one's steps are in the order of their instances.
    """
    return ENGINES["native"].find_lasso(graph, conditions, formula, pruned_counts_as_enabled)
