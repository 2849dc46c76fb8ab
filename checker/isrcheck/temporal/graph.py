"""Behaviours that never end, looked for in a graph that is known whole."""

from isrcheck.engines.common.behaviours import (
    BehaviourGraph,
    FairnessCondition,
    Formula,
    FormulaKind,
    Lasso,
)

__all__ = ["BehaviourGraph", "FairnessCondition", "Formula", "FormulaKind", "Lasso"]
