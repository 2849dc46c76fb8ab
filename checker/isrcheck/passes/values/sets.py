"""Sets, equality, and positions in listed domains: each of these needs the others."""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from isrcheck.ir import domains
from isrcheck.ir.codec import MASK_BITS, POSITIONS, Numbering, codec
from isrcheck.ir.scalar import Node
from isrcheck.passes.values import kinds
from isrcheck.passes.values.sums import Sums


class Sets(Sums):
    def equal(self, a: kinds.Value, b: kinds.Value) -> Node:
        n = self.n
        match a, b:
            case kinds.ScalarValue(node=x), kinds.ScalarValue(node=y) if alike(a, b):
                return n.eq(x, y)
            case (kinds.OptionValue(), _) | (_, kinds.OptionValue()):
                return self._equal_options(self.option(a), self.option(b))
            case (kinds.SumValue(), _) | (_, kinds.SumValue()):
                return self.equal_sums(a, b)
            case kinds.RecordValue(domain=one, parts=parts), kinds.RecordValue(domain=other, parts=others):
                if not domains.same_type(one, other):
                    return n.false
                return n.and_(*(self.equal(x, y) for x, y in zip(parts, others, strict=True)))
            case kinds.SequenceValue(), kinds.SequenceValue():
                return self._equal_sequences(a, b)
            case kinds.SetValue(), kinds.SetValue():
                return self._same_sets(a, b)
        return n.false  # of two kinds: arguments of different actions, seen by a step property

    def _equal_options(self, a: kinds.OptionValue, b: kinds.OptionValue) -> Node:
        n = self.n
        if a.raw is not None and b.raw is not None and alike(a.value, b.value):
            return n.eq(a.raw, b.raw)
        if a.value is None or b.value is None:
            return n.not_(n.or_(a.present, b.present)) if a.value or b.value else n.true
        both = n.and_(a.present, b.present, self.equal(a.value, b.value))
        return n.or_(both, n.and_(n.not_(a.present), n.not_(b.present)))

    def _equal_sequences(self, a: kinds.SequenceValue, b: kinds.SequenceValue) -> Node:
        n, slots = self.n, []
        for position, (x, y) in enumerate(zip(a.slots, b.slots, strict=False)):
            beyond = n.false if kinds.same_shape(x, y) else n.le(a.length, n.const(position))
            same = self.equal(x, y)
            slots.append(n.or_(beyond, same))
        lengths = n.eq(a.length, b.length)
        return n.and_(lengths, *slots)

    def _same_sets(self, a: kinds.SetValue, b: kinds.SetValue) -> Node:
        n = self.n
        if a.of is not None and a.of == b.of and not a.further and not b.further:
            return n.and_(*(n.eq(x, y) for x, y in zip(a.masks, b.masks, strict=True)))
        return n.and_(self.subset(a, b), self.subset(b, a))

    def elements(self, a: kinds.SetValue) -> Iterator[tuple[Node, kinds.Value]]:
        """Yield (is there, element) of a set; equal elements may come twice."""
        if a.of is not None:
            for position, value in enumerate(self.members(a.of)):
                present = self.n.bit(a.masks[position // MASK_BITS], position % MASK_BITS)
                if present.high:
                    yield present, value
        yield from a.further

    def distinct(self, a: kinds.SetValue) -> Iterator[tuple[Node, kinds.Value]]:
        """Yield (is there, element) of a set, equal elements once."""
        n = self.n
        further: list[tuple[Node, kinds.Value]] = []
        listed = replace(a, further=())
        yield from self.elements(listed)
        for there, value in a.further:
            again = n.or_(*(n.and_(c, self.equal(v, value)) for c, v in further))
            further.append((there, value))
            yield n.and_(there, n.not_(again)), value

    def tighten(self, a: kinds.SetValue, of: domains.Domain) -> kinds.SetValue:
        """A set listed over `of`; an element outside of it stays a further one."""
        if a.of == of and a.of is not None:
            return a
        empty = kinds.SetValue(of, (self.n.const(0),) * codec(domains.SetDomain(of)).width, ())
        return self.union(empty, replace(a, of=None, masks=(), further=tuple(self.elements(a))))

    def union(self, a: kinds.SetValue, b: kinds.SetValue) -> kinds.SetValue:
        n = self.n
        if a.of is None and b.of:
            a, b = b, a
        if a.of is None:
            return kinds.SetValue(None, (), a.further + b.further)
        if b.of == a.of:
            bits = tuple(n.bit_or(x, y) for x, y in zip(a.masks, b.masks, strict=True))
            return kinds.SetValue(a.of, bits, a.further + b.further)
        masks, further = list(a.masks), list(a.further)
        for here, value in self.elements(b):
            where = self.locate(a.of, value)
            for chunk, mask in enumerate(masks):
                bit = self._bit_in(chunk, len(masks), where.index, n.and_(here, where.inside))
                masks[chunk] = n.bit_or(mask, bit)
            further.append((n.and_(here, n.not_(where.inside)), value))
        return tidy(kinds.SetValue(a.of, tuple(masks), tuple(further)))

    def contains(self, a: kinds.SetValue, value: kinds.Value) -> Node:
        n = self.n
        cases = [n.and_(c, self.equal(v, value)) for c, v in a.further]
        if a.of is not None:
            where = self.locate(a.of, value)
            cases.append(n.and_(where.inside, self._bit_at(a.masks, where)))
        return n.or_(*cases)

    def difference(self, a: kinds.SetValue, b: kinds.SetValue) -> kinds.SetValue:
        n = self.n
        further = tuple((n.and_(c, n.not_(self.contains(b, v))), v) for c, v in a.further)
        return tidy(kinds.SetValue(a.of, self._masks(n.bit_and_not, a, b), further))

    def intersection(self, a: kinds.SetValue, b: kinds.SetValue) -> kinds.SetValue:
        further = tuple((self.n.and_(c, self.contains(b, v)), v) for c, v in a.further)
        return tidy(kinds.SetValue(a.of, self._masks(self.n.bit_and, a, b), further))

    def _masks(self, joined: Callable[[Node, Node], Node], a: kinds.SetValue, b: kinds.SetValue) -> tuple[Node, ...]:
        if a.of is None:
            return ()
        return tuple(joined(x, y) for x, y in zip(a.masks, self.tighten(b, a.of).masks, strict=True))

    def subset(self, a: kinds.SetValue, b: kinds.SetValue) -> Node:
        n = self.n
        if a.of is not None and a.of == b.of and not a.further:
            missing = (n.bit_and_not(x, y) for x, y in zip(a.masks, b.masks, strict=True))
            return n.and_(*(n.eq(m, n.const(0)) for m in missing))
        return n.and_(*(n.or_(n.not_(c), self.contains(b, v)) for c, v in self.elements(a)))

    def size(self, a: kinds.SetValue) -> Node:
        n = self.n
        total = n.const(0)
        for mask in a.masks:
            total = n.add(total, n.popcount(mask))
        for condition, _ in self.distinct(replace(a, of=None, masks=())):
            total = n.add(total, condition)
        return total

    def _bit_in(self, chunk: int, chunks: int, position: Node, condition: Node) -> Node:
        """The bit of a position in this chunk's mask; 0 if the position lies in another, or not `condition`."""
        n, start, here = self.n, chunk * MASK_BITS, condition
        if chunks > 1:
            below = n.lt(position, n.const(start + MASK_BITS))
            here = n.and_(condition, n.le(n.const(start), position), below)
        offset = self._within(n.sub(position, n.const(start)), here, MASK_BITS - 1)
        return n.ite(here, n.shift_left(n.const(1), offset), n.const(0))

    def _bit_at(self, bits: tuple[Node, ...], where: kinds.Located) -> Node:
        n, at = self.n, where.index.low
        if at == where.index.high:
            if not 0 <= at < MASK_BITS * len(bits):
                return n.false
            return n.bit(bits[at // MASK_BITS], at % MASK_BITS)
        singles = (self._bit_in(chunk, len(bits), where.index, where.inside) for chunk in range(len(bits)))
        return n.or_(*(n.lt(n.const(0), n.bit_and(mask, single)) for mask, single in zip(bits, singles, strict=True)))

    def locate(self, domain: domains.Domain, value: kinds.Value, by: Numbering = POSITIONS) -> kinds.Located:
        """The number of a value in a domain."""
        n = self.n
        match domain, value:
            case domains.OptionalDomain(of=of), _:
                return self._locate_option(of, self.option(value), by)
            case _, kinds.OptionValue():
                if value.value is None:
                    return kinds.Located(n.false, n.false, n.const(0))
                where = self.locate(domain, value.value, by)
                inside, above = (n.and_(value.present, each) for each in (where.inside, where.above))
                return kinds.Located(inside, above, where.index)
            case domains.SumDomain(), _:
                return self.locate_member(domain, value, by)
            case _, kinds.SumValue():
                there = self.is_one_of(value, (domain,))
                where = self.locate(domain, self.only(value, (domain,)), by)
                return kinds.Located(n.and_(there, where.inside), n.and_(there, where.above), where.index)
            case domains.IntDomain(), kinds.NumberValue(node=node):
                low, high = domains.span(domain)
                above = self.above(domain, node)
                inside = n.and_(n.not_(above), n.le(n.const(low), node))
                return kinds.Located(inside, above, self._within(self.place_of(domain, node), inside, high - low))
            case domains.BoolDomain(), kinds.TruthValue(node=node):
                return kinds.Located(n.true, n.false, node)
            case _, kinds.AtomValue(node=node, domain=of) if domains.same_type(domain, of):
                return kinds.Located(n.true, n.false, node)
            case domains.RecordDomain(), kinds.RecordValue(domain=of, parts=parts) if domains.same_type(domain, of):
                return self._locate_record(domains.parts(domain), parts, by)
            case domains.SetDomain(of=of), kinds.SetValue() if of is not None:
                above, outside = self.beyond(tight := self.tighten(value, of))
                return kinds.Located(n.not_(n.or_(above, outside)), n.and_(above, n.not_(outside)), tight.masks[0])
        return kinds.Located(n.false, n.false, n.const(0))  # of another kind: an argument of another action

    def beyond(self, value: kinds.SetValue) -> tuple[Node, Node]:
        """Return two conditions: an element is above a bound; an element is outside otherwise."""
        n = self.n
        above = outside = n.false
        for here, element in value.further:
            assert value.of is not None
            where = self.locate(value.of, element)
            above = n.or_(above, n.and_(here, where.above))
            outside = n.or_(outside, n.and_(here, n.not_(where.inside), n.not_(where.above)))
        return above, outside

    def _within(self, a: Node, inside: Node, high: int) -> Node:
        """Within 0 to `high`; else 0."""
        if 0 <= a.low and a.high <= high:
            return a
        n = self.n
        return n.max_(n.const(0), n.min_(n.ite(inside, a, n.const(0)), n.const(high)))

    def _locate_option(self, of: domains.Domain | None, some: kinds.OptionValue, by: Numbering) -> kinds.Located:
        n = self.n
        if of is None or some.value is None:
            return kinds.Located(n.not_(some.present), n.false, n.const(0))
        where = self.locate(of, some.value, by)
        absent = n.not_(some.present)
        position = n.ite(some.present, n.add(where.index, n.const(by.present(of))), n.const(0))
        return kinds.Located(n.or_(absent, where.inside), n.and_(some.present, where.above), position)

    def _locate_record(
        self, parts: Sequence[domains.Domain], values: Sequence[kinds.Value], by: Numbering
    ) -> kinds.Located:
        n = self.n
        places = [self.locate(of, value, by) for of, value in zip(parts, values, strict=True)]
        position = n.const(0)
        for of, where in zip(parts, places, strict=True):
            position = n.add(n.mul(position, n.const(by.size(of))), where.index)
        inside = n.and_(*(w.inside for w in places))
        above = n.and_(n.not_(inside), *(n.or_(w.inside, w.above) for w in places))
        return kinds.Located(inside, above, position)


def tidy(a: kinds.SetValue) -> kinds.SetValue:
    """A set without those further elements that are never there."""
    return replace(a, further=tuple((c, v) for c, v in a.further if c.high))


def alike(a: kinds.Value | None, b: kinds.Value | None) -> bool:
    """Whether indices mean the same."""
    if isinstance(a, kinds.AtomValue) and isinstance(b, kinds.AtomValue):
        return a.domain == b.domain
    return a is None or b is None or type(a) is type(b)
