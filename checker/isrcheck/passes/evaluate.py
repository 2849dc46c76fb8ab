"""Expressions to values in scalars: comprehensions are unrolled, indexing becomes a choice.

Whatever would raise becomes a fault with its condition, by Python's order of evaluation.
"""

from dataclasses import replace
from functools import reduce
from typing import assert_never

from isrcheck.errors import ModelError
from isrcheck.ir import nodes
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain, RecordDomain, SetDomain
from isrcheck.ir.interval import OneOf, Span
from isrcheck.ir.nodes import Operator
from isrcheck.ir.scalar import Node
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.passes.comprehensions import ComprehensionEvaluator, Locals
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.place import Place


class Evaluator(ComprehensionEvaluator):
    """Evaluates the expressions of one action instance or property."""

    def __init__(self, model: BoundModel, shapes: Shapes, state: dict[str, kinds.Value]) -> None:
        super().__init__(model, shapes, state)
        self.before: dict[str, kinds.Value] = {}
        self.action, self.arguments = "", dict[str, kinds.Value]()  # of the step that a step property sees

    def value(self, node: nodes.Expression, env: Locals) -> kinds.Value:
        n = self.n
        match node:
            case nodes.Literal(value=value, domain=domain):
                return self.s.plain(value) if domain is None else self.s.constant(domain, value)
            case nodes.ReadConstant(name=name):
                return self.chosen_constant(name)
            case nodes.ReadVariable(name=name, before=before):
                return (self.before if before else self.state)[name]
            case nodes.ReadLocal(name=name):
                return env[name]
            case nodes.ReadField(record=record, name=name, at=at):
                return self.field(self.present(self.value(record, env), at), name)
            case nodes.Item():
                return self.item(node, env)
            case nodes.Slice():
                return self.slice(node, env)
            case nodes.Operation():
                return self.operation(node, env)
            case nodes.Not(operand=operand):
                return kinds.TruthValue(n.not_(self.truth(operand, env)))
            case nodes.Conditional():
                return self.choice(node, env)
            case nodes.MakeRecord(domain=domain, fields=fields):
                bound = bind_domain(domain, self.model.constants, node.at)
                assert isinstance(bound, RecordDomain)
                return kinds.RecordValue(bound, tuple(self.value(field, env) for field in fields))
            case nodes.ReplaceFields():
                return self.replaced(node, env)
            case nodes.MakeSequence(elements=elements):
                return kinds.SequenceValue(n.const(len(elements)), tuple(self.value(e, env) for e in elements))
            case nodes.MakeSet(elements=elements):
                return kinds.SetValue(None, (), tuple((n.true, self.value(e, env)) for e in elements))
            case nodes.Everything(domain=domain):
                return self.everything(domain, node.at)
            case nodes.Comprehension():
                return self.comprehension(node, env)
            case nodes.Extreme(gathering=gathering, parts=parts):
                numbers = [self.number(part, env) for part in parts]
                return kinds.NumberValue(reduce(n.min_ if gathering is nodes.Gathering.MIN else n.max_, numbers))
            case nodes.Length(of=of, at=at):
                return kinds.NumberValue(length(self.s, self.present(self.value(of, env), at)))
            case nodes.Let(name=name, value=value, body=body):
                return self.value(body, {**env, name: self.value(value, env)})
            case nodes.TakenAction(name=name):
                return kinds.TruthValue(n.truth(self.action == name))
            case nodes.TakenArgument(name=name, at=at):
                return self.taken_argument(name, at)
            case nodes.IntegerRange() | nodes.Call():
                raise AssertionError(f"{type(node).__name__} is rewritten before")
            case _:
                assert_never(node)

    def everything(self, domain: Domain, at: Place) -> kinds.Value:
        """All members, as a set. Raises ModelError for too many."""
        bound = bind_domain(domain, self.model.constants, at)
        try:
            _ = codec(SetDomain(bound)).width
        except ValueError as error:
            raise ModelError(at, f"{error}.", "Use smaller constants.") from None
        return self.s.constant(SetDomain(bound), frozenset(codec(bound).values()))

    def chosen_constant(self, name: str) -> kinds.Value:
        """Of a symbolic one, the value at its scalar's position."""
        n = self.n
        match self.model.constants[name]:
            case Span() as span:
                return kinds.NumberValue(n.add(self.s.symbolic.positions[name], n.const(span.value(0))))
            case OneOf(members=members):
                values = tuple(self.s.plain(member) for member in members)
                return self.s.chosen(self.s.symbolic.positions[name], values)
            case value:
                return self.s.plain(value)

    def taken_argument(self, name: str, at: Place) -> kinds.Value:
        if name in self.arguments:
            return self.arguments[name]
        self.fault(self.n.true, at, f"{self.action} has no parameter {name}")
        parameters = (p for a in self.model.ir.actions for p in a.parameters if p.name == name)
        parameter = next(parameters)
        return self.s.zero(bind_domain(parameter.domain, self.model.constants, at))

    def choice(self, node: nodes.Conditional, env: Locals) -> kinds.Value:
        test = self.truth(node.condition, env)
        if test.low == test.high:
            return self.value(node.then if test.low else node.other, env)
        with self.under(test):
            one = self.value(node.then, env)
        with self.under(self.n.not_(test)):
            two = self.value(node.other, env)
        return self.s.merge(test, one, two)

    def field(self, value: kinds.Value, name: str) -> kinds.Value:
        if isinstance(value, kinds.NoValue):
            return value
        assert isinstance(value, kinds.RecordValue), value
        names = [field for field, _ in value.domain.fields]
        return value.parts[names.index(name)]

    def replaced(self, node: nodes.ReplaceFields, env: Locals) -> kinds.Value:
        value = self.present(self.value(node.record, env), node.at)
        if isinstance(value, kinds.NoValue):
            return value
        assert isinstance(value, kinds.RecordValue)
        names = [field for field, _ in value.domain.fields]
        parts = list(value.parts)
        for name, new in node.fields:
            parts[names.index(name)] = self.value(new, env)
        return replace(value, parts=tuple(parts))

    def item(self, node: nodes.Item, env: Locals) -> kinds.Value:
        n = self.n
        container = self.present(self.value(node.container, env), node.at)
        if isinstance(container, kinds.MapValue):
            where = self.s.locate(container.domain.key, self.value(node.key, env))
            self.fault(n.not_(where.inside), node.key.at, "the map has no such key")
            return self.s.chosen(where.index, container.entries)
        if isinstance(container, kinds.NoValue):
            return container
        assert isinstance(container, kinds.SequenceValue)
        if isinstance(node.key, nodes.Literal) and node.key.value == -1:
            self.fault(n.eq(container.length, n.const(0)), node.at, "the sequence is empty")
            return self.s.slot(container, n.sub(container.length, n.const(1)))
        index = self.number(node.key, env)
        self.not_negative(index, node.key.at, "an index")
        self.fault(n.le(container.length, index), node.key.at, "the sequence has no such element")
        return self.s.slot(container, index)

    def not_negative(self, index: Node, at: Place, what: str) -> None:
        """Python would count a negative index from the end."""
        if index.low < 0 and self.path.high:
            sentence = f"{what} could be negative, down to {index.low}: Python would count it from the end."
            remedy = "Write it so that no value of the declared domains makes it negative; [-1] is the last element."
            raise ModelError(at, sentence, remedy)

    def slice(self, node: nodes.Slice, env: Locals) -> kinds.Value:
        n = self.n
        container = self.present(self.value(node.sequence, env), node.at)
        if isinstance(container, kinds.NoValue):
            return container
        assert isinstance(container, kinds.SequenceValue)
        start = self.edge(node.start, n.const(0), env)
        stop = self.edge(node.stop, container.length, env)
        self.not_negative(stop, node.at, "the end of a slice")
        self.not_negative(start, node.at, "the start of a slice")
        return self.s.sliced(container, start, stop)

    def edge(self, node: nodes.Expression | None, default: Node, env: Locals) -> Node:
        """An end that is None is as good as not written."""
        if node is None:
            return default
        value = self.value(node, env)
        if not isinstance(value, kinds.OptionValue):
            return self.as_number(value, node.at)
        inner = self.as_number(value.value, node.at) if value.value else default
        return self.n.ite(value.present, inner, default)

    def operation(self, node: nodes.Operation, env: Locals) -> kinds.Value:
        n = self.n
        if node.operator in (Operator.AND, Operator.OR):
            first = self.value(node.left, env)
            left, both = self.as_truth(first), node.operator is Operator.AND
            if left.low == left.high and bool(left.low) is not both:
                return first
            with self.under(left if both else n.not_(left)):
                second = self.value(node.right, env)
            # The side that decides may be None
            if isinstance(first, kinds.OptionValue) or isinstance(second, kinds.OptionValue):
                return self.s.merge(left, second, first) if both else self.s.merge(left, first, second)
            right = self.as_truth(second)
            return kinds.TruthValue(n.and_(left, right) if both else n.or_(left, right))
        left_value, right_value = self.value(node.left, env), self.value(node.right, env)
        if node.operator in (Operator.EQ, Operator.NE):
            same = self.s.equal(left_value, right_value)
            return kinds.TruthValue(same if node.operator is Operator.EQ else n.not_(same))
        if node.operator in (Operator.IN, Operator.NOT_IN):
            found = contained(self.s, left_value, self.present(right_value, node.right.at))
            return kinds.TruthValue(found if node.operator is Operator.IN else n.not_(found))
        left_value = self.present(left_value, node.left.at)
        right_value = self.present(right_value, node.right.at)
        match left_value, right_value:
            case kinds.SetValue(), kinds.SetValue():
                return set_operation(self.s, node.operator, left_value, right_value)
            case kinds.SequenceValue(), kinds.SequenceValue():
                return self.s.concatenated(left_value, right_value)
            case kinds.NumberValue(node=a), kinds.NumberValue(node=b):
                return arithmetic(self.s, node, a, b)
        return kinds.NoValue()  # one side has no value wherever it is reached


