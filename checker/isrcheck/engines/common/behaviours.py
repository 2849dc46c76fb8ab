"""The graph in which behaviours that never end are looked for, what is asked of them, and what is found."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class BehaviourGraph(NamedTuple):
    """States 0 to n - 1 and their steps by source, but for those that change nothing: a behaviour may always stutter.

    State s has the steps from `first[s]` to `first[s + 1]`, and the pruned ones likewise. All but `starts` are arrays
    that share their memory: array("Q") of offsets, array("I") of states and instances, or ctypes' like.
    """

    first: Sequence[int]  # n + 1
    target: Sequence[int]
    instance: Sequence[int]  # position among all choices of parameters
    starts: Sequence[int]
    pruned_first: Sequence[int]  # n + 1
    pruned_instance: Sequence[int]  # whose step would leave a bound


class FairnessCondition(NamedTuple):
    """Fairness of the steps of some instances that change the state: TLA+'s WF_vars(A) or SF_vars(A)."""

    name: str
    is_strong: bool
    instances: frozenset[int]


class FormulaKind(Enum):
    """The kind of a temporal formula over conditions `P` and `Q` of states."""

    EVENTUALLY = "eventually"  # P
    ALWAYS_EVENTUALLY = "always_eventually"  # P
    EVENTUALLY_ALWAYS = "eventually_always"  # P
    LEADS_TO = "leads_to"  # from P to Q


class Formula(NamedTuple):
    """A temporal formula over a graph: for P and for Q one byte a state, 0 or 1."""

    kind: FormulaKind
    p: bytearray
    q: bytearray = bytearray()  # of LEADS_TO


class Lasso(NamedTuple):
    """A behaviour that goes round for ever: states 0 to k of the stem by its instances; the cycle starts at state k.

    `cycle` are the states that `cycle_instances` lead to, state k again at last. Without any, the behaviour stops at
    state k: it stutters for ever.
    """

    stem: tuple[int, ...]
    stem_instances: tuple[int, ...]
    cycle: tuple[int, ...]
    cycle_instances: tuple[int, ...]


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
