"""A finished proof: what was shown, of which system, with which lemmas; `obligations.py` says what z3 had to refute."""

from dataclasses import dataclass

from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import Node
from isrcheck.ir.symbolic_constant import ValueRange
from isrcheck.passes.symbolic import SymbolicSystem

FOUND = "found by search"


@dataclass(frozen=True, eq=False)
class Lemma:
    """An auxiliary invariant: `text` is what it says in the model's words, `place` where it is written, or FOUND."""

    name: str
    node: Node  # over the scalars of one state; 1 where it holds and has a value
    place: str
    text: str


@dataclass(frozen=True, eq=False)
class InductiveProof:
    """One property of one system, proved for any number of steps and every choice of the symbolic constants.

    The lemmas hold initially, and a step from where all hold leads to where all hold; the property is `k`-inductive
    where they hold. `conditions` has one node, or for a step property one for each instance, as ScalarProperty has.
    """

    symbolic: SymbolicSystem
    name: str
    kind: PropertyKind
    k: int  # 1 for step properties
    lemmas: tuple[Lemma, ...]
    conditions: tuple[Node, ...]  # 1 where the property holds and has a value
    asked: Node  # over the symbolic constants: where the property is asked
    faults: tuple[Node, ...]  # what must never be 1 in a reachable state: mistakes of the text that was kept

    @property
    def ranges(self) -> dict[str, ValueRange]:
        """The symbolic constants, with their ranges."""
        return self.symbolic.model.symbolic

    @property
    def fixed(self) -> dict[str, object]:
        """The constants that were chosen."""
        return {n: v for n, v in self.symbolic.model.constants.items() if n not in self.ranges}

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the model that the proof looks at."""
        return tuple(self.symbolic.model.domains)
