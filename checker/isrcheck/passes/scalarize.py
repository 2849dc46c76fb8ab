"""Last pass: actions and properties over scalars. The way back is `decode` (bind.py)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from isrcheck.errors import ModelError, UsageError, refuse_recursion
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import AtomDomain, Domain, OptionalDomain
from isrcheck.ir.frozen import Frozen, replace
from isrcheck.ir.model import Method, Property, Refinement
from isrcheck.ir.nodes import Expression
from isrcheck.ir.property_kinds import Reads
from isrcheck.ir.scalar import Condition, Fault, Instance, Node, Scalar, ScalarProperty, ScalarSystem
from isrcheck.passes.bind import DROPPED, BoundModel, layout_of, scalars_of_constraints
from isrcheck.passes.canonical import CanonicalForm, FormUse
from isrcheck.passes.choices import (
    Body,
    Choice,
    Ground,
    ParameterChoices,
    Slot,
    actors_of,
    arguments,
    contains_slots,
    guards_outside,
    position_among,
)
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.fold import Nodes
from isrcheck.passes.inline import Inliner, Substitution, after_step
from isrcheck.passes.refinement import RefinementLowering, bound_abstract, operands
from isrcheck.passes.symmetry import symmetries
from isrcheck.passes.update import Arguments, Executor, GuardClaims, read_state
from isrcheck.passes.values.kinds import Value
from isrcheck.passes.values.shapes import Shapes
from isrcheck.process.budget import progress

MOST_WORK = 100_000_000  # nodes and their arguments; some 350,000 a second are made, so this is 5 minutes
_FEW_CHOICES = 4  # of an action: fewer are lowered in about the time that an action for any arguments takes
_MOST_VALUES = 16  # of a parameter: each is a choice wherever it is a key; measured up to 12 replicas
_PARAMETERS = 1 << 32  # the first position of scalars of parameters, above those of states
_FEW_INSTANCES = 1_000  # with which nothing needs to be estimated
State = dict[str, Value]
Choices = tuple[Choice, ...]


class Constraints:
    """The constraints of a model, which end a search; `position` is that of the scalar DROPPED.

    A state outside keeps no step, and a step that one drops leads to a copy of its target that is outside. TLC counts
    neither among its states, and checks invariants on both.
    """

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


class GeneralStep:
    """A step over parameters that are scalars, in whose place an instance has its arguments."""

    def __init__(self, shapes: Shapes, parameters: Sequence[tuple[str, Domain]]) -> None:
        self.n, self._domains = shapes.n, [domain for _, domain in parameters]
        sizes = [scalar.size for domain in self._domains for scalar in codec(domain).scalars("")]
        scalars = iter([shapes.n.var(place, size) for place, size in enumerate(sizes, _PARAMETERS)])
        self.env = {name: shapes.read(domain, scalars) for name, domain in parameters}
        self.step: Instance

    def instance(self, given: Arguments, before: Sequence[Node]) -> Instance:
        n, step = self.n, self.step
        indices = (i for of, value in zip(self._domains, given, strict=True) for i in codec(of).flatten(value))
        into = Substitution(n, dict(enumerate(map(n.const, indices), _PARAMETERS)))
        guard, conditions = into.of(step.guard), [into.of(fault.condition) for fault in step.faults]
        if not (guard.high or any(each.high for each in conditions)):  # with these arguments it never happens
            return replace(step, arguments=given, guard=n.false, pruned=n.false, updates=(), faults=())
        pairs = zip(step.faults, conditions, strict=True)
        faults = tuple(replace(fault, condition=condition) for fault, condition in pairs if condition.high)
        written = ((place, into.of(node)) for place, node in step.updates)
        updates = tuple((place, node) for place, node in written if node is not before[place])
        pruned = into.of(step.pruned)
        return replace(step, arguments=given, guard=guard, pruned=pruned, updates=updates, faults=faults)


def _is_narrow(domain: Domain) -> bool:
    of = domain.of if isinstance(domain, OptionalDomain) else domain
    return isinstance(of, AtomDomain) and codec(domain).count() <= _MOST_VALUES


class Scalarizer(Frozen):
    model: BoundModel
    inliner: Inliner
    shapes: Shapes
    conditions: Inliner  # of properties and constraints, which a mutant does not change

    @cached_property
    def bodies(self) -> list[Body]:
        bodies = []
        for method in self.model.ir.actions:
            with refuse_recursion(method.at):
                bodies.append(self.inliner.method(method))
        return bodies

    @cached_property
    def choices(self) -> Choices:
        return ParameterChoices(self.model, self.bodies, bool(self.shapes.symbolic.scalars)).choices()

    @cached_property
    def every(self) -> Ground | None:
        """Every choice, among which an instance has its position; None if an instance's position is its own."""
        slots = any(isinstance(value, Slot) for _, given in self.choices for value in given)
        return Ground(self.model) if slots else None

    def system(self) -> ScalarSystem:
        """Symbolic constants are scalars after the variables', at 0; nothing is symmetric then."""
        model, symbolic, guards = self.model, self.shapes.symbolic.scalars, GuardClaims(self.shapes)
        first, *others = self.initials()
        instances = self.instances(guards, self.choices)
        return ScalarSystem(
            scalars=layout_of(model) + symbolic,
            initial=first,
            others=tuple(others),
            started=model.started,
            actions=tuple(action.name for action in model.ir.actions),
            instances=instances,
            properties=(*self.properties(), *guards.properties(), *self.agreement(instances)),
            symmetries=() if symbolic else tuple(symmetries(model, self.shapes)),
            outside=self.constraints.outside,
            first=tuple(self.every.first) if self.every else (),
            actors=actors_of(model),
        )

    def initials(self) -> tuple[tuple[int, ...], ...]:
        states = tuple(map(self.flat, (self.model.initial, *self.model.others)))
        return self.form.initials(states) if self.form and self.model.form.use is FormUse.APPLIED else states

    @cached_property
    def form(self) -> CanonicalForm | None:
        """The canonical form; None if it changes nothing with these constants. Raises UsageError or ModelError."""
        model, method = self.model, self.model.ir.canonical
        if method is None:
            return None
        actions = model.ir.actions if model.ir.actions[-1:] == (method,) else (*model.ir.actions, method)
        extended = replace(model, ir=replace(model.ir, actions=actions))
        state, before = read_state(model, self.shapes)
        if self.every is not None:
            sentence = f"{method.name}() is a canonical form, and parameters of actions are what slots hold."
            raise ModelError(method.at, sentence, "Use smaller constants.")
        with refuse_recursion(method.at):
            executor = Executor(extended, self.shapes, state, {})
            step = executor.run(self.inliner.method(method), before, len(actions) - 1, ())
        form = CanonicalForm(self.shapes.n, layout_of(model), step, method)
        if form.is_identity:
            return None
        if model.form.use is FormUse.REFUSED:  # by a command that does not say how it uses the form
            sentence = f"{model.ir.name} has the canonical form {method.name}(), which only isrcheck check looks at"
            raise UsageError(f"{sentence}, with --engine native, evaluator or reference.")
        return form

    def agreement(self, instances: Sequence[Instance]) -> Iterator[ScalarProperty]:
        """The property that the check of the canonical form needs."""
        model = self.model
        if self.form is None or model.form.use is not FormUse.CHECKED:
            return
        state, _ = read_state(model, self.shapes)
        asked: list[Property] = [p for p in model.ir.properties if p.name in model.form.properties]
        for method in (m for m in model.ir.temporal if m.name in model.form.properties):
            asked += (each for formula in operands(model, method) for each in formula)
        conditions = [each for method in asked for each in self.of_states(method, state)]
        yield self.form.agreement(instances[:-1], conditions, model.form.is_of_behaviours)

    def flat(self, values: Mapping[str, Any]) -> tuple[int, ...]:
        """A state's scalars. Raises NeedsSlots."""
        own = (n for name, domain in self.model.domains.items() for n in codec(domain).flatten(values[name]))
        return (*own, *(0 for _ in (*scalars_of_constraints(self.model), *self.shapes.symbolic.scalars)))

    @cached_property
    def constraints(self) -> Constraints:
        return Constraints(self.model, self.shapes, self.conditions, layout_of(self.model))

    def instances(self, guards: GuardClaims, choices: Choices) -> tuple[Instance, ...]:
        """The instances of these choices; adds the claims on guards."""
        model, bodies = self.model, self.bodies
        for method, body in zip(model.ir.actions, bodies, strict=True):
            if method.name in model.watched:
                guards.expect(method.name, body)
        progress("lowering", 0, len(choices), "instances")
        if len(choices) > _FEW_INSTANCES and not self.shapes.symbolic.scalars:
            self.refuse_endless_work(bodies)
        state, before = read_state(model, self.shapes)
        instances = []
        general: dict[int, GeneralStep | None] = {}
        for done, choice in enumerate(choices):
            progress("lowering", done, len(choices), "instances")
            action, given = choice
            method = model.ir.actions[action]
            if action not in general:
                general[action] = self.general_step(action, [others for each, others in choices if each == action])
            step = general[action]
            with refuse_recursion(method.at):
                if step is not None:
                    instance = step.instance(given, before)
                else:
                    executor = self.executor(state, *arguments(model, self.shapes, choice, state))
                    instance = executor.run(bodies[action], before, action, given)
                instance = self.constraints.drop(instance, choice)
            if self.form is not None and model.form.use is FormUse.APPLIED:
                instance = self.form.apply(instance)
            place = position_among(model, self.shapes, self.every, choice, state) if self.every else None
            instances.append(replace(instance, position=place))
            if method.name in model.watched:
                guards.add(method.name, executor.guards)
                guards.add(method.name, guards_outside(model, self.shapes, bodies[action], choice))
        return tuple(instances)

    def executor(self, state: State, env: dict[str, Value], there: Node) -> Executor:
        if self.constraints.outside is not None:
            there = self.shapes.n.and_(there, self.shapes.n.not_(self.constraints.outside))
        executor = Executor(self.model, self.shapes, state, env, there)
        executor.faults += self.constraints.inside.faults
        return executor

    def general_step(self, action: int, choices: Sequence[Arguments]) -> GeneralStep | None:
        """The action lowered once for all of its choices; None where each is lowered by itself.

        Guards that are watched are: what the constants decide is to be seen in each.
        """
        model, shapes, method = self.model, self.shapes, self.model.ir.actions[action]
        parameters, is_watched = model.parameters(action), method.name in model.watched
        has_slots = any(map(contains_slots, model.domains.values()))
        if len(choices) < _FEW_CHOICES or is_watched or has_slots or shapes.symbolic.scalars:
            return None
        if not all(_is_narrow(domain) for _, domain in parameters):
            return None
        general = GeneralStep(shapes, parameters)
        state, before = read_state(model, shapes)
        try:
            with refuse_recursion(method.at):
                executor = self.executor(state, general.env, shapes.n.true)
                general.step = executor.run(self.bodies[action], before, action, ())
        except ModelError:  # of what no single choice may do
            return None
        return general

    def refuse_endless_work(self, bodies: list[Body]) -> None:
        """Refuse a model whose lowering would not end, estimated by two choices of each action. Raises ModelError."""
        total = 0
        for position, method in enumerate(self.model.ir.actions):
            own = [arguments for action, arguments in self.choices if action == position]
            samples = (own[len(own) * third // 3] for third in (1, 2) if own)
            work = max((_work_of(self.model, position, bodies[position], each) for each in samples), default=0)
            total += work * len(own)
            if total > MOST_WORK:
                what = f"{method.name}() has {len(own):,} choices of parameters, and each would be written out as some"
                sums = f"{work:,} expressions: all actions up to it as {total:,}; {MOST_WORK:,} are the most."
                raise ModelError(method.at, f"{what} {sums}", "Use smaller constants.")

    def properties(self) -> Iterator[ScalarProperty]:
        state, _ = read_state(self.model, self.shapes)
        for done, method in enumerate(self.model.properties):
            progress("lowering", done, len(self.model.properties), "properties")
            with refuse_recursion(method.at):
                conditions = LOWERINGS[method.kind.reads](self, method, state)
            yield ScalarProperty(method.name, method.kind, conditions)

    def of_states(self, method: Property, state: State) -> tuple[Condition, ...]:
        return (self._condition(Evaluator(self.model, self.shapes, state), self.conditions.condition(method)),)

    def of_steps(self, method: Property, state: State) -> tuple[Condition, ...]:
        model, shapes, body = self.model, self.shapes, self.conditions.condition(method)
        before, _ = self._state_before()
        if isinstance(method, Refinement):
            return (self.of_refinement(method, before, state),) * len(self.choices)
        conditions: list[Condition] = []
        for action, given in self.choices:
            if conditions and not method.taken:
                return tuple(conditions * len(self.choices))
            evaluator = Evaluator(model, shapes, state)
            evaluator.before = before
            evaluator.action = model.ir.actions[action].name
            evaluator.arguments = arguments(model, shapes, (action, given), before)[0]
            conditions.append(self._condition(evaluator, body))
        return tuple(conditions)

    def _state_before(self) -> tuple[State, tuple[Node, ...]]:
        return read_state(self.model, self.shapes, len(layout_of(self.model)) + len(self.shapes.symbolic.scalars))

    def _condition(self, evaluator: Evaluator, body: Expression) -> Condition:
        evaluator.is_enabled = self._is_enabled
        return Condition(evaluator.truth(body, {}), tuple(evaluator.faults))

    @cached_property
    def _enabled(self) -> dict[tuple[str, bool], Node]:
        return {}

    def _is_enabled(self, action: str, before: bool) -> Node:
        """Whether some choice of an action's parameters has a step, be it pruned; one that is an error is none.

        A constraint of the search has no say, as in TLC.
        """
        if (action, before) not in self._enabled:
            n, steps = self.shapes.n, list[Node]()
            state, nodes = self._state_before() if before else read_state(self.model, self.shapes)
            position = [each.name for each in self.model.ir.actions].index(action)
            for choice in (each for each in self.choices if each[0] == position):
                executor = Executor(self.model, self.shapes, state, *arguments(self.model, self.shapes, choice, state))
                step = executor.run(self.bodies[position], nodes, *choice)
                wrong = (fault.condition for fault in step.faults if not fault.grows)
                steps.append(n.and_(step.guard, n.not_(n.or_(*wrong))))
            self._enabled[action, before] = n.or_(*steps)
        return self._enabled[action, before]

    def of_refinement(self, method: Refinement, before: State, after: State) -> Condition:
        abstract = bound_abstract(self.model, method)
        inliner = Inliner(abstract.ir)
        system = Scalarizer(abstract, inliner, Shapes(self.shapes.n), inliner).system()
        lowering = RefinementLowering(self.model, self.shapes, self.inliner, method, abstract)
        for first in (self.model.initial, *self.model.others):
            initial = {n: self.shapes.constant(domain, first[n]) for n, domain in self.model.domains.items()}
            lowering.refuse_beginning(initial, system.initials)
        return lowering.condition(system, before, after)


# By what a property reads: its conditions, of a state, or for each choice of an action's parameters of a step.
LOWERINGS = {Reads.STATE: Scalarizer.of_states, Reads.STEP: Scalarizer.of_steps}


def _work_of(model: BoundModel, action: int, body: Body, given: Arguments) -> int:
    shapes = Shapes(Nodes())
    state, old = read_state(model, shapes)
    executor = Executor(model, shapes, state, *arguments(model, shapes, (action, given), state))
    work = shapes.n.work
    executor.run(body, old, action, given)
    return shapes.n.work - work
