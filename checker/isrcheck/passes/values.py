"""Values of the model written in scalars: the shapes that expressions have once composite values are taken apart.

A sequence's slots beyond its length, and an absent optional value, are all zero, so that equal values have equal nodes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, assert_never

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
)
from isrcheck.ir.flatten import MASK_BITS, count, flatten, is_plain, masks, number, scalars, values
from isrcheck.ir.scalar import Node
from isrcheck.passes.fold import Nodes
from isrcheck.passes.limits import Frozen


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Atom:
    """A member of a sort or an enumeration, by index."""

    domain: SortDomain | EnumDomain
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """A value that may be absent; `value` is None where it always is.

    `raw` is the index in the optional domain (0 for None), where the value is a single scalar.
    """

    present: Node
    value: "Value | None"
    raw: Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    domain: RecordDomain
    parts: "tuple[Value, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    domain: MapDomain
    entries: "tuple[Value, ...]"  # in the order of the keys


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    length: Node
    slots: "tuple[Value, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Set:
    """The elements of a listed domain as bit masks, and further ones, each with the condition under which it is there.

    `of` is None while no domain is known (a display); then all elements are further ones. No further element lies in
    the domain. Two of them may be equal.
    """

    of: Domain | None
    masks: tuple[Node, ...]
    further: "tuple[tuple[Node, Value], ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Nothing:
    """What an expression gives where it cannot have a value, such as an element of (): that is a fault already."""


Value = Number | Truth | Atom | Option | Record | Map | Sequence | Set | Nothing


@dataclass(frozen=True, slots=True)
class Located:
    """Where a value lies in a listed domain: `index` holds where `inside`; `above` where only a bound is exceeded."""

    inside: Node
    above: Node
    index: Node


class Shapes:
    """Operations on values, over the nodes of one system."""

    def __init__(self, nodes: Nodes, frozen: Frozen | None = None) -> None:
        self.n = nodes
        self.frozen = frozen or Frozen(nodes, {})

    def above(self, domain: IntDomain | SequenceDomain, node: Node) -> Node:
        """Whether an integer or a length is above its domain's bound."""
        if domain.limit:
            return self.frozen.exceeds(node, self.frozen.limit(domain.limit))
        return self.n.lt(self.n.const(number(domain.high)), node)

    # From and to scalars

    def read(self, domain: Domain, source: Iterator[Node]) -> Value:
        """The value whose scalars come next."""
        match domain:
            case IntDomain():
                return Number(self._kept(domain, next(source)))
            case BoolDomain():
                return Truth(next(source))
            case SortDomain() | EnumDomain():
                return Atom(domain, next(source))
            case OptionalDomain(of=None):
                next(source)
                return self.none()
            case OptionalDomain(of=of) if of is not None and is_plain(of):
                raw = self._kept(of, next(source), -1) if isinstance(of, IntDomain) else next(source)
                return self.plain_option(self.zero(of), raw)
            case OptionalDomain(of=of) if of is not None:
                present = next(source)
                return Option(present, self.read(of, source))
            case RecordDomain(fields=fields):
                return Record(domain, tuple(self.read(of, source) for _, of in fields))
            case MapDomain(key=key, value=value):
                return Map(domain, tuple(self.read(value, source) for _ in range(count(key))))
            case SequenceDomain(of=of, high=high):
                length = self._kept(domain, next(source))
                return Sequence(length, tuple(self.read(of, source) for _ in range(number(high))) if of else ())
            case SetDomain(of=of):
                return Set(of, tuple(next(source) for _ in masks(domain)), ())
        raise AssertionError(domain)

    def _kept(self, domain: IntDomain | SequenceDomain, node: Node, shift: int = 0) -> Node:
        """A scalar as it is read: with `shift`, never above its domain's limit."""
        if domain.limit:
            self.frozen.keep_below(node, domain.limit, shift)
        return node

    def none(self) -> Option:
        """The word None."""
        return Option(self.n.false, None, self.n.const(0))

    def plain_option(self, like: Value, raw: Node) -> Option:
        """An optional scalar from its index; where it is absent its value reads as 0."""
        n = self.n
        node = n.max_(n.sub(raw, n.const(1)), n.const(0))
        assert isinstance(like, Number | Truth | Atom)
        return Option(n.lt(n.const(0), raw), replace(like, node=node), raw)

    def constant(self, domain: Domain, value: Any) -> Value:
        """A member of a bound domain as a value."""
        return self.read(domain, (self.n.const(part) for part in flatten(domain, value)))

    def zero(self, domain: Domain) -> Value:
        """The value whose scalars are all zero."""
        return self.read(domain, (self.n.const(0) for _ in scalars(domain, "")))

    def write(self, domain: Domain, value: Value) -> tuple[list[Node], Node, Node]:
        """A value's scalars in a domain, the condition of being above a bound, and that of being outside otherwise."""
        writer = _Writer(self)
        writer.put(domain, value, self.n.true)
        return writer.found, writer.above, writer.outside

    # Choices

    def merge(self, condition: Node, then: Value, other: Value) -> Value:
        """`then` where the condition is 1, else `other`."""
        if then is other or condition.low == 1 or isinstance(other, Nothing):
            return then
        if condition.high == 0 or isinstance(then, Nothing):
            return other
        n = self.n
        match then, other:
            case Number(node=a), Number(node=b):
                return Number(n.ite(condition, a, b))
            case Truth(node=a), Truth(node=b):
                return Truth(n.ite(condition, a, b))
            case Atom(domain=domain, node=a), Atom(node=b):
                return Atom(domain, n.ite(condition, a, b))
            case (Option(), _) | (_, Option()):
                return self._merge_options(condition, self.option(then), self.option(other))
            case Record(domain=domain, parts=a), Record(parts=b):
                return Record(domain, tuple(self.merge(condition, x, y) for x, y in zip(a, b, strict=True)))
            case Map(domain=domain, entries=a), Map(entries=b):
                return Map(domain, tuple(self.merge(condition, x, y) for x, y in zip(a, b, strict=True)))
            case Sequence(), Sequence():
                return self._merge_sequences(condition, then, other)
            case Set(), Set():
                return self._merge_sets(condition, then, other)
        raise AssertionError(f"{type(then).__name__} and {type(other).__name__} never meet")

    def option(self, value: Value) -> Option:
        """The value as one that may be absent."""
        if isinstance(value, Option):
            return value
        n, raw = self.n, None
        if isinstance(value, Number | Truth | Atom) and value.node.low >= 0:
            raw = n.add(value.node, n.const(1))
        return Option(n.true, value, raw)

    def _merge_options(self, condition: Node, then: Option, other: Option) -> Option:
        some = then.value or other.value
        if then.raw is not None and other.raw is not None and some is not None:
            return self.plain_option(some, self.n.ite(condition, then.raw, other.raw))
        present = self.n.ite(condition, then.present, other.present)
        if then.value is None or other.value is None:
            if some is None:
                return self.none()
            absent = self.like_zero(some)
            return Option(present, self.merge(condition, then.value or absent, other.value or absent))
        return Option(present, self.merge(condition, then.value, other.value))

    def like_zero(self, value: Value) -> Value:
        """The all-zero value of the same shape."""
        zero = self.n.const(0)
        match value:
            case Number():
                return Number(zero)
            case Truth():
                return Truth(zero)
            case Atom(domain=domain):
                return Atom(domain, zero)
            case Option(value=inner, raw=raw):
                return Option(zero, inner and self.like_zero(inner), raw and zero)
            case Record(domain=domain, parts=parts):
                return Record(domain, tuple(map(self.like_zero, parts)))
            case Map(domain=of, entries=entries):
                return Map(of, tuple(map(self.like_zero, entries)))
            case Sequence(slots=slots):
                return Sequence(zero, tuple(map(self.like_zero, slots)))
            case Set(of=of, masks=bits):
                return Set(of, tuple(zero for _ in bits), ())
            case Nothing():
                return value
            case _:
                assert_never(value)

    def _merge_sequences(self, condition: Node, then: Sequence, other: Sequence) -> Sequence:
        slots = []
        for position in range(max(len(then.slots), len(other.slots))):
            some = (then.slots if position < len(then.slots) else other.slots)[position]
            a, b = (s.slots[position] if position < len(s.slots) else self.like_zero(some) for s in (then, other))
            in_then, in_other = (self.n.lt(self.n.const(position), s.length) for s in (then, other))
            slots.append(self.merge(condition, self.padded(a, b, in_then), self.padded(b, a, in_other)))
        return Sequence(self.n.ite(condition, then.length, other.length), tuple(slots))

    def padded(self, slot: Value, like: Value, used: Node) -> Value:
        """A slot of a sequence that is to meet another: where it is not used, it is what both take for zero."""
        return slot if _of_one_shape(slot, like) else self.merge(used, slot, self._common_zero(slot, like))

    def _common_zero(self, a: Value, b: Value) -> Value:
        """The all-zero value of what two values become when they meet: None for a part that may be absent in one."""
        match a, b:
            case Record(domain=domain, parts=parts), Record(parts=others):
                return Record(domain, tuple(map(self._common_zero, parts, others)))
        return self.like_zero(a if isinstance(a, Option) else b)

    def _merge_sets(self, condition: Node, then: Set, other: Set) -> Set:
        n = self.n
        of = then.of or other.of
        if of is None:
            absent = n.not_(condition)
            further = [(n.and_(condition, c), v) for c, v in then.further]
            further += [(n.and_(absent, c), v) for c, v in other.further]
            return self._tidy(Set(None, (), tuple(further)))
        then, other = self.tighten(then, of), self.tighten(other, of)
        bits = tuple(n.ite(condition, a, b) for a, b in zip(then.masks, other.masks, strict=True))
        further = [(n.and_(condition, c), v) for c, v in then.further]
        further += [(n.and_(n.not_(condition), c), v) for c, v in other.further]
        return self._tidy(Set(of, bits, tuple(further)))

    def _tidy(self, a: Set) -> Set:
        return replace(a, further=tuple((c, v) for c, v in a.further if c.high))

    # Equality

    def equal(self, a: Value, b: Value) -> Node:
        """Whether two values are the same."""
        n = self.n
        match a, b:
            case (Number(node=x), Number(node=y)) | (Truth(node=x), Truth(node=y)):
                return n.eq(x, y)
            case Atom(domain=one, node=x), Atom(domain=two, node=y) if one == two:
                return n.eq(x, y)
            case (Option(), _) | (_, Option()):
                return self._equal_options(self.option(a), self.option(b))
            case Record(parts=parts), Record(parts=others):
                return n.and_(*(self.equal(x, y) for x, y in zip(parts, others, strict=True)))
            case Sequence(), Sequence():
                return self._equal_sequences(a, b)
            case Set(), Set():
                return self._equal_sets(a, b)
        return n.false  # of two kinds: arguments of different actions, seen by a step property

    def _equal_options(self, a: Option, b: Option) -> Node:
        n = self.n
        if a.raw is not None and b.raw is not None and _alike(a.value, b.value):
            return n.eq(a.raw, b.raw)
        if a.value is None or b.value is None:
            return n.not_(n.or_(a.present, b.present)) if a.value or b.value else n.true
        both = n.and_(a.present, b.present, self.equal(a.value, b.value))
        return n.or_(both, n.and_(n.not_(a.present), n.not_(b.present)))

    def _equal_sequences(self, a: Sequence, b: Sequence) -> Node:
        n = self.n
        slots = []
        for position, (x, y) in enumerate(zip(a.slots, b.slots, strict=False)):
            beyond = n.false if _of_one_shape(x, y) else n.le(a.length, n.const(position))
            slots.append(n.or_(beyond, self.equal(x, y)))
        return n.and_(n.eq(a.length, b.length), *slots)

    def _equal_sets(self, a: Set, b: Set) -> Node:
        n = self.n
        if a.of is not None and a.of == b.of and not a.further and not b.further:
            return n.and_(*(n.eq(x, y) for x, y in zip(a.masks, b.masks, strict=True)))
        return n.and_(self.subset(a, b), self.subset(b, a))

    # Sets

    def elements(self, a: Set) -> Iterator[tuple[Node, Value]]:
        """Every element with the condition under which it is there; equal ones may come twice."""
        if a.of is not None:
            for position, value in enumerate(values(a.of)):
                present = self.n.bit(a.masks[position // MASK_BITS], position % MASK_BITS)
                if present.high:
                    yield present, self.constant(a.of, value)
        yield from a.further

    def distinct(self, a: Set) -> Iterator[tuple[Node, Value]]:
        """Every element once, with the condition under which it is there."""
        n = self.n
        further: list[tuple[Node, Value]] = []
        listed = replace(a, further=())
        yield from self.elements(listed)
        for condition, value in a.further:
            again = n.or_(*(n.and_(c, self.equal(v, value)) for c, v in further))
            further.append((condition, value))
            yield n.and_(condition, n.not_(again)), value

    def tighten(self, a: Set, of: Domain) -> Set:
        """The same set over this domain; what is certainly outside it stays a further element."""
        if a.of == of and a.of is not None:
            return a
        empty = Set(of, tuple(self.n.const(0) for _ in masks(SetDomain(of))), ())
        return self.union(empty, replace(a, of=None, masks=(), further=tuple(self.elements(a))))

    def union(self, a: Set, b: Set) -> Set:
        n = self.n
        if a.of is None and b.of is not None:
            a, b = b, a
        if a.of is None:
            return Set(None, (), a.further + b.further)
        if b.of == a.of:
            bits = tuple(n.bit_or(x, y) for x, y in zip(a.masks, b.masks, strict=True))
            return Set(a.of, bits, a.further + b.further)
        found, further = list(a.masks), list(a.further)
        for condition, value in self.elements(b):
            where = self.locate(a.of, value)
            self._insert(found, n.and_(condition, where.inside), where.index)
            further.append((n.and_(condition, n.not_(where.inside)), value))
        return self._tidy(Set(a.of, tuple(found), tuple(further)))

    def _insert(self, found: list[Node], condition: Node, position: Node) -> None:
        """Sets the bit of an element, where the condition holds."""
        for chunk in range(len(found)):
            bit = self._bit_in(chunk, len(found), position, condition)
            found[chunk] = self.n.bit_or(found[chunk], bit)

    def _bit_in(self, chunk: int, chunks: int, position: Node, condition: Node) -> Node:
        """The mask with this position's bit, if it lies in this chunk and the condition holds; else 0."""
        n = self.n
        start = chunk * MASK_BITS
        here = condition
        if chunks > 1:
            below = n.lt(position, n.const(start + MASK_BITS))
            here = n.and_(condition, n.le(n.const(start), position), below)
        offset = self._clamped(n.sub(position, n.const(start)), here)
        return n.ite(here, n.shift_left(n.const(1), offset), n.const(0))

    def _clamped(self, node: Node, valid: Node) -> Node:
        """The node itself where it is known to be a shift, else 0 where it would not be valid."""
        if 0 <= node.low and node.high < MASK_BITS:
            return node
        n = self.n
        chosen = n.ite(valid, node, n.const(0))
        return n.max_(n.const(0), n.min_(chosen, n.const(MASK_BITS - 1)))

    def contains(self, a: Set, value: Value) -> Node:
        n = self.n
        found = [n.and_(c, self.equal(v, value)) for c, v in a.further]
        if a.of is not None:
            where = self.locate(a.of, value)
            found.append(n.and_(where.inside, self._bit_at(a.masks, where)))
        return n.or_(*found)

    def _bit_at(self, bits: tuple[Node, ...], where: Located) -> Node:
        n = self.n
        if where.index.low == where.index.high:
            position = where.index.low
            if not 0 <= position < MASK_BITS * len(bits):
                return n.false
            return n.bit(bits[position // MASK_BITS], position % MASK_BITS)
        found = []
        for chunk, mask in enumerate(bits):
            single = self._bit_in(chunk, len(bits), where.index, where.inside)
            found.append(n.lt(n.const(0), n.bit_and(mask, single)))
        return n.or_(*found)

    def difference(self, a: Set, b: Set) -> Set:
        n = self.n
        further = tuple((n.and_(c, n.not_(self.contains(b, v))), v) for c, v in a.further)
        if a.of is None:
            return self._tidy(Set(None, (), further))
        if a.of == b.of:
            bits = tuple(n.bit_and_not(x, y) for x, y in zip(a.masks, b.masks, strict=True))
        else:
            tight = self.tighten(b, a.of)
            bits = tuple(n.bit_and_not(x, y) for x, y in zip(a.masks, tight.masks, strict=True))
        return self._tidy(Set(a.of, bits, further))

    def intersection(self, a: Set, b: Set) -> Set:
        n = self.n
        further = tuple((n.and_(c, self.contains(b, v)), v) for c, v in a.further)
        if a.of is None:
            return self._tidy(Set(None, (), further))
        tight = self.tighten(b, a.of)
        bits = tuple(n.bit_and(x, y) for x, y in zip(a.masks, tight.masks, strict=True))
        return self._tidy(Set(a.of, bits, further))

    def subset(self, a: Set, b: Set) -> Node:
        n = self.n
        if a.of is not None and a.of == b.of and not a.further:
            missing = (n.bit_and_not(x, y) for x, y in zip(a.masks, b.masks, strict=True))
            return n.and_(*(n.eq(m, n.const(0)) for m in missing))
        return n.and_(*(n.or_(n.not_(c), self.contains(b, v)) for c, v in self.elements(a)))

    def size(self, a: Set) -> Node:
        n = self.n
        total = n.const(0)
        for mask in a.masks:
            total = n.add(total, n.popcount(mask))
        for condition, _ in self.distinct(replace(a, of=None, masks=())):
            total = n.add(total, condition)
        return total

    # Positions in a domain

    def locate(self, domain: Domain, value: Value) -> Located:
        """Where a value lies in the order of a listed domain."""
        n = self.n
        match domain, value:
            case OptionalDomain(of=of), _:
                return self._locate_option(of, self.option(value))
            case _, Option(present=present, value=inner):
                if inner is None:
                    return Located(n.false, n.false, n.const(0))
                where = self.locate(domain, inner)
                return Located(n.and_(present, where.inside), n.and_(present, where.above), where.index)
            case IntDomain(high=high), Number(node=node):
                above = self.above(domain, node)
                inside = n.and_(n.not_(above), n.le(n.const(0), node))
                return Located(inside, above, self._within(node, inside, number(high)))
            case (BoolDomain(), Truth(node=node)) | (SortDomain() | EnumDomain(), Atom(node=node)):
                return Located(n.true, n.false, node)
            case RecordDomain(fields=fields), Record(parts=parts):
                return self._locate_record(fields, parts)
            case SetDomain(of=of), Set() if of is not None:
                above, outside = self.beyond(tight := self.tighten(value, of))
                return Located(n.not_(n.or_(above, outside)), n.and_(above, n.not_(outside)), tight.masks[0])
            case _, Nothing():
                return Located(n.false, n.false, n.const(0))
        raise AssertionError(f"{type(value).__name__} is never in {domain}")

    def beyond(self, value: Set) -> tuple[Node, Node]:
        """Whether a set has an element above a bound of its domain, and whether it has one outside otherwise."""
        n = self.n
        above = outside = n.false
        for condition, element in value.further:
            assert value.of is not None
            where = self.locate(value.of, element)
            above = n.or_(above, n.and_(condition, where.above))
            outside = n.or_(outside, n.and_(condition, n.not_(where.inside), n.not_(where.above)))
        return above, outside

    def _within(self, node: Node, inside: Node, high: int) -> Node:
        if 0 <= node.low and node.high <= high:
            return node
        n = self.n
        return n.max_(n.const(0), n.min_(n.ite(inside, node, n.const(0)), n.const(high)))

    def _locate_option(self, of: Domain | None, value: Option) -> Located:
        n = self.n
        if of is None or value.value is None:
            return Located(n.not_(value.present), n.false, n.const(0))
        where = self.locate(of, value.value)
        absent = n.not_(value.present)
        position = n.ite(value.present, n.add(where.index, n.const(1)), n.const(0))
        return Located(n.or_(absent, where.inside), n.and_(value.present, where.above), position)

    def _locate_record(self, fields: tuple[tuple[str, Domain], ...], parts: tuple[Value, ...]) -> Located:
        n = self.n
        found = [self.locate(of, part) for (_, of), part in zip(fields, parts, strict=True)]
        position = n.const(0)
        for (_, of), where in zip(fields, found, strict=True):
            position = n.add(n.mul(position, n.const(count(of))), where.index)
        inside = n.and_(*(w.inside for w in found))
        above = n.and_(n.not_(inside), *(n.or_(w.inside, w.above) for w in found))
        return Located(inside, above, position)


def _has_other_zero(domain: Domain, value: Value) -> bool:
    """Whether a part that may be absent in its domain never is in this value: its zero means 0 and not None."""
    match domain, value:
        case OptionalDomain(), _:
            return not isinstance(value, Option)
        case RecordDomain(fields=fields), Record(parts=parts):
            return any(_has_other_zero(of, part) for (_, of), part in zip(fields, parts, strict=True))
    return False


def _of_one_shape(a: Value, b: Value) -> bool:
    """Whether two values have the same parts that may be absent, so that zero means the same in both."""
    match a, b:
        case (Option(), _) | (_, Option()):
            return isinstance(a, Option) and isinstance(b, Option)
        case Record(parts=parts), Record(parts=others):
            return all(map(_of_one_shape, parts, others))
    return True


def _alike(a: Value | None, b: Value | None) -> bool:
    """Whether the indices of two single scalars mean the same."""
    if isinstance(a, Atom) and isinstance(b, Atom):
        return a.domain == b.domain
    return a is None or b is None or type(a) is type(b)


class _Writer:
    """Collects the scalars of one value; `above` and `outside` only count where `there` is 1."""

    def __init__(self, shapes: Shapes) -> None:
        self.s, self.n = shapes, shapes.n
        self.found: list[Node] = []
        self.above = self.outside = self.n.false

    def put(self, domain: Domain, value: Value, there: Node) -> None:
        n = self.n
        match domain, value:
            case OptionalDomain(of=of), _:
                self._put_option(of, self.s.option(value), there)
            case _, Option(present=present, value=inner):
                self.outside = n.or_(self.outside, n.and_(there, n.not_(present)))
                self.put(domain, inner if inner is not None else self.s.zero(domain), n.and_(there, present))
            case IntDomain(), Number(node=node):
                self.above = n.or_(self.above, n.and_(there, self.s.above(domain, node)))
                self.outside = n.or_(self.outside, n.and_(there, n.lt(node, n.const(0))))
                self.found.append(node)
            case (BoolDomain(), Truth(node=node)) | (SortDomain() | EnumDomain(), Atom(node=node)):
                self.found.append(node)
            case RecordDomain(fields=fields), Record(parts=parts):
                for (_, of), part in zip(fields, parts, strict=True):
                    self.put(of, part, there)
            case MapDomain(key=key, value=of), Map(entries=entries):
                self._put_map(count(key), of, entries, there)
            case SequenceDomain(), Sequence():
                self._put_sequence(domain, value, there)
            case SetDomain(), Set():
                self._put_set(domain, value, there)
            case _, Nothing():
                self.put(domain, self.s.zero(domain), there)
            case _:
                raise AssertionError(f"{type(value).__name__} is never in {domain}")

    def _put_map(self, keys: int, of: Domain, entries: tuple[Value, ...], there: Node) -> None:
        """A map's values; one made over a range may have too many keys or too few."""
        if len(entries) > keys:
            self.above = self.n.or_(self.above, there)
        if len(entries) < keys:
            self.outside = self.n.or_(self.outside, there)
        missing = (self.s.zero(of) for _ in range(keys - len(entries)))
        for entry in (*entries[:keys], *missing):
            self.put(of, entry, there)

    def _put_option(self, of: Domain | None, value: Option, there: Node) -> None:
        n = self.n
        if of is None:
            self.found.append(n.const(0))
        elif is_plain(of) and value.raw is not None and value.raw.high <= count(of):
            if isinstance(of, IntDomain) and of.limit and isinstance(value.value, Number):
                above = n.and_(there, value.present, self.s.above(of, value.value.node))
                self.above = n.or_(self.above, above)
            self.found.append(value.raw)
        elif is_plain(of):
            inner = value.value if value.value is not None else self.s.zero(of)
            self.put(of, inner, n.and_(there, value.present))
            self.found[-1] = n.ite(value.present, n.add(self.found[-1], n.const(1)), n.const(0))
        else:
            self.found.append(value.present)
            inner = value.value if value.value is not None else self.s.zero(of)
            self._put_or_zero(of, self.s.merge(value.present, inner, self.s.like_zero(inner)), there, value.present)

    def _put_sequence(self, domain: SequenceDomain, value: Sequence, there: Node) -> None:
        n, of, high = self.n, domain.of, number(domain.high)
        self.above = n.or_(self.above, n.and_(there, self.s.above(domain, value.length)))
        self.found.append(n.min_(value.length, n.const(high)))
        if of is None:
            return
        end = len(self.found) + high * sum(1 for _ in scalars(of, ""))
        for position, slot in enumerate(value.slots):
            self._put_or_zero(of, slot, there, n.lt(n.const(position), value.length))
        del self.found[end:]
        self.found.extend([n.const(0)] * (end - len(self.found)))

    def _put_or_zero(self, of: Domain, value: Value, there: Node, used: Node) -> None:
        """A value that is zero where it is not used, also if its zero is not that of its domain."""
        start = len(self.found)
        self.put(of, value, self.n.and_(there, used))
        if _has_other_zero(of, value):
            self.found[start:] = [self.n.ite(used, part, self.n.const(0)) for part in self.found[start:]]

    def _put_set(self, domain: SetDomain, value: Set, there: Node) -> None:
        n = self.n
        if domain.of is None:
            self.found.append(n.const(0))
            return
        tight = self.s.tighten(value, domain.of)
        above, outside = self.s.beyond(tight)
        self.above = n.or_(self.above, n.and_(there, above))
        self.outside = n.or_(self.outside, n.and_(there, outside))
        self.found.extend(tight.masks)
