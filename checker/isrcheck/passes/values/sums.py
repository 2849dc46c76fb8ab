"""Values of sums: which member they are, and what they are as one."""

from abc import abstractmethod
from collections.abc import Iterable

from isrcheck.ir import domains
from isrcheck.ir.codec import POSITIONS, Numbering
from isrcheck.ir.domains import Member, same_type
from isrcheck.ir.scalar import Node
from isrcheck.passes.values import kinds
from isrcheck.passes.values.reading import Reading

Members = tuple[Member, ...]


class Sums(Reading):
    @abstractmethod
    def equal(self, a: kinds.Value, b: kinds.Value) -> Node:
        """Whether two values are equal."""

    @abstractmethod
    def locate(self, domain: domains.Domain, value: kinds.Value, by: Numbering = POSITIONS) -> kinds.Located:
        """The number of a value in a domain."""

    def as_sum(self, value: kinds.Value, members: Members) -> kinds.SumValue:
        """A value as a sum of these members, which include its own."""
        if isinstance(value, kinds.SumValue) and value.members == members:
            return value
        own = cases_of(value)
        cases = [next((c for m, c in own if same_type(m, each)), None) or self.zero(each) for each in members]
        places = [_place(member, members) for member, _ in own]
        tag = value.tag if isinstance(value, kinds.SumValue) else self.n.const(0)
        return kinds.SumValue(members, self._renumber(tag, places), tuple(cases))

    def _renumber(self, tag: Node, places: list[int]) -> Node:
        """The tag that has places[i] for i."""
        n = self.n
        result = n.const(places[-1])
        for place in range(len(places) - 2, -1, -1):
            result = n.ite(n.eq(tag, n.const(place)), n.const(places[place]), result)
        return result

    def is_one_of(self, value: kinds.Value, asked: Iterable[domains.Domain]) -> Node:
        """Whether it is of one of these classes; None is of none."""
        n, classes = self.n, tuple(asked)
        match value:
            case kinds.OptionValue(present=present, value=inner):
                return n.false if inner is None else n.and_(present, self.is_one_of(inner, classes))
            case kinds.SumValue(members=members, tag=tag):
                places = (i for i, m in enumerate(members) if _is_among(m, classes))
                return n.or_(*(n.eq(tag, n.const(place)) for place in places))
            case kinds.RecordValue(domain=domain) | kinds.AtomValue(domain=domain):
                return n.truth(_is_among(domain, classes))
        return n.false

    def only(self, value: kinds.Value, classes: tuple[domains.Domain, ...], within: bool = True) -> kinds.Value:
        """The value where it is of these classes or, if not `within`, of none of them."""
        if isinstance(value, kinds.OptionValue):
            inner = value.value and self.only(value.value, classes, within)
            return (inner or kinds.NoValue()) if within else kinds.OptionValue(value.present, inner, value.raw)
        if isinstance(value, kinds.RecordValue | kinds.AtomValue):
            return value if _is_among(value.domain, classes) == within else kinds.NoValue()
        if not isinstance(value, kinds.SumValue):
            return value
        cases = [(m, case) for m, case in cases_of(value) if _is_among(m, classes) == within]
        if len(cases) < 2:
            return cases[0][1] if cases else kinds.NoValue()
        left = tuple(member for member, _ in cases)
        places = [_place(m, left) if m in left else 0 for m in value.members]
        return kinds.SumValue(left, self._renumber(value.tag, places), tuple(case for _, case in cases))

    def equal_sums(self, a: kinds.Value, b: kinds.Value) -> Node:
        n = self.n
        if isinstance(a, kinds.NoValue) or isinstance(b, kinds.NoValue):
            return n.false
        raw, raws = (each.raw if isinstance(each, kinds.SumValue) else None for each in (a, b))
        if raw is not None and raws is not None and all_members(a) == all_members(b):
            return n.and_(*map(n.eq, raw, raws))
        cases = []
        for member, one in cases_of(a):
            for other in (case for of, case in cases_of(b) if same_type(of, member)):
                both = (self.is_one_of(a, (member,)), self.is_one_of(b, (member,)))
                cases.append(n.and_(*both, self.equal(one, other)))
        return n.or_(*cases)

    def locate_member(self, domain: domains.SumDomain, value: kinds.Value, by: Numbering) -> kinds.Located:
        n = self.n
        inside = above = n.false
        index = n.const(0)
        own = () if isinstance(value, kinds.NoValue) else cases_of(value)
        for place, member in enumerate(domain.members):
            for case in (case for of, case in own if same_type(of, member)):
                there, where = self.is_one_of(value, (member,)), self.locate(member, case, by)
                inside = n.or_(inside, n.and_(there, where.inside))
                above = n.or_(above, n.and_(there, where.above))
                index = n.ite(there, n.add(where.index, n.const(by.first(domain, place))), index)
        return kinds.Located(inside, above, index)


def cases_of(value: kinds.Value) -> tuple[tuple[Member, kinds.Value], ...]:
    if isinstance(value, kinds.SumValue):
        return tuple(zip(value.members, value.cases, strict=True))
    return ((kinds.member_of(value), value),)


def all_members(*values: kinds.Value) -> Members:
    joined = domains.sum_of(member for value in values for member, _ in cases_of(value))
    return joined.members if isinstance(joined, domains.SumDomain) else (kinds.member_of(values[0]),)


def _place(member: Member, members: Members) -> int:
    return next(place for place, each in enumerate(members) if same_type(each, member))


def _is_among(member: Member, classes: Iterable[domains.Domain]) -> bool:
    return any(same_type(member, each) for each in classes)
