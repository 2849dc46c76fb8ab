"""From scalars to values, and the values that need none."""

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Any, assert_never

from isrcheck.ir.codec import codec, masks
from isrcheck.ir.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    number,
)
from isrcheck.ir.scalar import Node
from isrcheck.passes.fold import Nodes
from isrcheck.passes.limits import SymbolicScalars
from isrcheck.passes.values.kinds import (
    AtomValue,
    MapValue,
    NoValue,
    NumberValue,
    OptionValue,
    RecordValue,
    SequenceValue,
    SetValue,
    TruthValue,
    Value,
)


class Reading:
    """Makes values, over the nodes of one system."""

    def __init__(self, nodes: Nodes, symbolic: SymbolicScalars | None = None) -> None:
        self.n = nodes
        self.symbolic = symbolic or SymbolicScalars(nodes, {})

    def above(self, domain: IntDomain | SequenceDomain, node: Node) -> Node:
        """Whether an integer or a length is above its domain's bound."""
        if domain.limit:
            return self.symbolic.exceeds(node, self.symbolic.limit(domain.limit))
        return self.n.lt(self.n.const(number(domain.high)), node)

    def read(self, domain: Domain, source: Iterator[Node]) -> Value:
        """The value whose scalars come next."""
        match domain:
            case IntDomain():
                return NumberValue(self._kept(domain, next(source)))
            case BoolDomain():
                return TruthValue(next(source))
            case SortDomain() | EnumDomain():
                return AtomValue(domain, next(source))
            case OptionalDomain(of=None):
                next(source)
                return self.none()
            case OptionalDomain(of=of) if of is not None and codec(of).plain:
                raw = self._kept(of, next(source), -1) if isinstance(of, IntDomain) else next(source)
                return self.plain_option(self.zero(of), raw)
            case OptionalDomain(of=of) if of is not None:
                present = next(source)
                return OptionValue(present, self.read(of, source))
            case RecordDomain(fields=fields):
                return RecordValue(domain, tuple(self.read(of, source) for _, of in fields))
            case MapDomain(key=key, value=value):
                return MapValue(domain, tuple(self.read(value, source) for _ in range(codec(key).count())))
            case SequenceDomain(of=of, high=high):
                length = self._kept(domain, next(source))
                return SequenceValue(length, tuple(self.read(of, source) for _ in range(number(high))) if of else ())
            case SetDomain(of=of):
                return SetValue(of, tuple(next(source) for _ in masks(domain)), ())
        raise AssertionError(domain)

    def _kept(self, domain: IntDomain | SequenceDomain, node: Node, shift: int = 0) -> Node:
        """A scalar as it is read: with `shift`, never above its domain's limit."""
        if domain.limit:
            self.symbolic.keep_below(node, domain.limit, shift)
        return node

    def none(self) -> OptionValue:
        """The word None."""
        return OptionValue(self.n.false, None, self.n.const(0))

    def plain_option(self, like: Value, raw: Node) -> OptionValue:
        """An optional scalar from its index; where it is absent its value reads as 0."""
        n = self.n
        node = n.max_(n.sub(raw, n.const(1)), n.const(0))
        assert isinstance(like, NumberValue | TruthValue | AtomValue)
        return OptionValue(n.lt(n.const(0), raw), replace(like, node=node), raw)

    def constant(self, domain: Domain, value: Any) -> Value:
        """A member of a bound domain as a value."""
        return self.read(domain, (self.n.const(part) for part in codec(domain).flatten(value)))

    def plain(self, value: object) -> Value:
        """A value that tells its own domain: None, a member of an enumeration, a truth value or an integer."""
        match value:
            case None:
                return self.none()
            case Enum():
                return self.constant(EnumDomain(type(value).__name__, tuple(type(value))), value)
            case bool():
                return TruthValue(self.n.truth(value))
            case int():
                return NumberValue(self.n.const(value))
        raise AssertionError(value)

    def zero(self, domain: Domain) -> Value:
        """The value whose scalars are all zero."""
        return self.read(domain, (self.n.const(0) for _ in codec(domain).scalars("")))

    def option(self, value: Value) -> OptionValue:
        """The value as one that may be absent."""
        if isinstance(value, OptionValue):
            return value
        n, raw = self.n, None
        if isinstance(value, NumberValue | TruthValue | AtomValue) and value.node.low >= 0:
            raw = n.add(value.node, n.const(1))
        return OptionValue(n.true, value, raw)

    def like_zero(self, value: Value) -> Value:
        """The all-zero value of the same shape."""
        zero = self.n.const(0)
        match value:
            case NumberValue():
                return NumberValue(zero)
            case TruthValue():
                return TruthValue(zero)
            case AtomValue(domain=domain):
                return AtomValue(domain, zero)
            case OptionValue(value=inner, raw=raw):
                return OptionValue(zero, inner and self.like_zero(inner), raw and zero)
            case RecordValue(domain=domain, parts=parts):
                return RecordValue(domain, tuple(map(self.like_zero, parts)))
            case MapValue(domain=of, entries=entries):
                return MapValue(of, tuple(map(self.like_zero, entries)))
            case SequenceValue(slots=slots):
                return SequenceValue(zero, tuple(map(self.like_zero, slots)))
            case SetValue(of=of, masks=bits):
                return SetValue(of, tuple(zero for _ in bits), ())
            case NoValue():
                return value
            case _:
                assert_never(value)
