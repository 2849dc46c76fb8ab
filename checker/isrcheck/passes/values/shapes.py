"""Choices between values, and with them all operations on values."""

from msgspec.structs import replace

from isrcheck.ir import domains
from isrcheck.ir.scalar import Node
from isrcheck.passes.values import kinds
from isrcheck.passes.values.sets import alike, tidy
from isrcheck.passes.values.slots import SlotShapes
from isrcheck.passes.values.sums import all_members


def _is_like(a: kinds.Value, b: kinds.Value) -> bool:
    """Whether both are of one member of sums."""
    return domains.same_type(kinds.member_of(a), kinds.member_of(b))


class Shapes(SlotShapes):
    def merge(self, condition: Node, then: kinds.Value, other: kinds.Value) -> kinds.Value:
        if then is other or condition.low == 1 or isinstance(other, kinds.NoValue):
            return then
        if condition.high == 0 or isinstance(then, kinds.NoValue):
            return other
        n = self.n
        match then, other:
            case ((kinds.RecordValue() | kinds.AtomValue()), (kinds.RecordValue() | kinds.AtomValue())) if not _is_like(
                then, other
            ):
                return self._merge_sums(condition, then, other)
            case kinds.ScalarValue(node=a), kinds.ScalarValue(node=b) if type(then) is type(other):
                return replace(then, node=n.ite(condition, a, b))
            case (kinds.OptionValue(), _) | (_, kinds.OptionValue()):
                return self._merge_options(condition, self.option(then), self.option(other))
            case (kinds.SumValue(), _) | (_, kinds.SumValue()):
                return self._merge_sums(condition, then, other)
            case kinds.RecordValue(domain=domain, parts=a), kinds.RecordValue(parts=b):
                return kinds.RecordValue(domain, tuple(self.merge(condition, x, y) for x, y in zip(a, b, strict=True)))
            case kinds.MapValue(domain=domain, entries=a), kinds.MapValue(entries=b):
                return kinds.MapValue(domain, tuple(self.merge(condition, x, y) for x, y in zip(a, b, strict=True)))
            case kinds.SlotMap(), kinds.SlotMap():
                return self.merge_maps(condition, then, other)
            case kinds.SequenceValue(), kinds.SequenceValue():
                return self._merge_sequences(condition, then, other)
            case kinds.SetValue(), kinds.SetValue():
                return self._merge_sets(condition, then, other)
        raise AssertionError(f"{type(then).__name__} and {type(other).__name__} never meet")

    def is_sent(self, count: kinds.Value) -> Node:
        """Whether a message with this count is in flight; none is of a value that no key has."""
        if isinstance(count, kinds.NoValue):
            return self.n.false
        assert isinstance(count, kinds.NumberValue)
        return self.n.lt(self.n.const(0), count.node)

    def in_flight(self, network: kinds.MapValue | kinds.SlotMap) -> Node:
        """How many messages are."""
        total = self.n.const(0)
        for count in network.entries:
            assert isinstance(count, kinds.NumberValue)
            total = self.n.add(total, count.node)
        return total

    def choose(self, index: Node, options: tuple[kinds.Value, ...]) -> kinds.Value:
        """Choose the option at an index; without options, as of a map whose keys are an empty sort, no value."""
        if not options:
            return kinds.NoValue()
        if index.low == index.high:
            return options[index.low]
        result = options[-1]
        for position in range(len(options) - 2, -1, -1):
            result = self.merge(self.n.eq(index, self.n.const(position)), options[position], result)
        return result

    def _merge_options(self, condition: Node, then: kinds.OptionValue, other: kinds.OptionValue) -> kinds.OptionValue:
        some = then.value or other.value
        like = alike(then.value, other.value)
        if like and then.raw is not None and other.raw is not None and some is not None:
            return self.plain_option(some, self.n.ite(condition, then.raw, other.raw))
        if some is None:
            return self.none()
        present = self.n.ite(condition, then.present, other.present)
        a, b = (option.value or self.like_zero(some) for option in (then, other))
        known = [option.zeroed for option in (then, other) if option.value is not None]
        zeroed = all(known) and kinds.same_shape(a, b)
        return kinds.OptionValue(present, self.merge(condition, a, b), zeroed=zeroed)

    def _merge_sums(self, condition: Node, then: kinds.Value, other: kinds.Value) -> kinds.SumValue:
        members = all_members(then, other)
        a, b = self.as_sum(then, members), self.as_sum(other, members)
        cases = tuple(self.merge(condition, x, y) for x, y in zip(a.cases, b.cases, strict=True))
        raw = a.raw and b.raw and tuple(self.n.ite(condition, x, y) for x, y in zip(a.raw, b.raw, strict=True))
        return kinds.SumValue(members, self.n.ite(condition, a.tag, b.tag), cases, raw)

    def _merge_sequences(
        self, condition: Node, then: kinds.SequenceValue, other: kinds.SequenceValue
    ) -> kinds.SequenceValue:
        slots = []
        for position in range(max(len(then.slots), len(other.slots))):
            some = (then.slots if position < len(then.slots) else other.slots)[position]
            a, b = (s.slots[position] if position < len(s.slots) else self.like_zero(some) for s in (then, other))
            in_then, in_other = (self.n.lt(self.n.const(position), s.length) for s in (then, other))
            slots.append(self.merge(condition, self.pad(a, b, in_then), self.pad(b, a, in_other)))
        return kinds.SequenceValue(self.n.ite(condition, then.length, other.length), tuple(slots))

    def pad(self, slot: kinds.Value, like: kinds.Value, used: Node) -> kinds.Value:
        """The slot with a shape that has the zero of `like`, and that zero where it is not used."""
        return slot if kinds.same_shape(slot, like) else self.merge(used, slot, self._common_zero(slot, like))

    def _common_zero(self, a: kinds.Value, b: kinds.Value) -> kinds.Value:
        """The zero that both shapes have; it is None for a value that may be absent."""
        match a, b:
            case (kinds.OptionValue(), _) | (_, kinds.OptionValue()):
                return self.like_zero(a if isinstance(a, kinds.OptionValue) else b)
            case kinds.RecordValue(domain=domain, parts=parts), kinds.RecordValue(parts=others) if _is_like(a, b):
                return kinds.RecordValue(domain, tuple(map(self._common_zero, parts, others)))
            case (kinds.SumValue() | kinds.RecordValue() | kinds.AtomValue(), _) if not isinstance(b, kinds.NoValue):
                members = all_members(a, b)
                if len(members) > 1:
                    one, two = (self.as_sum(each, members).cases for each in (a, b))
                    return kinds.SumValue(members, self.n.const(0), tuple(map(self._common_zero, one, two)))
        return self.like_zero(a if isinstance(a, kinds.OptionValue) else b)

    def slot(self, a: kinds.SequenceValue, index: Node) -> kinds.Value:
        """Beyond the end it is zero."""
        n = self.n
        if not a.slots:
            return kinds.NoValue()
        last = n.const(len(a.slots) - 1)
        return self.choose(n.max_(n.const(0), n.min_(index, last)), a.slots)

    def concatenate(self, a: kinds.SequenceValue, b: kinds.SequenceValue) -> kinds.SequenceValue:
        for at, slot in enumerate(b.slots):
            a = self.append(a, slot, self.n.lt(self.n.const(at), b.length))
        return a

    def append(self, a: kinds.SequenceValue, value: kinds.Value, condition: Node) -> kinds.SequenceValue:
        n, slots = self.n, []
        for at in range(a.length.high + 1):
            used = n.lt(n.const(at), a.length)
            old = self.pad(a.slots[at], value, used) if at < len(a.slots) else self.like_zero(value)
            here = n.and_(condition, n.eq(a.length, n.const(at)))
            slots.append(self.merge(here, value, old))
        return kinds.SequenceValue(n.add(a.length, condition), tuple(slots))

    def subsequence(self, container: kinds.SequenceValue, start: Node, stop: Node) -> kinds.SequenceValue:
        """The elements from start up to stop, neither of which is negative."""
        n = self.n
        length = n.max_(n.sub(n.min_(stop, container.length), start), n.const(0))
        slots = []
        for at in range(min(length.high, len(container.slots))):
            used = n.lt(n.const(at), length)
            value = self.slot(container, n.add(start, n.const(at)))
            slots.append(self.merge(used, value, self.like_zero(value)))
        return kinds.SequenceValue(length, tuple(slots))

    def _merge_sets(self, condition: Node, then: kinds.SetValue, other: kinds.SetValue) -> kinds.SetValue:
        then, other = self._pair(then, other)
        n, of = self.n, then.of or other.of
        slots = isinstance(then, kinds.SlotSet) or isinstance(other, kinds.SlotSet)
        if of is not None:
            pair = [self.as_slots(of, each) if slots else self.tighten(each, of) for each in (then, other)]
            then, other = pair
        bits = tuple(n.ite(condition, a, b) for a, b in self._align(then.masks, other.masks))
        further = [(n.and_(condition, c), v) for c, v in then.further]
        further += [(n.and_(n.not_(condition), c), v) for c, v in other.further]
        return tidy(replace(then, masks=bits, further=tuple(further)))
