"""Expressions to values in scalars: comprehensions are unrolled, indexing becomes a choice.

Whatever would raise becomes a fault with its condition, by Python's order of evaluation.
"""

from collections.abc import Callable
from functools import reduce
from typing import assert_never

from isrcheck.errors import ModelError
from isrcheck.ir import nodes
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import RecordDomain, SetDomain, SortDomain, describe, members
from isrcheck.ir.interval import OneOf, Span
from isrcheck.ir.nodes import Operator
from isrcheck.ir.scalar import Node
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.passes.comprehensions import ComprehensionEvaluator, Locals
from isrcheck.passes.differences import is_not_negative
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.place import Place


class Evaluator(ComprehensionEvaluator):
    """The evaluator of the expressions of one instance or property."""

    def __init__(self, model: BoundModel, shapes: Shapes, state: dict[str, kinds.Value]) -> None:
        super().__init__(model, shapes, state)
        # Of the step that a property sees
        self.before: Locals = {}
        self.arguments: Locals = {}
        self.action = ""
        self.is_enabled: Callable[[str, bool], Node]  # of a property

    def value(self, node: nodes.Expression, env: Locals) -> kinds.Value:
        n = self.n
        match node:
            case nodes.ReadLocal(name=name):
                return env[name]
            case nodes.ReadField():
                return self.field(node, env)
            case nodes.Operation():
                return self.operation(node, env)
            case nodes.Literal(domain=SortDomain()):
                return self.member(node)
            case nodes.Literal():
                return self.s.constant(node.domain, node.value) if node.domain else self.s.plain(node.value)
            case nodes.ReadConstant():
                return self.constant(node.name)
            case nodes.ReadVariable():
                return (self.before if node.before else self.state)[node.name]
            case nodes.Item():
                return self.item(node, env)
            case nodes.Slice():
                return self.slice(node, env)
            case nodes.Not(operand=operand):
                return kinds.TruthValue(n.not_(self.truth(operand, env)))
            case nodes.Conditional():
                return self.choice(node, env)
            case nodes.MakeRecord():
                bound = bind_domain(node.domain, self.model.constants, node.at)
                assert isinstance(bound, RecordDomain)
                return kinds.RecordValue(bound, tuple(self.value(field, env) for field in node.fields))
            case nodes.ReplaceFields():
                return self.replace_fields(node, env)
            case nodes.MakeSequence(elements=elements):
                return kinds.SequenceValue(n.const(len(elements)), tuple(self.value(e, env) for e in elements))
            case nodes.MakeSet():
                return kinds.SetValue(None, (), tuple((n.true, self.value(e, env)) for e in node.elements))
            case nodes.Everything():
                return self.everything(node)
            case nodes.Comprehension():
                return self.comprehension(node, env)
            case nodes.Extreme():
                numbers = [self.number(each, env) for each in node.parts]
                return kinds.NumberValue(reduce(n.min_ if node.gathering is nodes.Gathering.MIN else n.max_, numbers))
            case nodes.Length(of=of, at=at):
                return kinds.NumberValue(length_of(self.s, self.present(self.value(of, env), at)))
            case nodes.Let():
                return self.value(node.body, {**env, node.name: self.value(node.value, env)})
            case nodes.IsMember():
                return kinds.TruthValue(self.s.is_one_of(self.value(node.value, env), members(node.domain)))
            case nodes.Narrowed():
                return self.narrow(node, env)
            case nodes.TakenAction():
                return kinds.TruthValue(n.truth(self.action == node.name))
            case nodes.TakenArgument():
                return self.argument(node)
            case nodes.Enabled(action=action, before=before):
                return kinds.TruthValue(self.is_enabled(action, before))
            case nodes.IntegerRange() | nodes.Subsets() | nodes.Call():
                raise AssertionError(f"{type(node).__name__} is rewritten before")
            case _:
                assert_never(node)

    def member(self, node: nodes.Literal) -> kinds.Value:
        assert node.domain is not None
        bound = bind_domain(node.domain, self.model.constants, node.at)
        there = node.value.index < codec(bound).count()
        self.fault(self.n.truth(not there), node.at, f"the sort {describe(bound)} has no such member")
        return self.s.constant(bound, node.value) if there else self.s.zero(bound)

    def everything(self, node: nodes.Everything) -> kinds.Value:
        """The set of all values of a domain. Raises ModelError if there are too many."""
        bound = bind_domain(node.domain, self.model.constants, node.at)
        every = SetDomain(bound)
        try:
            _ = codec(every).width
        except ValueError as error:
            raise ModelError(node.at, f"{error}.", "Use smaller constants.") from None
        return self.s.constant(every, frozenset(codec(bound).values()))

    def constant(self, name: str) -> kinds.Value:
        """The value of a constant; of a symbolic one by its position."""
        symbolic = self.s.symbolic
        match self.model.constants[name]:
            case Span():
                return kinds.NumberValue(symbolic.constant(name))
            case OneOf(members=members):
                values = tuple(map(self.s.plain, members))
                return self.s.choose(symbolic.positions[name], values)
            case value:
                return self.s.plain(value)

    def argument(self, node: nodes.TakenArgument) -> kinds.Value:
        name = node.name
        if name in self.arguments:
            return self.arguments[name]
        self.fault(self.n.true, node.at, f"{self.action} has no parameter {name}")
        domain = next(p.domain for a in self.model.ir.actions for p in a.parameters if p.name == name)
        return self.s.zero(bind_domain(domain, self.model.constants, node.at))

    def choice(self, node: nodes.Conditional, env: Locals) -> kinds.Value:
        test = self.truth(node.condition, env)
        then, other = node.then, node.other
        if test.low == test.high:
            return self.value(then if test.low else other, env)
        with self.under(test):
            one = self.value(then, env)
        with self.under(self.n.not_(test)):
            two = self.value(other, env)
        return self.s.merge(test, one, two)

    def narrow(self, node: nodes.Narrowed, env: Locals) -> kinds.Value:
        """The value as one of the classes that a test before named; if the test were wrong, a fault."""
        value, classes = self.value(node.value, env), members(node.domain)
        there = self.s.is_one_of(value, classes)
        if not isinstance(value, kinds.NoValue):
            wrong = self.n.not_(there) if node.within else there
            self.fault(wrong, node.at, f"this is {'not ' if node.within else ''}a {describe(node.domain)} here")
        return self.s.only(value, classes, node.within)

    def field(self, node: nodes.ReadField, env: Locals) -> kinds.Value:
        value = self.present(self.value(node.record, env), node.at)
        if isinstance(value, kinds.NoValue):
            return value
        if isinstance(value, kinds.SumValue):
            return self.s.choose(value.tag, tuple(field_of(case, node.name) for case in value.cases))
        return field_of(value, node.name)

    def replace_fields(self, node: nodes.ReplaceFields, env: Locals) -> kinds.Value:
        value = self.present(self.value(node.record, env), node.at)
        if isinstance(value, kinds.NoValue):
            return value
        assert isinstance(value, kinds.RecordValue), value
        names = [field for field, _ in value.domain.fields]
        parts = list(value.parts)
        for name, new in node.fields:
            parts[names.index(name)] = self.value(new, env)
        return kinds.RecordValue(value.domain, tuple(parts))

    def item(self, node: nodes.Item, env: Locals) -> kinds.Value:
        n = self.n
        base, key = self.present(self.value(node.container, env), node.at), node.key
        if isinstance(base, kinds.MapValue):
            where = self.s.locate(base.domain.key, self.value(key, env))
            self.fault(n.not_(where.inside), key.at, "the map has no such key")
            return self.s.choose(where.index, base.entries)
        if isinstance(base, kinds.SlotMap):
            where = self.s.slot_content(base.domain.key, self.value(key, env))
            self.fault(n.not_(where.inside), key.at, "the map has no such key")
            return self.s.value_at_key(base, where.index)
        if isinstance(base, kinds.NoValue):
            return base
        assert isinstance(base, kinds.SequenceValue)
        if isinstance(key, nodes.Literal) and key.value == -1:
            self.fault(n.eq(base.length, n.const(0)), node.at, "the sequence is empty")
            return self.s.slot(base, n.sub(base.length, n.const(1)))
        index = self.number(key, env)
        self.not_negative(index, key.at, "an index")
        self.fault(n.le(base.length, index), key.at, "the sequence has no such element")
        return self.s.slot(base, index)

    def not_negative(self, index: Node, at: Place, what: str) -> None:
        if self.path.high and not is_not_negative(index, self.path):
            sentence = f"{what} could be negative, down to {index.low}: Python would count it from the end."
            remedy = "Ask for it in front: `self.log[n - 1] if n > 0 else ...`; [-1] is the last element."
            raise ModelError(at, sentence, remedy)

    def slice(self, node: nodes.Slice, env: Locals) -> kinds.Value:
        n = self.n
        base = self.present(self.value(node.sequence, env), node.at)
        if isinstance(base, kinds.NoValue):
            return base
        assert isinstance(base, kinds.SequenceValue)
        start = self.edge(node.start, n.const(0), env)
        stop = self.edge(node.stop, base.length, env)
        self.not_negative(stop, node.at, "the end of a slice")
        self.not_negative(start, node.at, "the start of a slice")
        return self.s.subsequence(base, start, stop)

    def edge(self, node: nodes.Expression | None, default: Node, env: Locals) -> Node:
        """An end of a slice; None is as if it were not written."""
        if node is None:
            return default
        value = self.value(node, env)
        if not isinstance(value, kinds.OptionValue):
            return self.as_number(value, node.at)
        inner = self.as_number(value.value, node.at) if value.value else default
        return self.n.ite(value.present, inner, default)

    def operation(self, node: nodes.Operation, env: Locals) -> kinds.Value:
        n, op = self.n, node.operator
        if op in (Operator.AND, Operator.OR):
            return self.junction(node, env)
        left = self.value(node.left, env)
        right = self.value(node.right, env)
        if op in (Operator.EQ, Operator.NE):
            same = self.s.equal(left, right)
            return kinds.TruthValue(same if op is Operator.EQ else n.not_(same))
        if op in (Operator.IN, Operator.NOT_IN):
            right = self.present(right, node.right.at)
            is_in = is_element(self.s, left, right)
            return kinds.TruthValue(is_in if op is Operator.IN else n.not_(is_in))
        left = self.present(left, node.left.at)
        right = self.present(right, node.right.at)
        match left, right:
            case kinds.SetValue(), kinds.SetValue():
                return set_operation(self.s, op, left, right)
            case kinds.SequenceValue(), kinds.SequenceValue():
                return self.s.concatenate(left, right)
            case kinds.NumberValue(node=a), kinds.NumberValue(node=b):
                return arithmetic(self.s, node, a, b)
        return kinds.NoValue()  # one side has no value wherever it is reached

    def junction(self, node: nodes.Operation, env: Locals) -> kinds.Value:
        n, merge = self.n, self.s.merge
        both = node.operator is Operator.AND
        first = self.value(node.left, env)
        left = self.as_truth(first)
        if left.low == left.high and bool(left.low) is not both:
            return first
        with self.under(left if both else n.not_(left)):
            second = self.value(node.right, env)
        # The side that decides may be None
        if isinstance(first, kinds.OptionValue) or isinstance(second, kinds.OptionValue):
            return merge(left, second, first) if both else merge(left, first, second)
        right = self.as_truth(second)
        return kinds.TruthValue(n.and_(left, right) if both else n.or_(left, right))


