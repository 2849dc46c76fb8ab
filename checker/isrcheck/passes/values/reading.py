"""Values from scalars, or from none."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, assert_never

from msgspec.structs import replace

from isrcheck.ir import domains
from isrcheck.ir.codec import codec
from isrcheck.ir.scalar import Node
from isrcheck.passes.fold import Nodes
from isrcheck.passes.limits import SymbolicScalars
from isrcheck.passes.values import kinds


class Reading:
    def __init__(self, nodes: Nodes, symbolic: SymbolicScalars | None = None) -> None:
        self.n = nodes
        self.symbolic = symbolic or SymbolicScalars(nodes, {})
        self._members: dict[
            domains.Domain, tuple[kinds.Value, ...]
        ] = {}  # most of the time went into making them again
        self.written: dict[str, Any] = {}  # variables that a step leaves as they were, by name, as ScalarWriter

    def above(self, domain: domains.IntDomain | domains.SequenceDomain, node: Node) -> Node:
        if domain.limit:
            return self.n.lt(self.symbolic.limit(domain.limit), node)
        return self.n.lt(self.n.const(domains.number(domain.high)), node)

    def read(self, domain: domains.Domain, source: Iterator[Node]) -> kinds.Value:
        match domain:
            case domains.IntDomain():
                return kinds.NumberValue(self._integer(domain, next(source)))
            case domains.BoolDomain():
                return kinds.TruthValue(next(source))
            case domains.SortDomain() | domains.EnumDomain():
                return kinds.AtomValue(next(source), domain)
            case domains.OptionalDomain(of=None):
                next(source)
                return self.none()
            case domains.OptionalDomain(of=of) if of is not None and codec(of).plain:
                raw = next(source)
                return self.plain_option(self.zero(of), raw)
            case domains.OptionalDomain(of=of) if of is not None:
                present = next(source)
                return kinds.OptionValue(present, self.read(of, source), zeroed=True)
            case domains.RecordDomain():
                return kinds.RecordValue(domain, tuple(self.read(of, source) for _, of in domain.fields))
            case domains.SumDomain():
                raws = [next(source) for _ in range(codec(domain).width)]
                tag, *shared = raws
                here = [self.n.eq(tag, self.n.const(place)) for place in range(len(domain.members))]
                cases = tuple(self._case(m, shared, there) for m, there in zip(domain.members, here, strict=True))
                return kinds.SumValue(domain.members, tag, cases, tuple(raws))
            case domains.MapDomain():
                entries = (self.read(domain.value, source) for _ in range(codec(domain.key).count()))
                return kinds.MapValue(domain, tuple(entries))
            case domains.SequenceDomain():
                length = next(source)
                slots = (self.read(domain.of, source) for _ in range(domains.number(domain.high)) if domain.of)
                return kinds.SequenceValue(length, tuple(slots))
            case domains.SetDomain():
                return kinds.SetValue(domain.of, tuple(next(source) for _ in range(codec(domain).width)), ())
        raise AssertionError(domain)

    def _case(self, member: domains.Member, shared: list[Node], here: Node) -> kinds.Value:
        """Within its own domain, whichever member the scalars are of."""
        if any(getattr(of, "limit", "") for of in domains.value_domains(member)):  # what is read is kept below it
            shared = [self.n.ite(here, node, self.n.const(0)) for node in shared]
        tops = [self.n.const(scalar.size - 1) for scalar in codec(member).scalars("")]
        return self.read(member, (self.n.min_(node, top) for node, top in zip(shared, tops, strict=False)))

    def _integer(self, domain: domains.IntDomain, place: Node) -> Node:
        """The number at a place: 0 up to the highest, then from the lowest, so that place 0 is the number 0."""
        low, high = domains.span(domain)
        if low == 0:
            return place
        below = self.n.sub(place, self.n.const(high - low + 1))
        return self.n.between(self.n.ite(self.n.lt(self.n.const(high), place), below, place), low, high)

    def place_of(self, domain: domains.IntDomain, number: Node) -> Node:
        """The other way, of a number within."""
        low, high = domains.span(domain)
        if low == 0:
            return number
        above = self.n.add(number, self.n.const(high - low + 1))
        return self.n.ite(self.n.lt(number, self.n.const(0)), above, number)

    def none(self) -> kinds.OptionValue:
        return kinds.OptionValue(self.n.false, None, self.n.const(0))

    def plain_option(self, like: kinds.Value, raw: Node) -> kinds.OptionValue:
        """An option in one scalar; where it is absent, its value reads as 0."""
        n = self.n
        less = n.sub(raw, n.const(1))
        node = n.max_(less, n.const(0))
        assert isinstance(like, kinds.ScalarValue)
        present = n.lt(n.const(0), raw)
        value = replace(like, node=node)
        return kinds.OptionValue(present, value, raw)

    def constant(self, domain: domains.Domain, value: Any) -> kinds.Value:
        return self.read(domain, (self.n.const(scalar) for scalar in codec(domain).flatten(value)))

    def members(self, domain: domains.Domain) -> tuple[kinds.Value, ...]:
        """Every value of a domain."""
        values = self._members.get(domain)
        if values is None:
            values = self._members[domain] = tuple(self.constant(domain, value) for value in codec(domain).values())
        return values

    def plain(self, value: Any) -> kinds.Value:
        """Convert a plain Python value, which says its own domain."""
        match value:
            case None:
                return self.none()
            case Enum():
                return self.constant(domains.EnumDomain(type(value).__name__, tuple(type(value))), value)
            case bool():
                return kinds.TruthValue(self.n.truth(value))
            case int():
                return kinds.NumberValue(self.n.const(value))
        raise AssertionError(value)

    def zero(self, domain: domains.Domain) -> kinds.Value:
        return self.read(domain, (self.n.const(0) for _ in codec(domain).scalars("")))

    def option(self, value: kinds.Value) -> kinds.OptionValue:
        if isinstance(value, kinds.OptionValue):
            return value
        n, raw = self.n, None
        if isinstance(value, kinds.ScalarValue) and value.node.low >= 0:
            raw = n.add(value.node, n.const(1))
        return kinds.OptionValue(n.true, value, raw, zeroed=True)

    def like_zero(self, value: kinds.Value) -> kinds.Value:
        zero = self.n.const(0)
        match value:
            case kinds.ScalarValue():
                return replace(value, node=zero)
            case kinds.OptionValue():
                inner = value.value and self.like_zero(value.value)
                return kinds.OptionValue(zero, inner, value.raw and zero, zeroed=True)
            case kinds.RecordValue():
                return kinds.RecordValue(value.domain, tuple(map(self.like_zero, value.parts)))
            case kinds.SumValue():
                raw = value.raw and (zero,) * len(value.raw)
                return kinds.SumValue(value.members, zero, tuple(map(self.like_zero, value.cases)), raw)
            case kinds.SlotMap():
                entries = tuple(map(self.like_zero, value.entries))
                return replace(value, slots=(zero,) * len(entries), entries=entries)
            case kinds.MapValue():
                return replace(value, entries=tuple(map(self.like_zero, value.entries)))
            case kinds.SequenceValue():
                return kinds.SequenceValue(zero, tuple(map(self.like_zero, value.slots)))
            case kinds.SetValue():
                return replace(value, masks=(zero,) * len(value.masks), further=())
            case kinds.NoValue():
                return value
            case _:
                assert_never(value)
