"""What a bounded search asks: for each property, the node that is 1 where it breaks or is met; and for faults."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isrcheck.engines.contract import DEADLOCK
from isrcheck.ir.scalar import Condition, Node, ScalarProperty
from isrcheck.passes.open import OpenSystem

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


def questions(opened: OpenSystem, names: Sequence[str], deadlock: bool) -> list[Question]:
    """The questions for these properties, faults first; none that cannot be true."""
    found = [*_faults(opened, names), *(_of_property(opened, p) for p in opened.system.properties if p.name in names)]
    if deadlock:
        n = opened.nodes
        stuck = n.not_(n.or_(*(instance.guard for instance in opened.system.instances)))
        found.append(Question(DEADLOCK, (stuck,), n.true))
    return [q for q in found if q.when.high and any(node.high for node in q.nodes)]


def _faults(opened: OpenSystem, names: Sequence[str]) -> Iterator[Question]:
    n = opened.nodes
    own = (fault.condition for instance in opened.system.instances for fault in instance.faults)
    yield Question("", (n.or_(*own),), n.true, is_fault=True, of_instances=True)
    for property_ in opened.system.properties:
        if property_.name in names:
            nodes = tuple(n.or_(*(f.condition for f in c.faults)) for c in property_.conditions)
            when = _when(opened, property_.name)
            yield Question(property_.name, nodes, when, is_step=property_.kind == "step", is_fault=True)


def _of_property(opened: OpenSystem, property_: ScalarProperty) -> Question:
    n = opened.nodes
    claim = property_.kind == "reachable"
    nodes = tuple(c.node if claim else n.not_(c.node) for c in property_.conditions)
    when = _when(opened, property_.name)
    return Question(property_.name, nodes, when, is_step=property_.kind == "step", is_claim=claim)


def _when(opened: OpenSystem, name: str) -> Node:
    asked: Condition | None = opened.asked.get(name)
    return asked.node if asked is not None else opened.nodes.true
