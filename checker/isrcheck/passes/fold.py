"""Constant folding and sharing: the only place where nodes of the system are made.

An equal node made before is returned again, or a smaller one where intervals decide. No method
changes a value: `tests/passes` checks each rule against plain evaluation.
"""

from collections.abc import Iterable

from isrcheck.ir import interval
from isrcheck.ir.scalar import Node, Op
from isrcheck.process.budget import poll

_POLL_AFTER = 1024  # about 3 milliseconds


class Nodes:
    def __init__(self) -> None:
        self.work = 0  # nodes asked for, each with its arguments: what lowering takes, whatever the machine
        self._poll_at = 0
        self._nodes: dict[tuple[Op, tuple[int, ...], int], Node] = {}
        self._constants: dict[int, Node] = {}  # most of what is asked for
        self.false = self.const(0)
        self.true = self.const(1)

    def __len__(self) -> int:
        return len(self._nodes)

    def _make(self, op: Op, args: tuple[Node, ...], low: int, high: int, value: int = 0) -> Node:
        self.work += 1 + len(args)
        if self.work >= self._poll_at:
            self._poll_at = self.work + _POLL_AFTER
            poll()
        key = (op, tuple([a.index for a in args]), value)
        node = self._nodes.get(key)
        if node is None:
            if low == high and op not in (Op.CONST, Op.VAR):
                return self.const(low)
            node = self._nodes[key] = Node(op, args, value, low, high, len(self._nodes))
        return node

    def const(self, value: int) -> Node:
        known = self._constants.get(value)
        if known is None:
            known = self._constants[value] = self._make(Op.CONST, (), value, value, value)
        else:
            self.work += 1
        return known

    def truth(self, value: bool) -> Node:
        return self.true if value else self.false

    def var(self, position: int, size: int) -> Node:
        """A scalar, from 0 to size - 1; of another model, one of the same position may have another size."""
        if size == 1:
            return self.const(0)
        new = Node(Op.VAR, (), position, 0, size - 1, len(self._nodes))
        return self._nodes.setdefault((Op.VAR, (size,), position), new)

    def not_(self, a: Node) -> Node:
        if a.op is Op.NOT:
            return a.args[0]
        return self._make(Op.NOT, (a,), 1 - a.high, 1 - a.low)

    def and_(self, *parts: Node) -> Node:
        return self._junction(Op.AND, parts, neutral=1)

    def or_(self, *parts: Node) -> Node:
        return self._junction(Op.OR, parts, neutral=0)

    def _junction(self, op: Op, parts: Iterable[Node], neutral: int) -> Node:
        """Return the `and` or `or` of nodes, flattened, each operand once, in order."""
        operands: dict[int, Node] = {}
        for operand in parts:
            for each in operand.args if operand.op is op else (operand,):
                if each.low == each.high:
                    if each.low != neutral:
                        return self.const(1 - neutral)
                else:
                    operands.setdefault(each.index, each)
        args = tuple(operands.values())
        if len(args) < 2:
            return args[0] if args else self.const(neutral)
        for each in args:
            if each.op is Op.NOT and each.args[0].index in operands:
                return self.const(1 - neutral)
        return self._make(op, args, 0, 1)

    def ite(self, condition: Node, then: Node, other: Node) -> Node:
        if condition.low == condition.high:
            return then if condition.low else other
        if then is other:
            return then
        if condition.op is Op.NOT:
            return self.ite(condition.args[0], other, then)
        if then.op is Op.ITE and then.args[0] is condition:
            return self.ite(condition, then.args[1], other)
        if other.op is Op.ITE and other.args[0] is condition:
            return self.ite(condition, then, other.args[2])
        if then.op is Op.CONST and other.op is Op.CONST and {then.value, other.value} == {0, 1}:
            return condition if then.value else self.not_(condition)
        if other.op is Op.ITE and other.args[1] is then:
            return self.ite(self.or_(condition, other.args[0]), then, other.args[2])
        return self._make(Op.ITE, (condition, then, other), min(then.low, other.low), max(then.high, other.high))

    def eq(self, a: Node, b: Node) -> Node:
        if a is b:
            return self.true
        if a.high < b.low or b.high < a.low:
            return self.false
        if b.low == b.high and (a.low, a.high) == (0, 1):
            return a if b.low else self.not_(a)
        if a.low == a.high and (b.low, b.high) == (0, 1):
            return b if a.low else self.not_(b)
        return self._make(Op.EQ, _order(a, b), int(a.low == a.high == b.low == b.high), 1)

    def lt(self, a: Node, b: Node) -> Node:
        if a is b or a.low >= b.high:
            return self.false
        if a.high < b.low:
            return self.true
        return self._make(Op.LT, (a, b), 0, 1)

    def le(self, a: Node, b: Node) -> Node:
        return self.not_(self.lt(b, a))

    def add(self, a: Node, b: Node) -> Node:
        if a.low == a.high == 0:
            return b
        if b.low == b.high == 0:
            return a
        a, b = _order(a, b)
        if b.op is Op.CONST and a.op is Op.ADD and a.args[1].op is Op.CONST:
            return self.add(a.args[0], self.const(a.args[1].value + b.value))
        return self._make(Op.ADD, (a, b), *interval.add(_span(a), _span(b)))

    def sub(self, a: Node, b: Node) -> Node:
        if b.op is Op.CONST:
            return self.add(a, self.const(-b.value))
        if a is b:
            return self.const(0)
        return self._make(Op.SUB, (a, b), *interval.sub(_span(a), _span(b)))

    def mul(self, a: Node, b: Node) -> Node:
        if a.low == a.high == 1:
            return b
        if b.low == b.high == 1:
            return a
        return self._make(Op.MUL, _order(a, b), *interval.mul(_span(a), _span(b)))

    def div(self, a: Node, b: int) -> Node:
        if b == 1:
            return a
        return self._make(Op.DIV, (a, self.const(b)), *interval.floordiv(_span(a), b))

    def mod(self, a: Node, b: int) -> Node:
        if 0 <= a.low and a.high < b:
            return a
        return self.const(a.low % b) if a.low == a.high else self._make(Op.MOD, (a, self.const(b)), 0, b - 1)

    def min_(self, a: Node, b: Node) -> Node:
        return self.between(self.ite(self.lt(b, a), b, a), min(a.low, b.low), min(a.high, b.high))

    def max_(self, a: Node, b: Node) -> Node:
        return self.between(self.ite(self.lt(a, b), b, a), max(a.low, b.low), max(a.high, b.high))

    def between(self, node: Node, low: int, high: int) -> Node:
        """A node that is known to be within."""
        low, high = max(low, node.low), min(high, node.high)
        if node.op is not Op.ITE or (node.low, node.high) == (low, high):
            return node
        if low == high:
            return self.const(low)
        narrowed = Node(Op.ITE, node.args, 0, low, high, node.index)
        self._nodes[Op.ITE, tuple(a.index for a in node.args), 0] = narrowed
        return narrowed

    def bit_and(self, a: Node, b: Node) -> Node:
        if a is b:
            return a
        a, b = _order(a, b)
        if a.low == a.high and b.low == b.high:
            return self.const(a.low & b.low)
        if b.op is Op.CONST and b.value & (full := _full(a)) == full:
            return a
        return self._make(Op.BAND, (a, b), 0, min(_full(a), _full(b)) & (b.value if b.op is Op.CONST else -1))

    def bit_or(self, a: Node, b: Node) -> Node:
        if a is b or (b.low == b.high == 0):
            return a
        if a.low == a.high == 0:
            return b
        a, b = _order(a, b)
        if a.low == a.high and b.low == b.high:
            return self.const(a.low | b.low)
        return self._make(Op.BOR, (a, b), max(a.low, b.low), _full(a) | _full(b))

    def bit_and_not(self, a: Node, b: Node) -> Node:
        if a is b:
            return self.const(0)
        if b.op is Op.CONST:
            return self.bit_and(a, self.const(_full(a) & ~b.value))
        return self._make(Op.BANDNOT, (a, b), 0, a.high)

    def shift_left(self, a: Node, b: Node) -> Node:
        """a * 2^b for b in 0..63; behind a choice not taken b may be negative, and counts as 0."""
        least, most = max(0, b.low), max(0, b.high)
        if most == 0:
            return a
        return self._make(Op.SHL, (a, b), a.low << least, a.high << most)

    def shift_right(self, a: Node, b: Node) -> Node:
        least, most = max(0, b.low), max(0, b.high)
        if most == 0:
            return a
        return self._make(Op.SHR, (a, b), a.low >> most, a.high >> least)

    def popcount(self, a: Node) -> Node:
        if a.low == a.high:
            return self.const(a.low.bit_count())
        return self._make(Op.POPCOUNT, (a,), 0 if a.low <= 0 else 1, a.high.bit_length())

    def bit(self, a: Node, at: int) -> Node:
        if a.op in (Op.BOR, Op.BAND, Op.BANDNOT) and any(x.op is Op.CONST for x in a.args):
            left, right = (self.bit(x, at) for x in a.args)
            if a.op is Op.BOR:
                return self.or_(left, right)
            return self.and_(left, right if a.op is Op.BAND else self.not_(right))
        moved = self.shift_right(a, self.const(at))
        return moved if moved.high <= 1 else self.bit_and(moved, self.true)

    def field(self, a: Node, shift: int, size: int) -> Node:
        """Some bits of one that never has `size` or more in them."""
        moved, most = self.shift_right(a, self.const(shift)), (1 << (size - 1).bit_length()) - 1
        if moved.low == moved.high or most == 0:
            return self.const(moved.low & most)
        if moved.high < size:
            return moved
        return self._make(Op.BAND, (moved, self.const(most)), 0, size - 1, size)


def _order(a: Node, b: Node) -> tuple[Node, Node]:
    """The operands, a constant last, else the older node first."""
    return (b, a) if (a.op is Op.CONST, a.index) > (b.op is Op.CONST, b.index) else (a, b)


def _span(a: Node) -> interval.Interval:
    return a.low, a.high


def _full(a: Node) -> int:
    """A mask of all bits it can have."""
    return (1 << a.high.bit_length()) - 1


class Disjunction:
    """A disjunction of the operands that were added, true if any of them is, as `or_` of them."""

    def __init__(self, n: Nodes) -> None:
        self.is_true = False
        self._n = n
        self._parts: dict[int, Node] = {}
        self._negated: set[int] = set()

    def add(self, operand: Node) -> None:
        for each in operand.args if operand.op is Op.OR else (operand,):
            if each.low == each.high:
                self.is_true |= bool(each.low)
            elif each.index not in self._parts:
                opposite = each.args[0].index if each.op is Op.NOT else -1
                self.is_true |= opposite in self._parts or each.index in self._negated
                self._parts[each.index] = each
                self._negated.add(opposite)

    def node(self) -> Node:
        return self._n.true if self.is_true else self._n.or_(*self._parts.values())
