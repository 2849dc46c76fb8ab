"""What an engine that decides temporal properties answers: the graph, and what is asked of it."""

from dataclasses import dataclass

from isrcheck.engines.common.behaviours import BehaviourGraph, Formula, Lasso


@dataclass(frozen=True)
class ExploredBehaviours:
    """For each property by name the formulas that it joins.

    Of a search that was cut off it has the states whose steps are all known. Steps out of these are pruned, and so are
    those that constraints leave out.
    """

    graph: BehaviourGraph
    formulas: dict[str, list[Formula]]
    cut: str | None = None  # as a phrase
    is_constrained: bool = False  # a constraint left something out
    interrupted: bool = False


@dataclass(frozen=True)
class BoundedLassos:
    """What an engine without a graph answers: lassos by property, of behaviours of at most depth - 1 steps."""

    found: dict[str, Lasso]
    depth: int
    cut: str | None  # why it looked no further; None where every property was decided
    interrupted: bool
