"""Nodes of a scalar transition system as z3 terms. What is 0 or 1 is a Boolean.

`bits`: a number is a bit-vector as wide as its interval, so that nothing overflows; for bounded systems only.
`integers`: numbers are z3 integers; sets, which nodes treat as bit masks, stay bit-vectors.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Literal

import z3

from isrcheck.engines.common.evaluate import nodes_of
from isrcheck.engines.symbolic.kinds import mask_nodes, mask_scalars, order_nodes
from isrcheck.errors import UsageError
from isrcheck.ir.interval import is_endless
from isrcheck.ir.scalar import Node, Op, Scalar, ScalarSystem
from isrcheck.process.budget import poll

Scheme = Literal["bits", "integers"]


@dataclass(frozen=True, slots=True)
class Term:
    """A z3 term with its value's interval: a Boolean, a bit-vector or an integer."""

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
    if isinstance(value, z3.ArithRef):
        return z3.BitVecVal(value.as_long(), width) if z3.is_int_value(value) else z3.Int2BV(value, width)
    assert isinstance(value, z3.BitVecRef)
    more = width - value.size()
    if more > 0:
        return z3.SignExt(more, value) if term.signed else z3.ZeroExt(more, value)
    return z3.Extract(width - 1, 0, value) if more else value


def as_int(term: Term) -> z3.ArithRef:
    value = term.z3
    if isinstance(value, z3.ArithRef):
        return value
    if isinstance(value, z3.BoolRef):
        return z3.If(value, z3.IntVal(1), z3.IntVal(0))
    return z3.BV2Int(value, term.signed)


def as_truth(term: Term) -> z3.BoolRef:
    return term.z3 if isinstance(term.z3, z3.BoolRef) else term.z3 != 0


def fit(like: Term, term: Term) -> z3.ExprRef:
    """A term in the sort of another, which must be able to hold its value."""
    if isinstance(like.z3, z3.BoolRef):
        return as_truth(term)
    if isinstance(like.z3, z3.BitVecRef):
        return as_bits(term, like.z3.size())
    return as_int(term)


Vector = tuple[Term, ...]  # one state as z3 constants; a scalar with one value is 0


class Encoder:
    """One system in one encoding. `extra` are further nodes that will be asked for."""

    def __init__(self, system: ScalarSystem, scheme: Scheme, extra: Iterable[Node] = ()) -> None:
        for scalar in system.scalars if scheme == "bits" else ():
            if is_endless(scalar.size):
                raise UsageError(f"{scalar.name} has no upper end: a search over bit-vectors needs one, as in 1..8.")
        self.system, self.scheme, self.size = system, scheme, len(system.scalars)
        conditions = chain.from_iterable(each.conditions for each in system.properties)
        roots = [*chain.from_iterable(map(nodes_of, system.instances)), *chain.from_iterable(map(nodes_of, conditions))]
        roots += extra
        self.mask_scalars = mask_scalars(system, roots) if scheme == "integers" else frozenset()
        self.masks = mask_nodes(order_nodes(roots), self.mask_scalars, self.size) if scheme == "integers" else set()

    def vector(self, name: str) -> Vector:
        return tuple(self._scalar(i, s, f"{s.name}@{name}") for i, s in enumerate(self.system.scalars))

    def _scalar(self, position: int, scalar: Scalar, name: str) -> Term:
        high = scalar.size if is_endless(scalar.size) else scalar.size - 1
        if high <= 1:
            return Term(z3.Bool(name) if high else z3.BoolVal(False), 0, high)
        if self.scheme == "bits" or position in self.mask_scalars:
            return Term(z3.BitVec(name, bits_for(0, high)), 0, high)
        return Term(z3.Int(name), 0, high)

    def constants(self, values: Sequence[int]) -> Vector:
        return tuple(self._value(i, s, v) for i, (s, v) in enumerate(zip(self.system.scalars, values, strict=True)))

    def _value(self, position: int, scalar: Scalar, value: int) -> Term:
        if scalar.size <= 2:
            return Term(z3.BoolVal(bool(value)), value, value)
        if self.scheme == "bits" or position in self.mask_scalars:
            return Term(z3.BitVecVal(value, bits_for(0, scalar.size - 1)), value, value)
        return Term(z3.IntVal(value), value, value)

    def domain(self, vector: Vector) -> z3.BoolRef:
        conditions = []
        for term, scalar in zip(vector, self.system.scalars, strict=True):
            if isinstance(term.z3, z3.ArithRef):
                conditions.append(term.z3 >= 0)
                if not is_endless(scalar.size):
                    conditions.append(term.z3 <= scalar.size - 1)
            elif isinstance(term.z3, z3.BitVecRef) and scalar.size & (scalar.size - 1):
                conditions.append(z3.ULE(term.z3, scalar.size - 1))
        return z3.And(*conditions)

    def equals(self, vector: Vector, values: Sequence[int], positions: Iterable[int]) -> z3.BoolRef:
        known = self.constants(values)
        return z3.And(*(vector[i].z3 == known[i].z3 for i in positions))

    def terms(self, vector: Vector, before: Vector = ()) -> "StateTerms":
        return StateTerms(self, (*vector, *before))

    def read(self, model: z3.ModelRef, vector: Vector) -> tuple[int, ...]:
        return tuple(value_of(model.eval(term.z3, model_completion=True)) for term in vector)


