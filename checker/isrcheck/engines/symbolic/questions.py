"""What a bounded search asks: for each property, the node that is 1 where it breaks or is met; and for faults."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isrcheck.engines.contract import DEADLOCK
from isrcheck.ir.scalar import Condition, Node, ScalarProperty
from isrcheck.passes.symbolic import SymbolicSystem

REACHED, EXPANDED, STEPPED = "reached", "expanded", "stepped"


@dataclass(frozen=True)
class Question:
    """Whether a state (or a step) can be reached where a node is 1, with constants where `when` is 1.

    A question about steps has a node for each instance of the system, any other has one. `name` is that of a property
    or DEADLOCK; `of_instances` asks for faults of the actions' own text.
    """

    name: str
    nodes: tuple[Node, ...]
    when: Node
    is_step: bool = False
    is_fault: bool = False
    of_instances: bool = False
    is_claim: bool = False  # of reachability

    @property
    def targets(self) -> tuple[Node, ...]:
        """The nodes, each once."""
        return tuple({id(node): node for node in self.nodes}.values())

    @property
    def moment(self) -> str:
        """When it is decided: as a state is reached, as it is expanded, or as a step is taken from it."""
        if self.is_step:
            return STEPPED
        return EXPANDED if self.of_instances or self.name == DEADLOCK else REACHED


def questions(symbolic: SymbolicSystem, names: Sequence[str], deadlock: bool) -> list[Question]:
    """The questions for these properties, faults first; none that cannot be true."""
    found = [
        *_faults(symbolic, names),
        *(_of_property(symbolic, p) for p in symbolic.system.properties if p.name in names),
    ]
    if deadlock:
        n = symbolic.nodes
        stuck = n.not_(n.or_(*(instance.guard for instance in symbolic.system.instances)))
        found.append(Question(DEADLOCK, (stuck,), n.true))
    return [q for q in found if q.when.high and any(node.high for node in q.nodes)]


def _faults(symbolic: SymbolicSystem, names: Sequence[str]) -> Iterator[Question]:
    n = symbolic.nodes
    own = (fault.condition for instance in symbolic.system.instances for fault in instance.faults)
    yield Question("", (n.or_(*own),), n.true, is_fault=True, of_instances=True)
    for property_ in symbolic.system.properties:
        if property_.name in names:
            nodes = tuple(n.or_(*(f.condition for f in c.faults)) for c in property_.conditions)
            when = _when(symbolic, property_.name)
            yield Question(property_.name, nodes, when, is_step=property_.kind.is_of_steps, is_fault=True)


def _of_property(symbolic: SymbolicSystem, property_: ScalarProperty) -> Question:
    n = symbolic.nodes
    claim = property_.kind.holds_by_target
    nodes = tuple(c.node if property_.kind.target else n.not_(c.node) for c in property_.conditions)
    when = _when(symbolic, property_.name)
    return Question(property_.name, nodes, when, is_step=property_.kind.is_of_steps, is_claim=claim)


def _when(symbolic: SymbolicSystem, name: str) -> Node:
    asked: Condition | None = symbolic.asked.get(name)
    return asked.node if asked is not None else symbolic.nodes.true
