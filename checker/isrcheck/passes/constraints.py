"""Constraints, which end a search: a state outside keeps no step, and a step that one drops leads to a copy of its
target that is outside. TLC counts neither among its states, and checks invariants on both.
"""

from collections.abc import Sequence

from isrcheck.errors import refuse_recursion
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method
from isrcheck.ir.scalar import Condition, Fault, Instance, Scalar
from isrcheck.passes.bind import DROPPED, BoundModel
from isrcheck.passes.choices import Choice, arguments
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.inline import Inliner, after_step
from isrcheck.passes.update import read_state
from isrcheck.passes.values.shapes import Shapes


class Constraints:
    """The constraints of a model; `position` is that of the scalar DROPPED, `scalars` how many there are in all."""

    def __init__(self, model: BoundModel, shapes: Shapes, inliner: Inliner, layout: Sequence[Scalar]) -> None:
        self.model, self.shapes, self.inliner = model, shapes, inliner
        self.layout, self.position = layout, len(layout) - 1
        self.size = len(layout) + len(shapes.symbolic.scalars)
        self.of_steps = [each for each in model.ir.constraints if each.before]
        n, (state, _) = shapes.n, read_state(model, shapes)
        evaluator = Evaluator(model, shapes, state)
        self.inside = self.all_of(evaluator, [each for each in model.ir.constraints if not each.before])
        dropped = n.var(self.position, DROPPED.size) if self.of_steps else n.false
        self.outside = n.or_(n.not_(self.inside.node), dropped) if model.ir.constraints else None

    def all_of(self, evaluator: Evaluator, methods: Sequence[Method]) -> Condition:
        conditions = []
        for method in methods:
            with refuse_recursion(method.at):
                conditions.append(evaluator.truth(self.inliner.condition(method), {}))
        return Condition(self.shapes.n.and_(*conditions), tuple(evaluator.faults))

    def drop(self, instance: Instance, choice: Choice) -> Instance:
        """An instance that marks the steps that an action constraint drops, of those that change something."""
        n, model = self.shapes.n, self.model
        if not self.of_steps or not instance.guard.high:
            return instance
        evaluator = Evaluator(model, self.shapes, read_state(model, self.shapes)[0])
        evaluator.before, _ = read_state(model, self.shapes, self.size)
        evaluator.action = model.ir.actions[instance.action].name
        evaluator.arguments = arguments(model, self.shapes, choice, evaluator.before)[0]
        constraint = self.all_of(evaluator, self.of_steps)
        sizes = [scalar.size for scalar in (*self.layout, *self.shapes.symbolic.scalars)]
        before = [(self.size + place, n.var(place, size)) for place, size in enumerate(sizes)]
        into = after_step(n, 2 * sizes, [*before, *instance.updates])
        taken = n.and_(instance.guard, n.not_(instance.pruned))
        faults = tuple(Fault(n.and_(taken, into.of(f.condition)), f.place, f.sentence) for f in constraint.faults)
        changes = n.or_(*(n.not_(n.eq(node, n.var(i, self.layout[i].size))) for i, node in instance.updates))
        dropped = n.and_(n.not_(into.of(constraint.node)), into.of(self.inside.node), changes)
        updates = (*instance.updates, (self.position, dropped)) if dropped.high else instance.updates
        return replace(instance, updates=updates, faults=instance.faults + faults)