def value_of(term: z3.ExprRef) -> int:
    if isinstance(term, z3.BoolRef):
        return int(z3.is_true(term))
    assert isinstance(term, z3.BitVecNumRef | z3.IntNumRef)
    return int(term.as_long())


class StateTerms:
    """One state's terms, made once each."""

    def __init__(self, encoder: Encoder, scalars: tuple[Term, ...]) -> None:
        self.encoder, self.scalars = encoder, scalars
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
                return self._constant(node)
            case Op.NOT:
                result: z3.ExprRef = z3.Not(as_truth(args[0]))
            case Op.AND:
                result = z3.And(*map(as_truth, args))
            case Op.OR:
                result = z3.Or(*map(as_truth, args))
            case Op.EQ | Op.LT:
                result = self._comparison(node, *args)
            case Op.ITE:
                result = self._choice(node, *args)
            case Op.POPCOUNT:
                result = self._popcount(node, args[0])
            case Op.BAND | Op.BOR | Op.BANDNOT | Op.SHL | Op.SHR:
                result = self._mask(node, *args)
            case _:
                result = self._number(node, *args)
        return Term(result, node.low, node.high)

    def _constant(self, node: Node) -> Term:
        if _is_truth(node):
            result: z3.ExprRef = z3.BoolVal(bool(node.value))
        elif self.encoder.scheme == "bits":
            result = z3.BitVecVal(node.value, bits_for(node.low, node.high))
        else:
            result = z3.IntVal(node.value)  # where a mask is wanted, `as_bits` makes it one
        return Term(result, node.low, node.high)

    def _comparison(self, node: Node, a: Term, b: Term) -> z3.BoolRef:
        if isinstance(a.z3, z3.BoolRef) and isinstance(b.z3, z3.BoolRef):
            return a.z3 == b.z3 if node.op is Op.EQ else z3.And(z3.Not(a.z3), b.z3)
        is_number = any(isinstance(x.z3, z3.ArithRef) and not z3.is_int_value(x.z3) for x in (a, b))
        if not is_number and not any(is_endless(x) for t in (a, b) for x in (t.low, t.high)):
            width = _hull(a, b)
            x = as_bits(a, width)
            y = as_bits(b, width)
            if node.op is Op.EQ:
                return x == y
            return x < y if a.signed or b.signed else z3.ULT(x, y)
        return as_int(a) == as_int(b) if node.op is Op.EQ else as_int(a) < as_int(b)

    def _choice(self, node: Node, condition: Term, then: Term, other: Term) -> z3.ExprRef:
        test = as_truth(condition)
        if _is_truth(node):
            return z3.If(test, as_truth(then), as_truth(other))
        if self.encoder.scheme == "bits" or node.index in self.encoder.masks:
            width = bits_for(node.low, node.high)
            return z3.If(test, as_bits(then, width), as_bits(other, width))
        return z3.If(test, as_int(then), as_int(other))

    def _number(self, node: Node, a: Term, b: Term) -> z3.ExprRef:
        if self.encoder.scheme == "bits":
            result: z3.ExprRef = self._number_of_bits(node, a, b)
        else:
            result = _INTEGER[node.op](as_int(a), as_int(b))
        return result == 1 if _is_truth(node) else result

    def _number_of_bits(self, node: Node, a: Term, b: Term) -> z3.BitVecRef:
        wide = _hull(a, b, Term(a.z3, node.low, node.high))
        if node.op in (Op.DIV, Op.MOD):
            return self._divide(node, a, b)
        x = as_bits(a, wide)
        y = as_bits(b, wide)
        result = {Op.ADD: x + y, Op.SUB: x - y, Op.MUL: x * y}[node.op]
        return as_bits(Term(result, node.low, node.high), bits_for(node.low, node.high))

    def _divide(self, node: Node, a: Term, b: Term) -> z3.BitVecRef:
        """Rounded down; `b` is positive."""
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
        return as_bits(Term(result, node.low, node.high), bits_for(node.low, node.high))

    def _mask(self, node: Node, a: Term, b: Term) -> z3.ExprRef:
        if node.op in (Op.SHL, Op.SHR):
            wide = bits_for(min(a.low, node.low, 0), max(a.high, node.high))
            result = self._shift_by(node, as_bits(a, wide), b, a.signed)
        else:
            wide = bits_for(min(a.low, b.low, 0), max(a.high, b.high, node.high))
            x = as_bits(a, wide)
            y = as_bits(b, wide)
            result = {Op.BAND: x & y, Op.BOR: x | y, Op.BANDNOT: x & ~y}[node.op]
        if _is_truth(node):
            return z3.Extract(0, 0, result) == 1
        return as_bits(Term(result, node.low, node.high), bits_for(node.low, node.high))

    def _shift_by(self, node: Node, a: z3.BitVecRef, by: Term, signed: bool) -> z3.BitVecRef:
        low, high = max(0, node.args[1].low), node.args[1].high
        result = _shift(node.op, a, high, signed)
        for amount in range(high - 1, low - 1, -1):
            result = z3.If(_equals(by, amount), _shift(node.op, a, amount, signed), result)
        return result

    def _popcount(self, node: Node, a: Term) -> z3.ExprRef:
        mask = as_bits(a, bits_for(0, a.high))
        ones = [z3.Extract(i, i, mask) == 1 for i in range(mask.size())]
        if _is_truth(node):
            return z3.Or(*ones)
        if self.encoder.scheme == "bits":
            width = bits_for(node.low, node.high)
            return reduce(lambda x, y: x + y, (z3.If(o, z3.BitVecVal(1, width), z3.BitVecVal(0, width)) for o in ones))
        return z3.Sum(*(z3.If(o, z3.IntVal(1), z3.IntVal(0)) for o in ones))


_INTEGER: dict[Op, Callable[[z3.ArithRef, z3.ArithRef], z3.ArithRef]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: operator.truediv,  # floor division: divisors are positive
    Op.MOD: operator.mod,
}


def _is_truth(node: Node) -> bool:
    return node.low >= 0 and node.high <= 1


def _equals(term: Term, amount: int) -> z3.BoolRef:
    if isinstance(term.z3, z3.BoolRef):
        return term.z3 if amount == 1 else z3.Not(term.z3) if amount == 0 else z3.BoolVal(False)
    if isinstance(term.z3, z3.ArithRef):
        return term.z3 == amount
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
