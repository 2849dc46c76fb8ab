"""Nodes of a scalar transition system as z3 terms.

What is 0 or 1 is a Boolean; another number is a bit-vector as wide as its interval, so that nothing overflows.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import z3

from isrcheck.ir.scalar import Node, Op, Scalar, ScalarSystem
from isrcheck.process.budget import poll


@dataclass(frozen=True, slots=True)
class Term:
    """A z3 term with its value's interval: a Boolean or a bit-vector."""

    z3: z3.ExprRef
    low: int
    high: int

    @property
    def signed(self) -> bool:  # in two's complement
        return self.low < 0


def bits_for(low: int, high: int) -> int:
    if low >= 0:
        return max(1, high.bit_length())
    return 1 + max((-low - 1).bit_length(), max(high, 0).bit_length())


def as_bits(term: Term, width: int) -> z3.BitVecRef:
    """A bit-vector that holds the value."""
    value = term.z3
    if isinstance(value, z3.BoolRef):
        return z3.If(value, z3.BitVecVal(1, width), z3.BitVecVal(0, width))
    assert isinstance(value, z3.BitVecRef)
    more = width - value.size()
    if more > 0:
        return z3.SignExt(more, value) if term.signed else z3.ZeroExt(more, value)
    return z3.Extract(width - 1, 0, value) if more else value


def as_truth(term: Term) -> z3.BoolRef:
    return term.z3 if isinstance(term.z3, z3.BoolRef) else term.z3 != 0


def fit(like: Term, term: Term) -> z3.ExprRef:
    """A term in the sort of another, which must be able to hold its value."""
    if isinstance(like.z3, z3.BoolRef):
        return as_truth(term)
    assert isinstance(like.z3, z3.BitVecRef)
    return as_bits(term, like.z3.size())


def order_nodes(roots: Iterable[Node], without: Container[int] = ()) -> list[Node]:
    """The nodes behind these, each index once, arguments first, without `without` and what is behind it.

    Of two nodes with one index (a choice known to lie in a smaller interval) the narrower one is taken.
    """
    by_index: dict[int, Node] = {}
    waiting = [root for root in roots if root.index not in without]
    while waiting:
        node = waiting.pop()
        other = by_index.get(node.index)
        if other is not None:
            if node.high - node.low < other.high - other.low:
                by_index[node.index] = node
            continue
        by_index[node.index] = node
        waiting.extend(a for a in node.args if a.index not in by_index and a.index not in without)
    return [by_index[index] for index in sorted(by_index)]


Vector = tuple[Term, ...]  # one state as z3 constants; a scalar with one value is 0


class Encoder:
    """States of one system as vectors of z3 terms."""

    def __init__(self, system: ScalarSystem) -> None:
        self.system, self.size = system, len(system.scalars)

    def vector(self, name: str) -> Vector:
        """A state of z3 constants, named after the scalars."""
        return tuple(_scalar(scalar, f"{scalar.name}@{name}") for scalar in self.system.scalars)

    def constants(self, values: Sequence[int]) -> Vector:
        """A state of these values."""
        return tuple(map(_value, self.system.scalars, values))

    def domain(self, vector: Vector) -> z3.BoolRef:
        """The condition that a state's scalars are below their sizes."""
        pairs = zip(vector, self.system.scalars, strict=True)
        bounded = (p for p in pairs if isinstance(p[0].z3, z3.BitVecRef) and p[1].size & (p[1].size - 1))
        return z3.And(*(z3.ULE(term.z3, scalar.size - 1) for term, scalar in bounded))

    def equals(self, vector: Vector, values: Sequence[int], positions: Iterable[int]) -> z3.BoolRef:
        known = self.constants(values)
        return z3.And(*(vector[i].z3 == known[i].z3 for i in positions))

    def terms(self, vector: Vector, before: Vector = ()) -> "StateTerms":
        return StateTerms((*vector, *before))

    def read(self, model: z3.ModelRef, vector: Vector) -> tuple[int, ...]:
        return tuple(value_of(model.eval(term.z3, model_completion=True)) for term in vector)


def _scalar(scalar: Scalar, name: str) -> Term:
    high = scalar.size - 1
    if high <= 1:
        return Term(z3.Bool(name) if high else z3.BoolVal(False), 0, high)
    return Term(z3.BitVec(name, bits_for(0, high)), 0, high)


def _value(scalar: Scalar, value: int) -> Term:
    if scalar.size <= 2:
        return Term(z3.BoolVal(bool(value)), value, value)
    return Term(z3.BitVecVal(value, bits_for(0, scalar.size - 1)), value, value)


def value_of(term: z3.ExprRef) -> int:
    if isinstance(term, z3.BoolRef):
        return int(z3.is_true(term))
    assert isinstance(term, z3.BitVecNumRef)
    return int(term.as_long())


class StateTerms:
    """The terms of nodes in one state, each computed once."""

    def __init__(self, scalars: tuple[Term, ...]) -> None:
        self.scalars = scalars
        self._terms: dict[int, Term] = {}

    def truth(self, node: Node) -> z3.BoolRef:
        return as_truth(self.term(node))

    def term(self, node: Node) -> Term:
        for inner in order_nodes((node,), self._terms):
            self._terms[inner.index] = self._operation(inner, [self._terms[a.index] for a in inner.args])
        return self._terms[node.index]

    def _operation(self, node: Node, args: list[Term]) -> Term:
        poll()
        match node.op:
            case Op.VAR:
                return self.scalars[node.value]
            case Op.CONST:
                result: z3.ExprRef = _constant(node)
            case Op.NOT:
                result = z3.Not(as_truth(args[0]))
            case Op.AND:
                result = z3.And(*map(as_truth, args))
            case Op.OR:
                result = z3.Or(*map(as_truth, args))
            case Op.EQ | Op.LT:
                result = _comparison(node, *args)
            case Op.ITE:
                result = _choice(node, *args)
            case Op.POPCOUNT:
                result = _popcount(node, args[0])
            case Op.BAND | Op.BOR | Op.BANDNOT | Op.SHL | Op.SHR:
                result = _mask(node, *args)
            case _:
                result = _number(node, *args)
        return Term(result, node.low, node.high)