def contained(shapes: Shapes, value: kinds.Value, container: kinds.Value) -> Node:
    match container:
        case kinds.SetValue():
            return shapes.contains(container, value)
        case kinds.SequenceValue(length=length, slots=slots):
            n = shapes.n
            found = []
            for position, slot in enumerate(slots):
                found.append(n.and_(n.lt(n.const(position), length), shapes.equal(slot, value)))
            return n.or_(*found)
    return shapes.n.false


def set_operation(shapes: Shapes, operator: Operator, a: kinds.SetValue, b: kinds.SetValue) -> kinds.Value:
    n = shapes.n
    joins = {
        Operator.UNION: shapes.union,
        Operator.INTERSECTION: shapes.intersection,
        Operator.SUB: shapes.difference,
    }
    if operator in joins:
        return joins[operator](a, b)
    if operator in (Operator.GE, Operator.GT):
        a, b = b, a
    if operator in (Operator.LE, Operator.GE):
        return kinds.TruthValue(shapes.subset(a, b))
    return kinds.TruthValue(n.and_(shapes.subset(a, b), n.not_(shapes.subset(b, a))))


def arithmetic(shapes: Shapes, node: nodes.Operation, a: Node, b: Node) -> kinds.Value:
    """Raises ModelError unless a divisor is a positive constant."""
    n = shapes.n
    match node.operator:
        case Operator.DIV | Operator.MOD:
            if b.low != b.high or b.low <= 0:
                remedy = "Divide by a number or a constant above 0."
                raise ModelError(node.right.at, "the divisor is not a positive constant.", remedy)
            return kinds.NumberValue(n.div(a, b.low) if node.operator is Operator.DIV else n.mod(a, b.low))
        case Operator.LT | Operator.GT:
            return kinds.TruthValue(n.lt(a, b) if node.operator is Operator.LT else n.lt(b, a))
        case Operator.LE | Operator.GE:
            return kinds.TruthValue(n.le(a, b) if node.operator is Operator.LE else n.le(b, a))
    return kinds.NumberValue({Operator.ADD: n.add, Operator.SUB: n.sub, Operator.MUL: n.mul}[node.operator](a, b))


def length(shapes: Shapes, value: kinds.Value) -> Node:
    match value:
        case kinds.SequenceValue(length=length):
            return length
        case kinds.SetValue():
            return shapes.size(value)
        case kinds.MapValue(entries=entries):
            return shapes.n.const(len(entries))
        case kinds.NoValue():
            return shapes.n.const(0)
    raise AssertionError(value)
