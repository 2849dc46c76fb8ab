"""Candidates for lemmas, made of the model's own parts, alike for all members of a sort, in an author's words.

Integers of the same alias or bound are compared with each other, with symbolic constants and with their initial
values, for all members of a sort or those in (or not in) a set; sets with sets and unions of two.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations

from isrcheck.engines.symbolic.proof import BY_SEARCH, Lemma
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import (
    Domain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    SumDomain,
    number,
)
from isrcheck.ir.interval import Span
from isrcheck.ir.scalar import Node
from isrcheck.passes.symbolic import SymbolicSystem


@dataclass(frozen=True)
class StatePart:
    """A scalar, or with `sort` one for each member, {} in `path`."""

    path: str
    domain: Domain
    positions: tuple[int, ...]
    sort: SortDomain | None
    kin: frozenset[str] = frozenset()  # of an integer, its alias and its bound as written: it is compared with its kin


Scope = tuple[str, Callable[[int], Node] | None]  # of members, as text; None: all


def pool(symbolic: SymbolicSystem) -> Iterator[Lemma]:
    indices: set[int] = set()
    for source, node in _Pool(symbolic).candidates():
        if node.low != node.high and node.index not in indices:
            indices.add(node.index)
            yield Lemma(source, node, BY_SEARCH, source)


class _Pool:
    def __init__(self, symbolic: SymbolicSystem) -> None:
        self.symbolic, self.n = symbolic, symbolic.nodes
        self.parts: list[StatePart] = []
        position = 0
        written = {v.name: v.domain for v in symbolic.model.ir.variables}
        for name, domain in symbolic.model.domains.items():
            self.parts += _parts(f"self.{name}", domain, written[name], position, None)
            position += codec(domain).width
        self.sets = [p for p in self.parts if isinstance(p.domain, SetDomain)]
        self.integers = [p for p in self.parts if isinstance(p.domain, IntDomain)]

    def candidates(self) -> Iterator[tuple[str, Node]]:
        for one, other in permutations(self.integers, 2):
            if one.kin & other.kin:
                yield from self._no_more(one, other)
        for integer in self.integers:
            yield from self._limits(integer)
            yield from self._stays(integer)
        yield from self._inclusions()

    def _value(self, of: StatePart, member: int = 0) -> Node:
        return _scalar(self.symbolic, of.positions[member if of.sort else 0])

    def _no_more(self, one: StatePart, other: StatePart) -> Iterator[tuple[str, Node]]:
        if one.sort and other.sort and one.sort != other.sort:
            return
        yield from self._for_all(
            one.sort or other.sort,
            f"{_at(one)} <= {_at(other)}",
            lambda m: self.n.le(self._value(one, m), self._value(other, m)),
        )

    def _limits(self, of: StatePart) -> Iterator[tuple[str, Node]]:
        constants = self.symbolic.model.symbolic.items()
        for place, (name, choice) in enumerate(constants, self.symbolic.first_symbolic):
            if isinstance(choice, Span):
                limit = self.n.add(_scalar(self.symbolic, place), self.n.const(choice.low))
                source = f"{_at(of)} <= self.{name}"
                yield from self._for_all(of.sort, source, partial(self._at_most, of, limit))

    def _at_most(self, of: StatePart, limit: Node, member: int) -> Node:
        return self.n.le(self._value(of, member), limit)

    def _stays(self, of: StatePart) -> Iterator[tuple[str, Node]]:
        first = {self.symbolic.system.initial[p] for p in of.positions}
        if len(first) == 1:
            value = self.n.const(first.pop())
            source = f"{_at(of)} == {value.value}"
            yield from self._for_all(of.sort, source, lambda m: self.n.eq(self._value(of, m), value))

    def _for_all(
        self, sort: SortDomain | None, source: str, holds: Callable[[int], Node]
    ) -> Iterator[tuple[str, Node]]:
        if sort is None:
            yield source, holds(0)
            return
        for scope, is_meant in self._scopes(sort):
            parts = []
            for member in range(codec(sort).count()):
                node = holds(member)
                parts.append(node if is_meant is None else self.n.or_(self.n.not_(is_meant(member)), node))
            yield f"all({source} for {_letter(sort)} in {sort.name}{scope})", self.n.and_(*parts)

    def _scopes(self, sort: SortDomain) -> Iterator[Scope]:
        yield "", None
        for each in self.sets:
            assert isinstance(each.domain, SetDomain)
            if each.domain.of == sort and each.sort is None:
                mask, letter = self._value(each), _letter(sort)
                yield f" if {letter} in {each.path}", partial(self.n.bit, mask)
                yield f" if {letter} not in {each.path}", partial(self._without, mask)

    def _without(self, mask: Node, member: int) -> Node:
        return self.n.not_(self.n.bit(mask, member))

    def _inclusions(self) -> Iterator[tuple[str, Node]]:
        plain = [p for p in self.sets if p.sort is None]
        for one in plain:
            others = [p for p in plain if p is not one and p.domain == one.domain]
            for place, other in enumerate(others):
                yield f"{one.path} <= {other.path}", self._within(one, self._value(other))
                for third in others[place + 1 :]:
                    union = self.n.bit_or(self._value(other), self._value(third))
                    yield f"{one.path} <= {other.path} | {third.path}", self._within(one, union)

    def _within(self, one: StatePart, other: Node) -> Node:
        return self.n.eq(self.n.bit_and_not(self._value(one), other), self.n.const(0))


def _parts(path: str, domain: Domain, written: Domain, position: int, sort: SortDomain | None) -> Iterator[StatePart]:
    """`written` has bounds as written."""
    match domain, written:
        case IntDomain(low=0), IntDomain():
            yield StatePart(path, domain, (position,), sort, _kin(written.name, written.high))
        case SequenceDomain(), SequenceDomain():
            yield StatePart(f"len({path})", IntDomain(domain.high), (position,), sort, _kin("", written.high))
        case SetDomain(), _ if codec(domain).width == 1:
            yield StatePart(path, domain, (position,), sort)
        case RecordDomain(fields=fields), RecordDomain(fields=as_written):
            for (name, of), (_, plain) in zip(fields, as_written, strict=True):
                yield from _parts(f"{path}.{name}", of, plain, position, sort)
                position += codec(of).width
        case MapDomain(key=SortDomain() as key, value=value), MapDomain(value=plain) if sort is None:
            size = codec(value).width
            for inner in _parts(f"{path}[{{}}]", value, plain, position, key):
                places = tuple(inner.positions[0] + size * member for member in range(codec(key).count()))
                yield StatePart(inner.path, inner.domain, places, key, inner.kin)


def _kin(alias: str, bound: int | str | None) -> frozenset[str]:
    return frozenset(name for name in (alias, str(bound)) if name)


def _at(of: StatePart) -> str:
    return of.path.format(_letter(of.sort)) if of.sort else of.path


def _letter(sort: SortDomain) -> str:
    return sort.name[:1].lower()


NAME = "unused_slots_are_blank"


def layout_lemma(symbolic: SymbolicSystem) -> tuple[Lemma, ...]:
    conditions: list[Node] = []
    position = 0
    for domain in symbolic.model.domains.values():
        conditions += _blank(symbolic, domain, position)
        position += codec(domain).width
    node = symbolic.nodes.and_(*conditions)
    sentence = (
        "Slots beyond the end of a sequence, and the parts of what is None, hold 0; those of a union fit its class."
    )
    return (Lemma(NAME, node, "the layout of the state", sentence),) if node.low != node.high else ()


def _blank(symbolic: SymbolicSystem, domain: Domain, position: int) -> Iterator[Node]:
    n = symbolic.nodes
    match domain:
        case SequenceDomain(of=of, high=high) if of is not None:
            length, size = _scalar(symbolic, position), codec(of).width
            for slot in range(number(high)):
                first = position + 1 + slot * size
                yield from _unless(symbolic, n.lt(n.const(slot), length), first, size)
                yield from _blank(symbolic, of, first)
        case OptionalDomain(of=of) if of is not None and not codec(of).plain:
            yield from _unless(symbolic, _scalar(symbolic, position), position + 1, codec(of).width)
            yield from _blank(symbolic, of, position + 1)
        case RecordDomain(fields=fields):
            for _, of in fields:
                yield from _blank(symbolic, of, position)
                position += codec(of).width
        case SumDomain(members=members):
            tag, width = _scalar(symbolic, position), codec(domain).width - 1
            for place, member in enumerate(members):
                own = codec(member).width
                other = n.not_(n.eq(tag, n.const(place)))
                yield from _unless(symbolic, other, position + 1 + own, width - own)
                inside = (*_fits(symbolic, member, position + 1), *_blank(symbolic, member, position + 1))
                yield from (n.or_(other, condition) for condition in inside)
        case MapDomain(key, value):
            for place, _ in enumerate(codec(key).values()):
                yield from _blank(symbolic, value, position + place * codec(value).width)


def _fits(symbolic: SymbolicSystem, member: Domain, position: int) -> Iterator[Node]:
    """Members of a sum share scalars, and each is as large as the largest needs."""
    n = symbolic.nodes
    for place, scalar in enumerate(codec(member).scalars("")):
        yield n.lt(_scalar(symbolic, position + place), n.const(scalar.size))


def _unless(symbolic: SymbolicSystem, used: Node, first: int, size: int) -> Iterator[Node]:
    n = symbolic.nodes
    for position in range(first, first + size):
        yield n.or_(used, n.eq(_scalar(symbolic, position), n.false))


def _scalar(symbolic: SymbolicSystem, position: int) -> Node:
    return symbolic.nodes.var(position, symbolic.system.scalars[position].size)