def _constant(node: Node) -> z3.ExprRef:
    return z3.BoolVal(bool(node.value)) if _is_truth(node) else z3.BitVecVal(node.value, _width(node))


def _comparison(node: Node, a: Term, b: Term) -> z3.BoolRef:
    if isinstance(a.z3, z3.BoolRef) and isinstance(b.z3, z3.BoolRef):
        return a.z3 == b.z3 if node.op is Op.EQ else z3.And(z3.Not(a.z3), b.z3)
    width = _hull(a, b)
    x = as_bits(a, width)
    y = as_bits(b, width)
    if node.op is Op.EQ:
        return x == y
    return x < y if a.signed or b.signed else z3.ULT(x, y)


def _choice(node: Node, condition: Term, then: Term, other: Term) -> z3.ExprRef:
    test = as_truth(condition)
    if _is_truth(node):
        return z3.If(test, as_truth(then), as_truth(other))
    return z3.If(test, as_bits(then, _width(node)), as_bits(other, _width(node)))


def _number(node: Node, a: Term, b: Term) -> z3.ExprRef:
    result = _quotient(node, a, b) if node.op in (Op.DIV, Op.MOD) else _arithmetic(node, a, b)
    return result == 1 if _is_truth(node) else result


def _arithmetic(node: Node, a: Term, b: Term) -> z3.BitVecRef:
    wide = _hull(a, b, Term(a.z3, node.low, node.high))
    x = as_bits(a, wide)
    y = as_bits(b, wide)
    result = {Op.ADD: x + y, Op.SUB: x - y, Op.MUL: x * y}[node.op]
    return as_bits(Term(result, node.low, node.high), _width(node))


def _quotient(node: Node, a: Term, b: Term) -> z3.BitVecRef:
    """The quotient, rounded down, or the remainder; `b` is positive."""
    by = node.args[1].value
    shift = max(0, -(a.low // by))
    moved = Term(a.z3, a.low, a.high + shift * by)
    wide = _hull(moved, b, Term(a.z3, min(node.low, -shift), a.high + shift * by)) + 1
    divisor = z3.BitVecVal(by, wide)
    raised = as_bits(a, wide) + z3.BitVecVal(shift * by, wide)
    if node.op is Op.DIV:
        result = z3.UDiv(raised, divisor) - z3.BitVecVal(shift, wide)
    else:
        result = z3.URem(raised, divisor)
    return as_bits(Term(result, node.low, node.high), _width(node))


def _mask(node: Node, a: Term, b: Term) -> z3.ExprRef:
    if node.op in (Op.SHL, Op.SHR):
        wide = bits_for(min(a.low, node.low, 0), max(a.high, node.high))
        result = _shift_by(node, as_bits(a, wide), b, a.signed)
    else:
        wide = bits_for(min(a.low, b.low, 0), max(a.high, b.high, node.high))
        x = as_bits(a, wide)
        y = as_bits(b, wide)
        result = {Op.BAND: x & y, Op.BOR: x | y, Op.BANDNOT: x & ~y}[node.op]
    if _is_truth(node):
        return z3.Extract(0, 0, result) == 1
    return as_bits(Term(result, node.low, node.high), _width(node))


def _shift_by(node: Node, a: z3.BitVecRef, by: Term, signed: bool) -> z3.BitVecRef:
    low, high = max(0, node.args[1].low), node.args[1].high
    result = _shift(node.op, a, high, signed)
    for amount in range(high - 1, low - 1, -1):
        result = z3.If(_equals(by, amount), _shift(node.op, a, amount, signed), result)
    return result


def _popcount(node: Node, a: Term) -> z3.ExprRef:
    mask = as_bits(a, bits_for(0, a.high))
    ones = [z3.Extract(i, i, mask) == 1 for i in range(mask.size())]
    if _is_truth(node):
        return z3.Or(*ones)
    one, zero = z3.BitVecVal(1, _width(node)), z3.BitVecVal(0, _width(node))
    return reduce(lambda x, y: x + y, (z3.If(bit, one, zero) for bit in ones))


def _width(node: Node) -> int:
    return bits_for(node.low, node.high)


def _is_truth(node: Node) -> bool:
    return node.low >= 0 and node.high <= 1


def _equals(term: Term, amount: int) -> z3.BoolRef:
    if isinstance(term.z3, z3.BoolRef):
        return term.z3 if amount == 1 else z3.Not(term.z3) if amount == 0 else z3.BoolVal(False)
    width = bits_for(min(term.low, amount), max(term.high, amount))
    return as_bits(term, width) == amount


def _shift(op: Op, a: z3.BitVecRef, amount: int, signed: bool) -> z3.BitVecRef:
    if amount >= a.size():
        far = z3.BitVecVal(0, a.size())
        return z3.If(a < 0, ~far, far) if op is Op.SHR and signed else far
    if op is Op.SHL:
        return a << amount
    return a >> amount if signed else z3.LShR(a, amount)


def _hull(*terms: Term) -> int:
    return bits_for(min(t.low for t in terms), max(t.high for t in terms))
