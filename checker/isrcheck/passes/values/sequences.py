"""Sequences: their slots, their parts, and what is appended to them."""

from isrcheck.ir.scalar import Node
from isrcheck.passes.values.kinds import NoValue, SequenceValue, Value
from isrcheck.passes.values.shapes import Shapes


def slot(shapes: Shapes, container: SequenceValue, index: Node) -> Value:
    """The slot at an index; one beyond the end reads as zero."""
    if not container.slots:
        return NoValue()
    n = shapes.n
    last = len(container.slots) - 1
    return shapes.chosen(n.max_(n.const(0), n.min_(index, n.const(last))), container.slots)


def concatenated(shapes: Shapes, a: SequenceValue, b: SequenceValue) -> SequenceValue:
    """The elements of both, in order."""
    result = a
    for position, slot in enumerate(b.slots):
        result = appended(shapes, result, slot, shapes.n.lt(shapes.n.const(position), b.length))
    return result


def appended(shapes: Shapes, a: SequenceValue, value: Value, condition: Node) -> SequenceValue:
    """The sequence with one more element, where the condition holds."""
    n = shapes.n
    slots = []
    for position in range(a.length.high + 1):
        used = n.lt(n.const(position), a.length)
        old = shapes.padded(a.slots[position], value, used) if position < len(a.slots) else shapes.like_zero(value)
        here = n.and_(condition, n.eq(a.length, n.const(position)))
        slots.append(shapes.merge(here, value, old))
    return SequenceValue(n.add(a.length, condition), tuple(slots))


def sliced(shapes: Shapes, container: SequenceValue, start: Node, stop: Node) -> SequenceValue:
    """The part from `start` to `stop`, neither of which is negative."""
    n = shapes.n
    stop = n.min_(stop, container.length)
    length = n.max_(n.sub(stop, start), n.const(0))
    slots = []
    for position in range(min(length.high, len(container.slots))):
        inside = n.lt(n.const(position), length)
        value = slot(shapes, container, n.add(start, n.const(position)))
        slots.append(shapes.merge(inside, value, shapes.like_zero(value)))
    return SequenceValue(length, tuple(slots))
