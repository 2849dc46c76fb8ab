"""Sets and maps in slots (ir/slots.py): everything that is done with them, in scalars.

A set or map at work may have more slots than its variable; those in front must be empty when it is written. So nothing
is ever lost on the way, and a step that needs more slots is known as such.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from isrcheck.ir import domains
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import SlotMapDomain, SlotSetDomain
from isrcheck.ir.scalar import Node
from isrcheck.ir.slots import code_bits, code_of, tag_bits
from isrcheck.passes.values import kinds
from isrcheck.passes.values.sets import Sets, tidy
from isrcheck.passes.values.sums import cases_of

Slots = tuple[Node, ...]


class Absent(Struct, frozen=True):
    """An element that none of these slots has, whatever the state."""

    slots: Slots
    word: Node


class SlotShapes(Sets, ABC):
    absent: Absent | None = None

    @abstractmethod
    def merge(self, condition: Node, then: kinds.Value, other: kinds.Value) -> kinds.Value:
        """A choice."""

    def read(self, domain: domains.Domain, source: Iterator[Node]) -> kinds.Value:
        match domain:
            case SlotSetDomain(of=of, slots=count) if of is not None:
                return kinds.SlotSet(of, tuple(next(source) for _ in range(count)), ())
            case SlotMapDomain(value=value, slots=count):
                pairs = [(next(source), self.read(value, source)) for _ in range(count)]
                default = self.constant(value, domain.default)
                return kinds.SlotMap(domain, tuple(w for w, _ in pairs), tuple(v for _, v in pairs), default)
        return super().read(domain, source)

    # Words: what a slot has for an element

    def word(self, domain: domains.Domain, value: kinds.Value) -> kinds.Located:
        """Its index is what a slot has."""
        if isinstance(value, kinds.SlotRecord) and value.domain == domain:
            return kinds.Located(self.n.true, self.n.false, value.word)
        if isinstance(value, kinds.SumValue) and value.word is not None and _has_members(domain, value.members):
            return kinds.Located(self.n.true, self.n.false, value.word)
        where = self._coded(domain, value)
        return replace(where, index=self.n.add(self.n.shift_left(where.index, self.n.true), self.n.true))

    def _coded(self, domain: domains.Domain, value: kinds.Value) -> kinds.Located:
        n = self.n
        match domain, value:
            case domains.OptionalDomain(of=of), _ if of is not None and not codec(of).plain:
                some = self.option(value)
                if some.value is None:
                    return kinds.Located(n.not_(some.present), n.false, n.const(0))
                where = self._coded(of, some.value)
                code = n.ite(some.present, n.add(where.index, n.const(1 << code_bits(of))), n.const(0))
                inside = n.or_(n.not_(some.present), where.inside)
                return kinds.Located(inside, n.and_(some.present, where.above), code)
            case domains.SumDomain(), _ if not isinstance(value, kinds.OptionValue | kinds.NoValue):
                return self._coded_member(domain, value)
            case domains.RecordDomain() | domains.SumDomain(), kinds.OptionValue(value=inner) if inner is not None:
                where = self._coded(domain, inner)
                inside, above = (n.and_(value.present, each) for each in (where.inside, where.above))
                return kinds.Located(inside, above, where.index)
            case domains.RecordDomain(fields=fields), kinds.RecordValue(parts=parts):
                found = [self._coded(of, part) for (_, of), part in zip(fields, parts, strict=True)]
                code = n.const(0)
                for (_, of), part in zip(fields, found, strict=True):
                    code = n.add(n.shift_left(code, n.const(code_bits(of))), part.index)
                inside = n.and_(*(each.inside for each in found))
                above = n.and_(n.not_(inside), *(n.or_(each.inside, each.above) for each in found))
                return kinds.Located(inside, above, code)
        return self.locate(domain, value)

    def _coded_member(self, domain: domains.SumDomain, value: kinds.Value) -> kinds.Located:
        n = self.n
        inside, above, code = n.false, n.false, n.const(0)
        for place, member in enumerate(domain.members):
            for case in (case for of, case in cases_of(value) if domains.same_type(of, member)):
                there, where = self.is_one_of(value, (member,)), self._coded(member, case)
                inside = n.or_(inside, n.and_(there, where.inside))
                above = n.or_(above, n.and_(there, where.above))
                tag = n.const(place << code_bits(domain) - tag_bits(domain))
                code = n.ite(there, n.add(where.index, tag), code)
        return kinds.Located(inside, above, code)

    def element(self, domain: domains.Domain, word: Node) -> kinds.Value:
        """The other way, for a slot's word; of an empty one the first of the domain."""
        match found := self._element(domain, word, 1):
            case kinds.RecordValue(domain=of, parts=parts):
                return kinds.SlotRecord(of, parts, word)
            case kinds.SumValue():
                return replace(found, word=word)
        return found

    def _element(self, domain: domains.Domain, word: Node, shift: int) -> kinds.Value:
        n = self.n
        match domain:
            case domains.RecordDomain(fields=fields):
                parts = []
                for _, field in reversed(fields):
                    parts.append(self._element(field, word, shift))
                    shift += code_bits(field)
                return kinds.RecordValue(domain, tuple(reversed(parts)))
            case domains.OptionalDomain(of=of) if of is not None and not codec(of).plain:
                present = n.field(word, shift + code_bits(of), 2)
                return kinds.OptionValue(present, self._element(of, word, shift), zeroed=True)
            case domains.SumDomain(members=members):
                tag = n.field(word, shift + code_bits(domain) - tag_bits(domain), len(members))
                own = (n.ite(n.eq(tag, n.const(place)), word, n.const(0)) for place in range(len(members)))
                cases = tuple(self._element(member, part, shift) for member, part in zip(members, own, strict=True))
                return kinds.SumValue(members, tag, cases)
        return self.read(domain, iter((n.field(word, shift, codec(domain).count()),)))

    # Slots

    def _places(self, slots: Slots, word: Node) -> list[Node]:
        """Whether it is in each."""
        if self.absent is not None and self.absent.word is word and self.absent.slots == slots:
            return [self.n.false] * len(slots)
        if any(slot is word for slot in slots):
            return [self.n.truth(slot is word) for slot in slots]
        return [self.n.eq(slot, word) for slot in slots]

    def _shifts(self, slots: Slots, word: Node) -> list[tuple[Node, Node]]:
        """For each place after an insertion: whether what was above it moves there, and whether the word goes there."""
        n = self.n
        smaller = [n.lt(slot, word) for slot in (n.const(0), *slots)]
        return list(zip([*smaller[1:], n.false], smaller, strict=True))

    def _inserted(self, slots: Slots, word: Node) -> Slots:
        """One more; 0 is none, and no slot has it."""
        n, old = self.n, (self.n.const(0), *slots)
        following = (*slots, n.const(0))
        moves = zip(self._shifts(slots, word), old, following, strict=True)
        return tuple(n.ite(moved, after, n.ite(here, word, slot)) for (moved, here), slot, after in moves)

    def _moved_up(self, slots: Slots, word: Node, places: list[Node], there: Node) -> list[Node]:
        """For each slot whether that before it moves there, as the word is removed."""
        n = self.n
        if any(place.low for place in places):
            at = next(i for i, place in enumerate(places) if place.low)
            return [n.and_(there, n.truth(i <= at)) for i in range(len(slots))]
        found = n.and_(there, n.or_(*places))
        return [n.and_(found, n.not_(n.lt(word, slot))) for slot in slots]

    def _removed(self, slots: Slots, word: Node, there: Node) -> Slots:
        moves = self._moved_up(slots, word, self._places(slots, word), there)
        before = (self.n.const(0), *slots)
        return tuple(self.n.ite(up, b, slot) for up, b, slot in zip(moves, before, slots, strict=False))

    def _padded(self, slots: Slots, count: int) -> Slots:
        return (self.n.const(0),) * (count - len(slots)) + slots

    # Sets

    def elements(self, a: kinds.SetValue) -> Iterator[tuple[Node, kinds.Value]]:
        if not isinstance(a, kinds.SlotSet):
            yield from super().elements(a)
            return
        for slot in a.masks:
            if slot.high:
                yield self.n.bit(slot, 0), self.element(a.of, slot)
        yield from a.further

    def display(self, a: kinds.SetValue) -> kinds.SetValue:
        return kinds.SetValue(None, (), tuple(self.elements(a))) if isinstance(a, kinds.SlotSet) else a

    def slotted(self, of: domains.Domain, a: kinds.SetValue) -> kinds.SlotSet:
        if isinstance(a, kinds.SlotSet):
            return a
        found = kinds.SlotSet(of, (), ())
        for there, value in self.elements(a):
            found = self._with(found, there, value)
        return found

    def _with(self, a: kinds.SlotSet, there: Node, value: kinds.Value) -> kinds.SlotSet:
        n = self.n
        where = self.word(a.of, value)
        again = n.or_(*self._places(a.masks, where.index))
        word = n.ite(n.and_(there, where.inside, n.not_(again)), where.index, n.const(0))
        slots = a.masks if word.high == 0 else self._inserted(a.masks, word)
        beyond = n.and_(there, n.not_(where.inside))
        return kinds.SlotSet(a.of, slots, a.further + (((beyond, value),) if beyond.high else ()))

    def _pair(self, a: kinds.SetValue, b: kinds.SetValue) -> tuple[kinds.SetValue, kinds.SetValue]:
        """Both without slots if one has masks."""
        masks = any(each.of is not None and not isinstance(each, kinds.SlotSet) for each in (a, b))
        return (self.display(a), self.display(b)) if masks else (a, b)

    def tighten(self, a: kinds.SetValue, of: domains.Domain) -> kinds.SetValue:
        return super().tighten(self.display(a), of)

    def union(self, a: kinds.SetValue, b: kinds.SetValue) -> kinds.SetValue:
        a, b = self._pair(a, b)
        if isinstance(b, kinds.SlotSet) and not isinstance(a, kinds.SlotSet):
            a, b = b, a
        if not isinstance(a, kinds.SlotSet):
            return super().union(a, b)
        for there, value in self.elements(b):
            a = self._with(a, there, value)
        return a

    def contains(self, a: kinds.SetValue, value: kinds.Value) -> Node:
        if not isinstance(a, kinds.SlotSet):
            return super().contains(a, value)
        n = self.n
        where = self.word(a.of, value)
        found = [n.and_(where.inside, n.or_(*self._places(a.masks, where.index)))]
        found += [n.and_(c, self.equal(v, value)) for c, v in a.further]
        return n.or_(*found)

    def difference(self, a: kinds.SetValue, b: kinds.SetValue) -> kinds.SetValue:
        a, b = self._pair(a, b)
        if not isinstance(a, kinds.SlotSet):
            return super().difference(a, b)
        n, slots = self.n, a.masks
        for there, value in self.elements(b):
            where = self.word(a.of, value)
            slots = self._removed(slots, where.index, n.and_(there, where.inside))
        further = tuple((n.and_(c, n.not_(self.contains(b, v))), v) for c, v in a.further)
        return tidy(kinds.SlotSet(a.of, slots, further))

    def intersection(self, a: kinds.SetValue, b: kinds.SetValue) -> kinds.SetValue:
        a, b = self._pair(a, b)
        if not isinstance(a, kinds.SlotSet):
            return super().intersection(a, b)
        few, many = (a, b) if isinstance(b, kinds.SlotSet) else (b, a)
        both = ((self.n.and_(there, self.contains(many, value)), value) for there, value in self.elements(few))
        return tidy(kinds.SetValue(None, (), tuple(both)))

    def subset(self, a: kinds.SetValue, b: kinds.SetValue) -> Node:
        return super().subset(*((self.display(a), b) if isinstance(a, kinds.SlotSet) else (a, b)))

    def _same_sets(self, a: kinds.SetValue, b: kinds.SetValue) -> Node:
        if not (isinstance(a, kinds.SlotSet) and isinstance(b, kinds.SlotSet) and a.of == b.of):
            return super()._same_sets(self.display(a), self.display(b))
        if a.further or b.further:
            return super()._same_sets(self.display(a), self.display(b))
        return self.n.and_(*(self.n.eq(x, y) for x, y in self._aligned(a.masks, b.masks)))

    def _aligned(self, a: Slots, b: Slots) -> list[tuple[Node, Node]]:
        count = max(len(a), len(b))
        return list(zip(self._padded(a, count), self._padded(b, count), strict=True))

    def size(self, a: kinds.SetValue) -> Node:
        if not isinstance(a, kinds.SlotSet):
            return super().size(a)
        total = super().size(kinds.SetValue(None, (), a.further))
        for slot in a.masks:
            total = self.n.add(total, self.n.bit(slot, 0))
        return total

    # Maps

    def under_key(self, a: kinds.SlotMap, word: Node) -> kinds.Value:
        places = self._places(a.slots, word)
        if any(place.low for place in places):  # a parameter from these slots, and the slot is not empty
            return a.entries[[place.low for place in places].index(1)]
        result = a.default
        for place, entry in zip(places, a.entries, strict=True):
            result = self.merge(place, entry, result)
        return result

    def with_key(self, a: kinds.SlotMap, where: kinds.Located, value: kinds.Value, there: Node) -> kinds.SlotMap:
        """What then has its default goes."""
        n = self.n
        word, there = where.index, n.and_(there, where.inside)
        places = self._places(a.slots, word)
        is_default = self.equal(value, a.default)
        entries = tuple(self.merge(n.and_(there, p), value, e) for p, e in zip(places, a.entries, strict=True))
        new = n.and_(there, n.not_(n.or_(*places)), n.not_(is_default))
        if is_default.high:
            gone = self._moved_up(a.slots, word, places, n.and_(there, is_default))
            a = self._shifted(replace(a, entries=entries), gone)
            entries = a.entries
        a = replace(a, entries=entries)
        return self._placed(a, n.ite(new, word, n.const(0)), value) if new.high else a

    def kept(self, domain: domains.Domain, value: kinds.Value) -> kinds.Value:
        """A map made whole, as this variable has it."""
        if not isinstance(domain, SlotMapDomain) or not isinstance(value, kinds.MapValue):
            return value
        if len(value.entries) != codec(domain.key).count():  # outside its domain, or above its keys' bound
            return value
        found = kinds.SlotMap(domain, (), (), self.constant(domain.value, domain.default))
        for key, entry in zip(codec(domain.key).values(), value.entries, strict=True):
            word = self.n.const(2 * code_of(domain.key, key) + 1)
            found = self.with_key(found, kinds.Located(self.n.true, self.n.false, word), entry, self.n.true)
        return found

    def entry_a_key(self, a: kinds.SlotMap) -> kinds.MapValue:
        key = a.domain.key
        words = (self.n.const(2 * code_of(key, member) + 1) for member in codec(key).values())
        return kinds.MapValue(a.domain, tuple(self.under_key(a, word) for word in words))

    def _shifted(self, a: kinds.SlotMap, moves: Sequence[Node]) -> kinds.SlotMap:
        n, empty = self.n, self.like_zero(a.entries[0]) if a.entries else kinds.NoValue()
        slots = zip(moves, (n.const(0), *a.slots), a.slots, strict=False)
        entries = zip(moves, (empty, *a.entries), a.entries, strict=False)
        return replace(
            a,
            slots=tuple(n.ite(up, b, slot) for up, b, slot in slots),
            entries=tuple(self.merge(up, b, entry) for up, b, entry in entries),
        )

    def _placed(self, a: kinds.SlotMap, word: Node, value: kinds.Value) -> kinds.SlotMap:
        empty = self.like_zero(value)
        moves = zip(self._shifts(a.slots, word), (empty, *a.entries), (*a.entries, empty), strict=True)
        entries = tuple(self.merge(up, after, self.merge(here, value, entry)) for (up, here), entry, after in moves)
        return replace(a, slots=self._inserted(a.slots, word), entries=entries)

    def with_word(self, a: kinds.Value, word: Node, entry: kinds.Value | None) -> kinds.Value:
        """Of a set, or of a map with this entry; no slot has the word, and 0 adds nothing."""
        if isinstance(a, kinds.SlotMap):
            assert entry is not None
            return self._placed(a, word, entry)
        assert isinstance(a, kinds.SlotSet)
        return replace(a, masks=self._inserted(a.masks, word))

    def merge_maps(self, condition: Node, a: kinds.SlotMap, b: kinds.SlotMap) -> kinds.SlotMap:
        n, count = self.n, max(len(a.slots), len(b.slots))
        slots = tuple(n.ite(condition, x, y) for x, y in self._aligned(a.slots, b.slots))
        some = (a.entries or b.entries)[0]
        padding = [(self.like_zero(some),) * (count - len(each.entries)) + each.entries for each in (a, b)]
        entries = tuple(self.merge(condition, x, y) for x, y in zip(*padding, strict=True))
        return replace(a, slots=slots, entries=entries)

    def fitted(self, slots: Slots, count: int) -> tuple[Slots, Node]:
        """As many as the variable has, and whether there were more."""
        kept = self._padded(slots, count)[len(slots) - count if len(slots) > count else 0 :]
        return kept, self.n.lt(self.n.const(0), slots[-count - 1]) if len(slots) > count else self.n.false


def _has_members(domain: domains.Domain, members: tuple[domains.Member, ...]) -> bool:
    return isinstance(domain, domains.SumDomain) and domain.members == members