def field_of(value: kinds.Value, name: str) -> kinds.Value:
    assert isinstance(value, kinds.RecordValue), value
    return value.parts[[field for field, _ in value.domain.fields].index(name)]


def is_element(shapes: Shapes, value: kinds.Value, container: kinds.Value) -> Node:
    match container:
        case kinds.SetValue():
            return shapes.contains(container, value)
        case kinds.MapValue():  # a network
            where = shapes.locate(container.domain.key, value)
            return shapes.n.and_(where.inside, shapes.is_sent(shapes.choose(where.index, container.entries)))
        case kinds.SlotMap():
            where = shapes.slot_content(container.domain.key, value)
            return shapes.n.and_(where.inside, shapes.is_sent(shapes.value_at_key(container, where.index)))
        case kinds.SequenceValue(length=length, slots=slots):
            n, cases = shapes.n, []
            for position, slot in enumerate(slots):
                cases.append(n.and_(n.lt(n.const(position), length), shapes.equal(slot, value)))
            return n.or_(*cases)
    return shapes.n.false


def set_operation(shapes: Shapes, op: Operator, a: kinds.SetValue, b: kinds.SetValue) -> kinds.Value:
    n, subset = shapes.n, shapes.subset
    joins = {Operator.UNION: shapes.union, Operator.INTERSECTION: shapes.intersection, Operator.SUB: shapes.difference}
    if op in joins:
        return joins[op](a, b)
    if op in (Operator.GE, Operator.GT):
        a, b = b, a
    within = subset(a, b)
    if op in (Operator.LT, Operator.GT):
        within = n.and_(within, n.not_(subset(b, a)))
    return kinds.TruthValue(within)


