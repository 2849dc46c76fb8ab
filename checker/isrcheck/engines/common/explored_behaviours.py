"""Answers of an engine that decides temporal properties: the graph, and the formulas of each property."""

from dataclasses import dataclass

from isrcheck.engines.common.behaviours import BehaviourGraph, Formula


@dataclass(frozen=True)
class ExploredBehaviours:
    """The graph of behaviours, and for each property by name the formulas that it joins.

    The graph of a search that was cut off has the states whose steps are all known. Steps out of these are pruned, and
    so are those that constraints leave out.
    """

    graph: BehaviourGraph
    formulas: dict[str, list[Formula]]
    cut: str | None = None  # as a phrase
    is_constrained: bool = False  # a constraint left something out
    interrupted: bool = False
