"""Candidates for lemmas, made of the model's own parts: comparisons of what has the same domain, and inclusions.

A candidate speaks of all members of a sort alike, and reads as an author would write it. Compared are integers of the
same alias or bound (an offset with an offset, or with the length of a log), with each other, with symbolic constants
and with their initial values, for all members of a sort or for those in (or not in) one of the model's sets; sets are
compared with sets, and with unions of two.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations

from isrcheck.engines.symbolic.proof import FOUND, Lemma
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain, IntDomain, MapDomain, RecordDomain, SequenceDomain, SetDomain, SortDomain
from isrcheck.ir.scalar import Node
from isrcheck.ir.symbolic_constant import Span
from isrcheck.passes.symbolic import SymbolicSystem


@dataclass(frozen=True)
class StatePart:
    """A part of the state: one scalar, or with `sort` one for each of its members. `path` has {} for the member."""

    path: str
    domain: Domain
    positions: tuple[int, ...]
    sort: SortDomain | None
    kin: frozenset[str] = frozenset()  # of an integer, its alias and its bound as written: it is compared with its kin


@dataclass(frozen=True)
class CandidateScope:
    """Which members of a sort a candidate speaks of: all, or those in or not in a set."""

    text: str
    among: Callable[[int], Node] | None = None


def pool(symbolic: SymbolicSystem) -> Iterator[Lemma]:
    """All candidates, each once."""
    seen: set[int] = set()
    for text, node in _Pool(symbolic).candidates():
        if node.low != node.high and node.index not in seen:
            seen.add(node.index)
            yield Lemma(text, node, FOUND, text)


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
        """(text, node) of every candidate."""
        for one, other in permutations(self.integers, 2):
            if one.kin & other.kin:
                yield from self._no_more(one, other)
        for part in self.integers:
            yield from self._with_constants(part)
            yield from self._unchanged(part)
        yield from self._inclusions()

    def _scalar(self, position: int) -> Node:
        return self.n.var(position, self.symbolic.system.scalars[position].size)

    # Integers

    def _no_more(self, one: StatePart, other: StatePart) -> Iterator[tuple[str, Node]]:
        if one.sort and other.sort and one.sort != other.sort:
            return
        yield from self._for_all(
            one.sort or other.sort,
            f"{_at(one)} <= {_at(other)}",
            lambda m: self.n.le(self._scalar(_of(one, m)), self._scalar(_of(other, m))),
        )

    def _with_constants(self, part: StatePart) -> Iterator[tuple[str, Node]]:
        constants = list(self.symbolic.model.symbolic.items())
        for place, (name, choice) in enumerate(constants, self.symbolic.first_symbolic):
            if isinstance(choice, Span):
                limit = self.n.add(self._scalar(place), self.n.const(choice.low))
                yield from self._bounded(part, name, limit)

    def _bounded(self, part: StatePart, name: str, limit: Node) -> Iterator[tuple[str, Node]]:
        text = f"{_at(part)} <= self.{name}"
        yield from self._for_all(part.sort, text, lambda m: self.n.le(self._scalar(_of(part, m)), limit))

    def _unchanged(self, part: StatePart) -> Iterator[tuple[str, Node]]:
        first = {self.symbolic.system.initial[p] for p in part.positions}
        if len(first) == 1:
            value = self.n.const(first.pop())
            text = f"{_at(part)} == {value.value}"
            yield from self._for_all(part.sort, text, lambda m: self.n.eq(self._scalar(_of(part, m)), value))

    def _for_all(self, sort: SortDomain | None, text: str, holds: Callable[[int], Node]) -> Iterator[tuple[str, Node]]:
        """The comparison for a single state, or for all members, and for those in each set and not in it."""
        if sort is None:
            yield text, holds(0)
            return
        for guard in self._guards(sort):
            parts = []
            for member in range(codec(sort).count()):
                found = holds(member)
                parts.append(found if guard.among is None else self.n.or_(self.n.not_(guard.among(member)), found))
            yield f"all({text} for {_letter(sort)} in {sort.name}{guard.text})", self.n.and_(*parts)

    def _guards(self, sort: SortDomain) -> Iterator[CandidateScope]:
        yield CandidateScope("")
        for part in self.sets:
            assert isinstance(part.domain, SetDomain)
            if part.domain.of == sort and part.sort is None:
                mask, letter = self._scalar(part.positions[0]), _letter(sort)
                yield CandidateScope(f" if {letter} in {part.path}", partial(self.n.bit, mask))
                yield CandidateScope(f" if {letter} not in {part.path}", partial(self._without, mask))

    def _without(self, mask: Node, member: int) -> Node:
        return self.n.not_(self.n.bit(mask, member))

    # Sets

    def _inclusions(self) -> Iterator[tuple[str, Node]]:
        plain = [p for p in self.sets if p.sort is None]
        for one in plain:
            others = [p for p in plain if p is not one and p.domain == one.domain]
            for place, other in enumerate(others):
                yield f"{one.path} <= {other.path}", self._within(one, self._scalar(other.positions[0]))
                for third in others[place + 1 :]:
                    union = self.n.bit_or(self._scalar(other.positions[0]), self._scalar(third.positions[0]))
                    yield f"{one.path} <= {other.path} | {third.path}", self._within(one, union)

    def _within(self, one: StatePart, other: Node) -> Node:
        return self.n.eq(self.n.bit_and_not(self._scalar(one.positions[0]), other), self.n.const(0))


def _parts(path: str, domain: Domain, written: Domain, position: int, sort: SortDomain | None) -> Iterator[StatePart]:
    """The parts of a variable that candidates may speak of; others are passed over. `written` has bounds as written."""
    match domain, written:
        case IntDomain(), IntDomain():
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
            for part in _parts(f"{path}[{{}}]", value, plain, position, key):
                places = tuple(part.positions[0] + size * member for member in range(codec(key).count()))
                yield StatePart(part.path, part.domain, places, key, part.kin)


def _kin(alias: str, bound: int | str | None) -> frozenset[str]:
    return frozenset(name for name in (alias, str(bound)) if name)


def _at(part: StatePart) -> str:
    return part.path.format(_letter(part.sort)) if part.sort else part.path


def _letter(sort: SortDomain) -> str:
    return sort.name[:1].lower()


def _of(part: StatePart, member: int) -> int:
    return part.positions[member] if part.sort else part.positions[0]