def arithmetic(shapes: Shapes, node: nodes.Operation, a: Node, b: Node) -> kinds.Value:
    """A divisor is a positive constant."""
    n, op = shapes.n, node.operator
    if op in (Operator.DIV, Operator.MOD):
        if b.low != b.high or b.low <= 0:
            remedy = "Divide by a number or a constant above 0."
            raise ModelError(node.right.at, "the divisor is not a positive constant.", remedy)
        divide = n.div if op is Operator.DIV else n.mod
        return kinds.NumberValue(divide(a, b.low))
    if op in (Operator.GT, Operator.GE):
        a, b = b, a
    match op:
        case Operator.LT | Operator.GT:
            return kinds.TruthValue(n.lt(a, b))
        case Operator.LE | Operator.GE:
            return kinds.TruthValue(n.le(a, b))
    computed = {Operator.ADD: n.add, Operator.SUB: n.sub, Operator.MUL: n.mul}
    return kinds.NumberValue(computed[op](a, b))


def length_of(shapes: Shapes, value: kinds.Value) -> Node:
    match value:
        case kinds.SequenceValue():
            return value.length
        case kinds.SetValue():
            return shapes.size(value)
        case kinds.MapValue() | kinds.SlotMap() if value.domain.total is not None:
            return shapes.in_flight(value)
        case kinds.MapValue():
            return shapes.n.const(len(value.entries))
        case kinds.SlotMap():
            return shapes.n.const(codec(value.domain.key).count())
        case kinds.NoValue():
            return shapes.n.const(0)
    raise AssertionError(value)
