"""Operators on values, once both sides are known."""

from isrcheck.errors import ModelError
from isrcheck.ir.nodes import Operation, Operator
from isrcheck.ir.scalar import Node
from isrcheck.passes.values.kinds import MapValue, NoValue, NumberValue, SequenceValue, SetValue, TruthValue, Value
from isrcheck.passes.values.shapes import Shapes


def contained(shapes: Shapes, value: Value, container: Value) -> Node:
    """Whether a value is in a set or a sequence."""
    match container:
        case SetValue():
            return shapes.contains(container, value)
        case SequenceValue(length=length, slots=slots):
            n = shapes.n
            found = []
            for position, slot in enumerate(slots):
                found.append(n.and_(n.lt(n.const(position), length), shapes.equal(slot, value)))
            return n.or_(*found)
    return shapes.n.false


def set_operation(shapes: Shapes, operator: Operator, a: SetValue, b: SetValue) -> Value:
    """What an operator makes of two sets."""
    n = shapes.n
    match operator:
        case Operator.UNION:
            return shapes.union(a, b)
        case Operator.INTERSECTION:
            return shapes.intersection(a, b)
        case Operator.SUB:
            return shapes.difference(a, b)
        case Operator.LE:
            return TruthValue(shapes.subset(a, b))
        case Operator.GE:
            return TruthValue(shapes.subset(b, a))
        case Operator.LT:
            return TruthValue(n.and_(shapes.subset(a, b), n.not_(shapes.subset(b, a))))
        case Operator.GT:
            return TruthValue(n.and_(shapes.subset(b, a), n.not_(shapes.subset(a, b))))
    raise AssertionError(operator)


def arithmetic(shapes: Shapes, node: Operation, a: Node, b: Node) -> Value:
    """What an operation makes of two integers. Raises ModelError unless a divisor is a positive constant."""
    n = shapes.n
    match node.operator:
        case Operator.ADD:
            return NumberValue(n.add(a, b))
        case Operator.SUB:
            return NumberValue(n.sub(a, b))
        case Operator.MUL:
            return NumberValue(n.mul(a, b))
        case Operator.DIV | Operator.MOD:
            if b.low != b.high or b.low <= 0:
                remedy = "Divide by a number or a constant above 0."
                raise ModelError(node.right.at, "the divisor is not a positive constant.", remedy)
            return NumberValue(n.div(a, b.low) if node.operator is Operator.DIV else n.mod(a, b.low))
        case Operator.LT:
            return TruthValue(n.lt(a, b))
        case Operator.LE:
            return TruthValue(n.le(a, b))
        case Operator.GT:
            return TruthValue(n.lt(b, a))
        case Operator.GE:
            return TruthValue(n.le(b, a))
    raise AssertionError(node.operator)


def length(shapes: Shapes, value: Value) -> Node:
    """What len() counts."""
    match value:
        case SequenceValue(length=length):
            return length
        case SetValue():
            return shapes.size(value)
        case MapValue(entries=entries):
            return shapes.n.const(len(entries))
        case NoValue():
            return shapes.n.const(0)
    raise AssertionError(value)
