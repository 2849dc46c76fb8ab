"""A refinement as a condition of steps: what the mapping makes of both states is a step of the abstract model.

All its instances are asked, each in the mapped state before the step; they share the nodes of the concrete system.

A temporal property spelled out: for each choice of what it runs over, its conditions as invariants of their own.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from isrcheck.errors import ModelError, UsageError
from isrcheck.ir import nodes
from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import ABSTRACT, Property, Refinement, TemporalProperty, as_invariant
from isrcheck.ir.nodes import Clause, Expression, Literal, ReadLocal, Return, substitute
from isrcheck.ir.scalar import Condition, Fault, Instance, Node, ScalarSystem
from isrcheck.passes.bind import BoundModel, bind, bind_domain
from isrcheck.passes.constant_folding import ConstantFolder
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.inline import Inliner, Substitution
from isrcheck.passes.values.kinds import NumberValue, Value
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.writing import write

State = dict[str, Value]


def bound_abstract(model: BoundModel, method: Refinement) -> BoundModel:
    """The abstract model, with the constants of the concrete one by name. Raises UsageError or ModelError."""
    ir = replace(method.abstract, properties=(), lemmas=(), constraints=(), applicability=(), canonical=None)
    given = {c.name: model.constants[c.name] for c in ir.constants if c.name in model.constants}
    for name, value in given.items():
        if isinstance(value, ValueRange):
            sentence = f"{method.name} is asked for one value of {name} at a time, not for {value}"
            raise UsageError(f"{sentence}: leave the property out, or choose a value.")
    abstract = bind(ir, given, slots=False)
    for sort, size in abstract.sizes.items():
        if model.sizes.get(sort, size) != size:
            sentence = f"{sort.__name__} has {model.sizes[sort]} members, and {size} in {ir.name}."
            raise ModelError(method.at, sentence, "Give both models a constant of the same name for its size.")
    return abstract


def refinement_mapping(inliner: Inliner, method: Refinement) -> dict[str, Expression]:
    """The refinement mapping: each abstract variable as an expression of the concrete model."""
    given = method.body[:-1]
    names = {each.name: ReadLocal(f"{ABSTRACT}{each.name}", method.at) for each in method.abstract.variables}
    return {name: inliner.value_of((*given, Return(read, method.at)), {}, False) for name, read in names.items()}


class MappedState(NamedTuple):
    """A state as the abstract model has it, and what can go wrong in that."""

    scalars: list[Node]
    faults: list[Fault]


class RefinementLowering:
    def __init__(
        self, model: BoundModel, shapes: Shapes, inliner: Inliner, method: Refinement, abstract: BoundModel
    ) -> None:
        self.model, self.shapes, self.method, self.abstract = model, shapes, method, abstract
        self.mapping, self.name = refinement_mapping(inliner, method), abstract.ir.name

    def map_state(self, state: State) -> MappedState:
        evaluator, scalars, n = Evaluator(self.model, self.shapes, state), list[Node](), self.shapes.n
        for name, domain in self.abstract.domains.items():
            value = evaluator.value(self.mapping[name], {})
            written = write(self.shapes, domain, value)
            is_wrong = n.or_(written.above, written.outside)
            evaluator.fault(is_wrong, self.method.at, f"{name} is outside its domain in {self.name}")
            scalars += written.scalars
        return MappedState(scalars, evaluator.faults)

    def condition(self, system: ScalarSystem, before: State, after: State) -> Condition:
        """Return the condition that a step changes nothing, or is one of the abstract model with this `system`."""
        n, old, new = self.shapes.n, self.map_state(before), self.map_state(after)
        sizes = [scalar.size for scalar in system.scalars]
        inside = (n.max_(n.const(0), n.min_(node, n.const(s - 1))) for node, s in zip(old.scalars, sizes, strict=True))
        here = Substitution(n, dict(enumerate(inside)))
        stays = self._equal(old.scalars, new.scalars)
        steps = [self._is_taken(each, here, old.scalars, new.scalars) for each in system.instances]
        known = [fault for instance in system.instances for fault in instance.faults]
        wrong = [Fault(n.and_(n.not_(stays), here.of(f.condition)), f.place, f.sentence) for f in known]
        faults = [fault for fault in wrong if fault.condition.high]
        return Condition(n.or_(stays, *steps), (*old.faults, *new.faults, *faults))

    def _is_taken(self, instance: Instance, here: Substitution, old: list[Node], new: list[Node]) -> Node:
        n = self.shapes.n
        if not instance.guard.high:
            return n.false
        expected = list(old)
        for place, node in instance.updates:
            expected[place] = here.of(node)
        taken = n.and_(here.of(instance.guard), n.not_(here.of(instance.pruned)))
        return n.and_(taken, self._equal(expected, new))

    def _equal(self, one: list[Node], two: list[Node]) -> Node:
        return self.shapes.n.and_(*map(self.shapes.n.eq, one, two))

    def refuse_beginning(self, initial: State, expected: tuple[tuple[int, ...], ...]) -> None:
        """Refuse a mapped initial state that is not an abstract one. Raises ModelError."""
        abstract = self.map_state(initial)
        if tuple(node.low for node in abstract.scalars) not in expected or any(
            f.condition.high for f in abstract.faults
        ):
            sentence = f"an initial state of {self.model.ir.name} is not one of {self.name} under {self.method.name}()."
            raise ModelError(self.method.at, sentence, "Change the mapping, or one of the initial states.")


Choice = Mapping[str, Literal]


def operands(model: BoundModel, method: TemporalProperty) -> list[tuple[Property, ...]]:
    """One condition, or two, for each choice, in the order in which CPython runs over them. Raises ModelError."""
    properties = []
    for number, choice in enumerate(_choices(model, method.clauses)):
        bodies = [(nodes.Return(substitute(each, choice), each.at),) for each in method.operands]
        names = [f"{method.name} {number} {letter}" for letter in "PQ"]
        pairs = zip(names, bodies, strict=False)
        properties.append(tuple(as_invariant(method, name=name, body=body) for name, body in pairs))
    return properties


def _choices(model: BoundModel, clauses: tuple[Clause, ...]) -> Iterator[Choice]:
    folder, inliner = ConstantFolder(model), Inliner(model.ir)

    def constant(expression: Expression, choice: Choice) -> Expression:
        return inliner.expression(substitute(expression, choice), {}, False)

    def members(source: Expression, choice: Choice) -> Iterable[Literal]:
        match source:
            case nodes.Everything(domain, at):
                values = codec(bind_domain(domain, model.constants, at)).values()
                return [Literal(value, at, domain) for value in values]
            case nodes.IntegerRange(start, stop, at):
                low, high = (_number(folder, constant(end, choice)) for end in (start, stop))
                return [Literal(value, at) for value in range(low, high)]
        raise AssertionError(f"{type(source).__name__} in a temporal property")

    def choose(rest: tuple[Clause, ...], choice: Choice) -> Iterator[Choice]:
        if not rest:
            yield choice
            return
        for member in members(rest[0].source, choice):
            inner = {**choice, rest[0].target: member}
            if all(folder.truth(constant(each, inner), {}) for each in rest[0].conditions):
                yield from choose(rest[1:], inner)

    return choose(clauses, {})


def _number(folder: ConstantFolder, expression: Expression) -> int:
    value = folder.value(expression, {})
    assert isinstance(value, NumberValue)
    return value.node.low
