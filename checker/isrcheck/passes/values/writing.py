"""A value written in its scalars."""

from msgspec.structs import replace

from isrcheck.ir import domains
from isrcheck.ir.codec import codec
from isrcheck.ir.scalar import Node
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.sums import cases_of


def write(shapes: Shapes, domain: domains.Domain, value: kinds.Value) -> "ScalarWriter":
    writer = ScalarWriter(shapes, value)
    writer.put(domain, value, shapes.n.true)
    return writer


class ScalarWriter:
    """The writer of values as scalars, and of three conditions: above a bound, outside the domain, over the slots.

    They only count where `there` is 1.
    """

    def __init__(self, shapes: Shapes, value: kinds.Value) -> None:
        self.s, self.n, self.value = shapes, shapes.n, value
        self.scalars: list[Node] = []
        self.above = self.n.false
        self.outside = self.n.false
        self.over = self.n.false

    def put(self, domain: domains.Domain, value: kinds.Value, there: Node) -> None:
        n = self.n
        match domain, value:
            case domains.OptionalDomain(of=of), _:
                self._put_option(of, self.s.option(value), there)
            case _, kinds.OptionValue():
                self.outside = n.or_(self.outside, n.and_(there, n.not_(value.present)))
                inner = value.value or self.s.zero(domain)
                self.put(domain, inner, n.and_(there, value.present))
            case domains.SumDomain(), kinds.RecordValue() | kinds.AtomValue() | kinds.SumValue():
                self._put_sum(domain, value, there)
            case _, kinds.SumValue():
                is_it = self.s.is_one_of(value, (domain,))
                self.outside = n.or_(self.outside, n.and_(there, n.not_(is_it)))
                self.put(domain, self.s.only(value, (domain,)), n.and_(there, is_it))
            case domains.IntDomain(), kinds.NumberValue(node=node):
                self.above = n.or_(self.above, n.and_(there, self.s.above(domain, node)))
                low, _ = domains.span(domain)
                self.outside = n.or_(self.outside, n.and_(there, n.lt(node, n.const(low))))
                self.scalars.append(self.s.place_of(domain, node))
            case domains.BoolDomain() | domains.SortDomain() | domains.EnumDomain(), kinds.ScalarValue(node=node):
                self.scalars.append(node)
            case domains.RecordDomain(fields=fields), kinds.RecordValue(parts=parts):
                for (_, of), field in zip(fields, parts, strict=True):
                    self.put(of, field, there)
            case domains.SlotMapDomain(), kinds.SlotMap():
                self._put_slots(domain, value, there)
            case domains.SlotMapDomain(), kinds.MapValue(entries=entries):
                fits = self._right_number(codec(domain.key).count(), domain.value, entries, there)
                self.put(domain, self.s.as_slot_map(domain, replace(value, entries=fits)), there)
            case domains.MapDomain(), kinds.SlotMap():
                self.put(domain, self.s.entry_a_key(value), there)
            case domains.MapDomain(key=key, value=of, total=total, limit=limit), kinds.MapValue(entries=entries):
                if total is not None:
                    self._count(domains.IntDomain(total, limit=limit), value, there)
                for mapped in self._right_number(codec(key).count(), of, entries, there):
                    self.put(of, mapped, there)
            case domains.SequenceDomain(), kinds.SequenceValue():
                self._put_sequence(domain, value, there)
            case domains.SetDomain(), kinds.SetValue():
                self._put_set(domain, value, there)
            case _, kinds.NoValue():
                self.put(domain, self.s.zero(domain), there)
            case _:
                raise AssertionError(f"{type(value).__name__} is never in {domain}")

    def _right_number(
        self, keys: int, of: domains.Domain, entries: tuple[kinds.Value, ...], there: Node
    ) -> tuple[kinds.Value, ...]:
        """Entries, one a key: a map over a range may have more (above its bound) or fewer (outside)."""
        if len(entries) > keys:
            self.above = self.n.or_(self.above, there)
        if len(entries) < keys:
            self.outside = self.n.or_(self.outside, there)
        return (*entries[:keys], *(self.s.zero(of) for _ in range(keys - len(entries))))

    def _put_sum(self, domain: domains.SumDomain, value: kinds.Value, there: Node) -> None:
        """The scalars that its members share are those of the one it is."""
        if isinstance(value, kinds.SumValue) and value.members == domain.members and value.raw is not None:
            self.scalars += value.raw
            return
        n, width = self.n, codec(domain).width - 1
        tag, shared, known = n.const(0), [n.const(0)] * width, n.false
        for place, member in enumerate(domain.members):
            case = next((case for of, case in cases_of(value) if domains.same_type(of, member)), None)
            if case is None:
                continue
            here = self.s.is_one_of(value, (member,))
            known, tag = n.or_(known, here), n.ite(here, n.const(place), tag)
            start = len(self.scalars)
            self.put(member, case, n.and_(there, here))
            own = self.scalars[start:]
            del self.scalars[start:]
            shared[: len(own)] = [n.ite(here, new, old) for new, old in zip(own, shared, strict=False)]
        self.outside = n.or_(self.outside, n.and_(there, n.not_(known)))
        self.scalars += (tag, *shared)

    def _put_option(self, of: domains.Domain | None, value: kinds.OptionValue, there: Node) -> None:
        n = self.n
        if of is None:
            self.scalars.append(n.const(0))
        elif codec(of).plain and value.raw is not None and value.raw.high <= codec(of).count():
            if isinstance(of, domains.IntDomain) and of.limit and isinstance(value.value, kinds.NumberValue):
                above = n.and_(there, value.present, self.s.above(of, value.value.node))
                self.above = n.or_(self.above, above)
            self.scalars.append(value.raw)
        elif codec(of).plain:
            inner = value.value or self.s.zero(of)
            self.put(of, inner, n.and_(there, value.present))
            self.scalars[-1] = n.ite(value.present, n.add(self.scalars[-1], n.const(1)), n.const(0))
        else:
            self.scalars.append(value.present)
            inner = value.value or self.s.zero(of)
            if not value.zeroed:
                inner = self.s.merge(value.present, inner, self.s.like_zero(inner))
            self._put_or_zero(of, inner, there, value.present)

    def _put_sequence(self, domain: domains.SequenceDomain, value: kinds.SequenceValue, there: Node) -> None:
        n, of, high = self.n, domain.of, domains.number(domain.high)
        self.above = n.or_(self.above, n.and_(there, self.s.above(domain, value.length)))
        self.scalars.append(n.min_(value.length, n.const(high)))
        if of is None:
            return
        end = len(self.scalars) + high * sum(1 for _ in codec(of).scalars(""))
        for position, slot in enumerate(value.slots):
            self._put_or_zero(of, slot, there, n.lt(n.const(position), value.length))
        del self.scalars[end:]
        self.scalars.extend([n.const(0)] * (end - len(self.scalars)))

    def _put_or_zero(self, of: domains.Domain, value: kinds.Value, there: Node, used: Node) -> None:
        """Zero where it is not used."""
        start = len(self.scalars)
        there = self.n.and_(there, used)
        self.put(of, value, there)
        if _has_other_zero(of, value):
            self.scalars[start:] = [self.n.ite(used, node, self.n.const(0)) for node in self.scalars[start:]]

    def _put_set(self, domain: domains.SetDomain, value: kinds.SetValue, there: Node) -> None:
        n, s = self.n, self.s
        if domain.of is None:
            self.scalars.append(n.const(0))
            return
        slots = isinstance(domain, domains.SlotSetDomain)
        tight = s.as_slots(domain.of, value) if slots else s.tighten(value, domain.of)
        above, outside = s.beyond(tight)
        if isinstance(domain.high, int):
            most = domains.IntDomain(domain.high, limit=domain.limit)
            above = n.or_(above, s.above(most, s.size(tight)))
        masks = tight.masks
        if isinstance(domain, domains.SlotSetDomain):
            masks, over = s.fit(masks, domain.slots)
            self.over = n.or_(self.over, n.and_(there, over, n.not_(above)))
        self.above = n.or_(self.above, n.and_(there, above))
        self.outside = n.or_(self.outside, n.and_(there, outside))
        self.scalars.extend(masks)

    def _count(self, most: domains.IntDomain, network: kinds.MapValue | kinds.SlotMap, there: Node) -> None:
        above = self.s.above(most, self.s.in_flight(network))
        self.above = self.n.or_(self.above, self.n.and_(there, above))

    def _put_slots(self, domain: domains.SlotMapDomain, value: kinds.SlotMap, there: Node) -> None:
        if domain.total is not None:
            self._count(domains.IntDomain(domain.total, limit=domain.limit), value, there)
        slots, over = self.s.fit(value.slots, domain.slots)
        if domain.total is not None:  # whose slots are as many
            over = self.n.false
        self.over = self.n.or_(self.over, self.n.and_(there, over))
        empty = self.s.zero(domain.value)
        entries = (empty,) * (domain.slots - len(value.entries)) + value.entries
        for slot, slot_value in zip(slots, entries[len(entries) - domain.slots :], strict=True):
            self.scalars.append(slot)
            self._put_or_zero(domain.value, slot_value, there, self.n.bit(slot, 0))


def _has_other_zero(domain: domains.Domain, value: kinds.Value) -> bool:
    """Whether a value's scalars, all 0, mean something else in a domain, such as 0 and not None."""
    match domain, value:
        case domains.OptionalDomain(), _:
            return not isinstance(value, kinds.OptionValue)
        case domains.SumDomain(members=members), _:
            return not isinstance(value, kinds.SumValue) or value.members != members
        case domains.RecordDomain(fields=fields), kinds.RecordValue(parts=parts):
            return any(_has_other_zero(of, field) for (_, of), field in zip(fields, parts, strict=True))
    return False
