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
from isrcheck.ir.slots import CODES, code_bits, code_of, tag_bits
from isrcheck.passes.values import kinds
from isrcheck.passes.values.sets import Sets, tidy

Slots = tuple[Node, ...]


class Absent(Struct, frozen=True):
    """An element that none of these slots has, whatever the state."""

    slots: Slots
    content: Node


class SlotShapes(Sets, ABC):
    absent: Absent | None = None

    @abstractmethod
    def merge(self, condition: Node, then: kinds.Value, other: kinds.Value) -> kinds.Value:
        """Return `then` where the condition is 1, else `other`."""

    def read(self, domain: domains.Domain, source: Iterator[Node]) -> kinds.Value:
        match domain:
            case SlotSetDomain(of=of, slots=count) if of is not None:
                return kinds.SlotSet(of, tuple(next(source) for _ in range(count)), ())
            case SlotMapDomain(value=value, slots=count):
                pairs = [(next(source), self.read(value, source)) for _ in range(count)]
                default = self.constant(value, domain.default)
                return kinds.SlotMap(domain, tuple(w for w, _ in pairs), tuple(v for _, v in pairs), default)
        return super().read(domain, source)

    def slot_content(self, domain: domains.Domain, value: kinds.Value) -> kinds.Located:
        """Locate an element: the index is the content of a slot that has it."""
        if isinstance(value, kinds.SlotRecord) and value.domain == domain:
            return kinds.Located(self.n.true, self.n.false, value.content)
        if isinstance(value, kinds.SumValue) and value.content is not None and domains.members(domain) == value.members:
            return kinds.Located(self.n.true, self.n.false, value.content)
        where = self.locate(domain, value, CODES)
        return replace(where, index=self.n.add(self.n.shift_left(where.index, self.n.true), self.n.true))

    def element(self, domain: domains.Domain, content: Node) -> kinds.Value:
        """The element that a slot's content stands for; the first of the domain for an empty slot."""
        match value := self._element(domain, content, 1):
            case kinds.RecordValue(domain=of, parts=parts):
                return kinds.SlotRecord(of, parts, content)
            case kinds.SumValue():
                return replace(value, content=content)
        return value

    def _element(self, domain: domains.Domain, content: Node, shift: int) -> kinds.Value:
        n = self.n
        match domain:
            case domains.RecordDomain(fields=fields):
                parts = []
                for _, field in reversed(fields):
                    parts.append(self._element(field, content, shift))
                    shift += code_bits(field)
                return kinds.RecordValue(domain, tuple(reversed(parts)))
            case domains.OptionalDomain(of=of) if of is not None and not codec(of).plain:
                present = n.field(content, shift + code_bits(of), 2)
                return kinds.OptionValue(present, self._element(of, content, shift), zeroed=True)
            case domains.SumDomain(members=members):
                tag = n.field(content, shift + code_bits(domain) - tag_bits(domain), len(members))
                own = (n.ite(n.eq(tag, n.const(place)), content, n.const(0)) for place in range(len(members)))
                cases = tuple(self._element(member, node, shift) for member, node in zip(members, own, strict=True))
                return kinds.SumValue(members, tag, cases)
        return self.read(domain, iter((n.field(content, shift, max(1, codec(domain).count())),)))

    def _places(self, slots: Slots, content: Node) -> list[Node]:
        """Whether the content is in each slot."""
        if self.absent is not None and self.absent.content is content and self.absent.slots == slots:
            return [self.n.false] * len(slots)
        if any(slot is content for slot in slots):
            return [self.n.truth(slot is content) for slot in slots]
        return [self.n.eq(slot, content) for slot in slots]

    def _shifts(self, slots: Slots, content: Node) -> list[tuple[Node, Node]]:
        """Two conditions a place after an insertion: the slot above moves there, the content goes there."""
        n = self.n
        smaller = [n.lt(slot, content) for slot in (n.const(0), *slots)]
        return list(zip([*smaller[1:], n.false], smaller, strict=True))

    def _insert(self, slots: Slots, content: Node) -> Slots:
        """The slots, one more, with a content that none of them has; 0 is none."""
        n, old = self.n, (self.n.const(0), *slots)
        following = (*slots, n.const(0))
        moves = zip(self._shifts(slots, content), old, following, strict=True)
        return tuple(n.ite(moved, after, n.ite(here, content, slot)) for (moved, here), slot, after in moves)

    def _moves_up(self, slots: Slots, content: Node, places: list[Node], there: Node) -> list[Node]:
        """A condition a slot, as the content is removed: the slot before it moves there."""
        n = self.n
        if any(place.low for place in places):
            at = next(i for i, place in enumerate(places) if place.low)
            return [n.and_(there, n.truth(i <= at)) for i in range(len(slots))]
        present = n.and_(there, n.or_(*places))
        return [n.and_(present, n.not_(n.lt(content, slot))) for slot in slots]

    def _remove(self, slots: Slots, content: Node, there: Node) -> Slots:
        moves = self._moves_up(slots, content, self._places(slots, content), there)
        before = (self.n.const(0), *slots)
        return tuple(self.n.ite(up, b, slot) for up, b, slot in zip(moves, before, slots, strict=False))

    def _pad_slots(self, slots: Slots, count: int) -> Slots:
        return (self.n.const(0),) * (count - len(slots)) + slots

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

    def as_slots(self, of: domains.Domain, a: kinds.SetValue) -> kinds.SlotSet:
        if isinstance(a, kinds.SlotSet):
            return a
        slot_set = kinds.SlotSet(of, (), ())
        for there, value in self.elements(a):
            slot_set = self._with(slot_set, there, value)
        return slot_set

    def _with(self, a: kinds.SlotSet, there: Node, value: kinds.Value) -> kinds.SlotSet:
        n = self.n
        where = self.slot_content(a.of, value)
        again = n.or_(*self._places(a.masks, where.index))
        content = n.ite(n.and_(there, where.inside, n.not_(again)), where.index, n.const(0))
        slots = a.masks if content.high == 0 else self._insert(a.masks, content)
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
        where = self.slot_content(a.of, value)
        cases = [n.and_(where.inside, n.or_(*self._places(a.masks, where.index)))]
        cases += [n.and_(c, self.equal(v, value)) for c, v in a.further]
        return n.or_(*cases)

    def difference(self, a: kinds.SetValue, b: kinds.SetValue) -> kinds.SetValue:
        a, b = self._pair(a, b)
        if not isinstance(a, kinds.SlotSet):
            return super().difference(a, b)
        n, slots = self.n, a.masks
        for there, value in self.elements(b):
            where = self.slot_content(a.of, value)
            slots = self._remove(slots, where.index, n.and_(there, where.inside))
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
        slots = isinstance(a, kinds.SlotSet) and isinstance(b, kinds.SlotSet) and a.of == b.of
        if not slots or a.further or b.further:
            return super()._same_sets(self.display(a), self.display(b))
        return self.n.and_(*(self.n.eq(x, y) for x, y in self._align(a.masks, b.masks)))

    def _align(self, a: Slots, b: Slots) -> list[tuple[Node, Node]]:
        count = max(len(a), len(b))
        return list(zip(self._pad_slots(a, count), self._pad_slots(b, count), strict=True))

    def size(self, a: kinds.SetValue) -> Node:
        if not isinstance(a, kinds.SlotSet):
            return super().size(a)
        total = super().size(kinds.SetValue(None, (), a.further))
        for slot in a.masks:
            total = self.n.add(total, self.n.bit(slot, 0))
        return total

    def value_at_key(self, a: kinds.SlotMap, content: Node) -> kinds.Value:
        places = self._places(a.slots, content)
        if any(place.low for place in places):  # a parameter from these slots, and the slot is not empty
            return a.entries[[place.low for place in places].index(1)]
        result = a.default
        for place, value in zip(places, a.entries, strict=True):
            result = self.merge(place, value, result)
        return result

    def with_key(self, a: kinds.SlotMap, where: kinds.Located, value: kinds.Value, there: Node) -> kinds.SlotMap:
        """The map with this value under the key; a slot whose value is then the default is removed."""
        n = self.n
        content, there = where.index, n.and_(there, where.inside)
        places = self._places(a.slots, content)
        is_default = self.equal(value, a.default)
        entries = tuple(self.merge(n.and_(there, p), value, e) for p, e in zip(places, a.entries, strict=True))
        new = n.and_(there, n.not_(n.or_(*places)), n.not_(is_default))
        if is_default.high:
            gone = self._moves_up(a.slots, content, places, n.and_(there, is_default))
            a = self._shift(replace(a, entries=entries), gone)
            entries = a.entries
        a = replace(a, entries=entries)
        return self._insert_entry(a, n.ite(new, content, n.const(0)), value) if new.high else a

    def as_slot_map(self, domain: domains.Domain, value: kinds.Value) -> kinds.Value:
        """The map in slots, if it has every key and this domain is in slots; else the value as it is."""
        if not isinstance(domain, SlotMapDomain) or not isinstance(value, kinds.MapValue):
            return value
        if len(value.entries) != codec(domain.key).count():  # outside its domain, or above its keys' bound
            return value
        slot_map = kinds.SlotMap(domain, (), (), self.constant(domain.value, domain.default))
        for key, at_key in zip(codec(domain.key).values(), value.entries, strict=True):
            content = self.n.const(2 * code_of(domain.key, key) + 1)
            slot_map = self.with_key(slot_map, kinds.Located(self.n.true, self.n.false, content), at_key, self.n.true)
        return slot_map

    def entry_a_key(self, a: kinds.SlotMap) -> kinds.MapValue:
        key = a.domain.key
        contents = (self.n.const(2 * code_of(key, member) + 1) for member in codec(key).values())
        return kinds.MapValue(a.domain, tuple(self.value_at_key(a, content) for content in contents))

    def _shift(self, a: kinds.SlotMap, moves: Sequence[Node]) -> kinds.SlotMap:
        n, empty = self.n, self.like_zero(a.entries[0]) if a.entries else kinds.NoValue()
        slots = zip(moves, (n.const(0), *a.slots), a.slots, strict=False)
        entries = zip(moves, (empty, *a.entries), a.entries, strict=False)
        return replace(
            a,
            slots=tuple(n.ite(up, b, slot) for up, b, slot in slots),
            entries=tuple(self.merge(up, b, value) for up, b, value in entries),
        )

    def _insert_entry(self, a: kinds.SlotMap, content: Node, value: kinds.Value) -> kinds.SlotMap:
        empty = self.like_zero(value)
        moves = zip(self._shifts(a.slots, content), (empty, *a.entries), (*a.entries, empty), strict=True)
        entries = tuple(self.merge(up, after, self.merge(here, value, old)) for (up, here), old, after in moves)
        return replace(a, slots=self._insert(a.slots, content), entries=entries)

    def with_slot(self, a: kinds.Value, content: Node, value: kinds.Value | None) -> kinds.Value:
        """The set, or the map with this value, with one more slot; no slot has the content, and 0 adds nothing."""
        if isinstance(a, kinds.SlotMap):
            assert value is not None
            return self._insert_entry(a, content, value)
        assert isinstance(a, kinds.SlotSet)
        return replace(a, masks=self._insert(a.masks, content))

    def merge_maps(self, condition: Node, a: kinds.SlotMap, b: kinds.SlotMap) -> kinds.SlotMap:
        n, count = self.n, max(len(a.slots), len(b.slots))
        slots = tuple(n.ite(condition, x, y) for x, y in self._align(a.slots, b.slots))
        some = (a.entries or b.entries)[0]
        padding = [(self.like_zero(some),) * (count - len(each.entries)) + each.entries for each in (a, b)]
        entries = tuple(self.merge(condition, x, y) for x, y in zip(*padding, strict=True))
        return replace(a, slots=slots, entries=entries)

    def fit(self, slots: Slots, count: int) -> tuple[Slots, Node]:
        """The slots that the variable has, the last `count`, and whether there were more."""
        last = self._pad_slots(slots, count)[len(slots) - count if len(slots) > count else 0 :]
        return last, self.n.lt(self.n.const(0), slots[-count - 1]) if len(slots) > count else self.n.false
