"""The passes in order, each when its result is first used."""

from functools import cached_property
from itertools import zip_longest

from isrcheck.ir import nodes
from isrcheck.ir.check import check_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.ir.scalar import Instance, ScalarProperty, ScalarSystem
from isrcheck.passes.bind import BoundModel, layout_of
from isrcheck.passes.fold import Nodes
from isrcheck.passes.inline import Inliner
from isrcheck.passes.limits import SymbolicScalars
from isrcheck.passes.scalarize import Scalarizer
from isrcheck.passes.update import GuardClaims
from isrcheck.passes.values.shapes import Shapes

Block = tuple[nodes.Statement, ...]


class Lowering:
    """The result of each pass, computed when it is first used."""

    def __init__(self, model: BoundModel) -> None:
        check_domains(model.ir)
        self.model, self.inliner = model, Inliner(model.ir)
        table = Nodes()
        scalars = SymbolicScalars(table, model.constants, len(layout_of(model)))
        self.shapes = Shapes(table, scalars)

    @cached_property
    def scalarizer(self) -> Scalarizer:
        return Scalarizer(self.model, self.inliner, self.shapes, self.inliner)

    @cached_property
    def system(self) -> ScalarSystem:
        return self.scalarizer.system()


def without_idle_form(model: BoundModel) -> BoundModel:
    """Take away a canonical form that changes nothing with these constants. Raises UsageError if it is refused."""
    if model.ir.canonical is None or Lowering(model).scalarizer.form is not None:
        return model
    return replace(model, ir=replace(model.ir, canonical=None))


class MutantLowering:
    """The system of a model, from which those of its mutants are lowered: what did not change is used again."""

    def __init__(self, model: BoundModel) -> None:
        lowering = Lowering(model)
        self.model = model
        self._choices = lowering.scalarizer.choices
        self._shapes = lowering.shapes
        self.system = lowering.system

    def vary(self, ir: ModelIR, actions: frozenset[str]) -> ScalarSystem:
        """The system with these actions as in `ir`, where only bodies of actions and helpers differ; else as before."""
        check_domains(ir)
        positions = {i for i, action in enumerate(ir.actions) if action.name in actions}
        varied = Scalarizer(replace(self.model, ir=ir), Inliner(ir), self._shapes, Inliner(self.model.ir))
        if varied.choices != self._choices:  # another guard says what is a parameter
            return varied.system()
        chosen = tuple(choice for choice in self._choices if choice[0] in positions)
        new = iter(varied.instances(GuardClaims(self._shapes), chosen))
        old = zip(self._choices, self.system.instances, strict=True)
        instances = tuple(next(new) if choice[0] in positions else instance for choice, instance in old)
        return replace(self.system, instances=instances, properties=self._properties(varied, actions))

    def _properties(self, varied: Scalarizer, actions: frozenset[str]) -> tuple[ScalarProperty, ...]:
        """The properties, of which those that ask whether a mutated action is enabled are lowered again."""
        asked = ((p.name, each) for p in self.model.properties for each in nodes.walk(p.body))
        asking = {name for name, each in asked if isinstance(each, nodes.Enabled) and each.action in actions}
        new = {p.name: p for p in varied.properties() if p.name in asking} if asking else {}
        return tuple(new.get(p.name, p) for p in self.system.properties)

    def is_same(self, system: ScalarSystem) -> bool:
        """Whether a lowered mutant has the model's instances; equal nodes are one object."""
        pairs = list(zip_longest(self.system.instances, system.instances))
        return all(one is not None and other is not None and is_same_instance(one, other) for one, other in pairs)


def is_same_instance(one: Instance, other: Instance) -> bool:
    """Whether two instances are the same, in systems that share nodes."""
    faults = [[fault.condition for fault in each.faults] for each in (one, other)]
    return (one.guard, one.pruned, one.updates) == (other.guard, other.pruned, other.updates) and faults[0] == faults[1]
