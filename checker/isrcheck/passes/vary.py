"""A model lowered once, and again only where its text was changed: what a mutant shares with its original."""

from dataclasses import replace

from isrcheck.ir.check import check_domains
from isrcheck.ir.model import ModelIR
from isrcheck.ir.scalar import Instance, ScalarSystem
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.inline import Inliner
from isrcheck.passes.lowering import Lowering
from isrcheck.passes.scalarize import instances_of


class Original:
    """A bound model, its scalar system, and the nodes that its variations go on sharing."""

    def __init__(self, model: BoundModel) -> None:
        self.model, lowering = model, Lowering(model)
        self._choices, self._shapes, self.system = lowering.instances, lowering.shapes, lowering.system

    def varied(self, ir: ModelIR, actions: frozenset[str]) -> ScalarSystem:
        """The system with these actions as they are in another IR; all else, the properties too, stays as it is.

        `ir` may differ from the original in the bodies of actions and helpers alone. Raises ModelError where it is
        not a model any more.
        """
        check_domains(ir)
        positions = {i for i, action in enumerate(ir.actions) if action.name in actions}
        chosen = tuple(choice for choice in self._choices if choice[0] in positions)
        made = iter(instances_of(replace(self.model, ir=ir), Inliner(ir), chosen, self._shapes))
        old = zip(self._choices, self.system.instances, strict=True)
        found = tuple(next(made) if choice[0] in positions else instance for choice, instance in old)
        return replace(self.system, instances=found)

    def is_same(self, system: ScalarSystem) -> bool:
        """Whether a variation is the original again, by construction. Equal nodes are one object."""
        return all(map(is_same_instance, self.system.instances, system.instances))


def is_same_instance(one: Instance, other: Instance) -> bool:
    """Whether two instances of systems that share their nodes are the same by construction."""
    faults = [[fault.condition for fault in each.faults] for each in (one, other)]
    return (one.guard, one.pruned, one.updates) == (other.guard, other.pruned, other.updates) and faults[0] == faults[1]
