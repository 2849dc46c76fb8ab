"""Operators on values, once both sides are known."""

from isrcheck.errors import ModelError
from isrcheck.ir.nodes import Operation, Operator
from isrcheck.ir.scalar import Node
from isrcheck.passes.values.kinds import Map, Nothing, Number, Sequence, Set, Truth, Value
from isrcheck.passes.values.shapes import Shapes


def contained(shapes: Shapes, value: Value, container: Value) -> Node:
    """Whether a value is in a set or a sequence."""
    match container:
        case Set():
            return shapes.contains(container, value)
        case Sequence(length=length, slots=slots):
            n = shapes.n
            found = []
            for position, slot in enumerate(slots):
                found.append(n.and_(n.lt(n.const(position), length), shapes.equal(slot, value)))
            return n.or_(*found)
    return shapes.n.false


def set_operation(shapes: Shapes, operator: Operator, a: Set, b: Set) -> Value:
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
            return Truth(shapes.subset(a, b))
        case Operator.GE:
            return Truth(shapes.subset(b, a))
        case Operator.LT:
            return Truth(n.and_(shapes.subset(a, b), n.not_(shapes.subset(b, a))))
        case Operator.GT:
            return Truth(n.and_(shapes.subset(b, a), n.not_(shapes.subset(a, b))))
    raise AssertionError(operator)


def arithmetic(shapes: Shapes, node: Operation, a: Node, b: Node) -> Value:
    """What an operation makes of two integers. Raises ModelError unless a divisor is a positive constant."""
    n = shapes.n
    match node.operator:
        case Operator.ADD:
            return Number(n.add(a, b))
        case Operator.SUB:
            return Number(n.sub(a, b))
        case Operator.MUL:
            return Number(n.mul(a, b))
        case Operator.DIV | Operator.MOD:
            if b.low != b.high or b.low <= 0:
                remedy = "Divide by a number or a constant above 0."
                raise ModelError(node.right.at, "the divisor is no positive constant.", remedy)
            return Number(n.div(a, b.low) if node.operator is Operator.DIV else n.mod(a, b.low))
        case Operator.LT:
            return Truth(n.lt(a, b))
        case Operator.LE:
            return Truth(n.le(a, b))
        case Operator.GT:
            return Truth(n.lt(b, a))
        case Operator.GE:
            return Truth(n.le(b, a))
    raise AssertionError(node.operator)


def length(shapes: Shapes, value: Value) -> Node:
    """What len() counts."""
    match value:
        case Sequence(length=length):
            return length
        case Set():
            return shapes.size(value)
        case Map(entries=entries):
            return shapes.n.const(len(entries))
        case Nothing():
            return shapes.n.const(0)
    raise AssertionError(value)
