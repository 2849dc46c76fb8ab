"""Literals of candidates for lemmas: comparisons of what has one type, memberships, inclusions, and their negations."""

from collections.abc import Iterator
from itertools import combinations, permutations

from isrcheck.ir import nodes
from isrcheck.ir.domains import (
    BoolDomain,
    EnumDomain,
    IntDomain,
    OptionalDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
)
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.nodes import Expression, Operator
from isrcheck.passes.vocabulary import NONE, CandidateScope, CandidateTerm, LemmaVocabulary, operation
from isrcheck.place import NOWHERE

_ZERO = nodes.Literal(0, NOWHERE)
_EMPTY = nodes.MakeSet((), True, NOWHERE)
_MOST_MEMBERS = 6  # of an enumeration whose members candidates name


class CandidateLiteral(Frozen):
    """`needs`: conditions under which it has a value. `otherwise`: its negation, as an author would write it."""

    holds: Expression
    otherwise: Expression
    needs: tuple[Expression, ...]

    @property
    def negation(self) -> "CandidateLiteral":
        return CandidateLiteral(self.otherwise, self.holds, self.needs)


def literals(vocabulary: LemmaVocabulary, scope: CandidateScope) -> list[CandidateLiteral]:
    """Each with its negation next to it."""
    terms = vocabulary.terms(scope)
    found = dict.fromkeys(each for one in _all(vocabulary, terms) for each in (one, one.negation))
    return list(found)


def _all(vocabulary: LemmaVocabulary, terms: list[CandidateTerm]) -> Iterator[CandidateLiteral]:
    numbers = [x for x in terms if isinstance(x.domain, IntDomain)]
    yield from _numbers(numbers)
    yield from _limits(vocabulary, numbers)
    for term in terms:
        yield from _alone(term)
    yield from _equalities(terms)
    yield from _sets(terms)
    yield from _sequences(terms, numbers)


def _literal(operator: Operator, opposite: Operator, one: CandidateTerm, other: CandidateTerm) -> CandidateLiteral:
    needs = tuple(dict.fromkeys((*one.needs, *other.needs)))
    holds = operation(operator, one.node, other.node)
    return CandidateLiteral(holds, operation(opposite, one.node, other.node), needs)


def _numbers(numbers: list[CandidateTerm]) -> Iterator[CandidateLiteral]:
    for one, other in combinations(numbers, 2):
        if one.kin & other.kin:
            yield _literal(Operator.LE, Operator.GT, one, other)
            yield _literal(Operator.LT, Operator.GE, one, other)
            yield _literal(Operator.EQ, Operator.NE, one, other)


def _limits(vocabulary: LemmaVocabulary, numbers: list[CandidateTerm]) -> Iterator[CandidateLiteral]:
    """Of constants that bound some kin and that the text reads: of others nothing can tell."""
    for constant in (c for c in vocabulary.ir.constants if c.name in vocabulary.constants):
        limit = CandidateTerm(nodes.ReadConstant(constant.name, NOWHERE), constant.domain)
        for one in numbers:
            if constant.name in one.kin:
                yield _literal(Operator.LE, Operator.GT, one, limit)


def _alone(term: CandidateTerm) -> Iterator[CandidateLiteral]:
    match term.domain:
        case BoolDomain():
            yield CandidateLiteral(term.node, nodes.Not(term.node, NOWHERE), term.needs)
        case IntDomain() if not isinstance(term.node, nodes.ReadLocal):
            yield _literal(Operator.EQ, Operator.NE, term, CandidateTerm(_ZERO, term.domain))
        case EnumDomain(members=members) as domain if len(members) <= _MOST_MEMBERS:
            for member in members:
                yield _literal(
                    Operator.EQ, Operator.NE, term, CandidateTerm(nodes.Literal(member, NOWHERE, domain), domain)
                )
        case OptionalDomain():
            yield _literal(Operator.EQ, Operator.NE, term, CandidateTerm(NONE, term.domain))
        case SetDomain(SortDomain()):
            yield _literal(Operator.EQ, Operator.NE, term, CandidateTerm(_EMPTY, term.domain))


def _equalities(terms: list[CandidateTerm]) -> Iterator[CandidateLiteral]:
    """Of members of one sort, or what may be one or None; of numbers that may be None; of enumerations."""
    for one, other in combinations(terms, 2):
        a, b = (x.domain.of if isinstance(x.domain, OptionalDomain) else x.domain for x in (one, other))
        is_optional = isinstance(one.domain, OptionalDomain) or isinstance(other.domain, OptionalDomain)
        match a, b:
            case SortDomain(name), SortDomain(other_name) if name == other_name and not _is_known(one, other):
                yield _literal(Operator.EQ, Operator.NE, one, other)
            case EnumDomain(name), EnumDomain(other_name) if name == other_name:
                yield _literal(Operator.EQ, Operator.NE, one, other)
            case IntDomain(name=name), IntDomain(name=other_name) if is_optional and name == other_name:
                if not _is_known(one, other):
                    yield _literal(Operator.EQ, Operator.NE, one, other)


def _is_known(*terms: CandidateTerm) -> bool:
    """Whether one is what may be None where it is not: the equality without this condition says more."""
    return any(need.left == term.node for term in terms for need in term.needs if isinstance(need, nodes.Operation))


def _sets(terms: list[CandidateTerm]) -> Iterator[CandidateLiteral]:
    sets = [x for x in terms if isinstance(x.domain, SetDomain) and isinstance(x.domain.of, SortDomain | EnumDomain)]
    for term in terms:
        for one in sets:
            assert isinstance(one.domain, SetDomain)
            if isinstance(term.domain, SortDomain | EnumDomain) and term.domain == one.domain.of:
                yield _literal(Operator.IN, Operator.NOT_IN, term, one)
    for one, other in permutations(sets, 2):
        if one.domain == other.domain:
            yield _inclusion(one, other)
            for third in sets:
                if third.domain == one.domain and third not in (one, other) and sets.index(other) < sets.index(third):
                    union = operation(Operator.UNION, other.node, third.node)
                    yield _inclusion(one, CandidateTerm(union, one.domain, (*other.needs, *third.needs)))


def _inclusion(one: CandidateTerm, other: CandidateTerm) -> CandidateLiteral:
    within = operation(Operator.LE, one.node, other.node)
    return CandidateLiteral(within, nodes.Not(within, NOWHERE), tuple(dict.fromkeys((*one.needs, *other.needs))))


def _sequences(terms: list[CandidateTerm], numbers: list[CandidateTerm]) -> Iterator[CandidateLiteral]:
    """That two agree up to a number of their kin."""
    for one, other in combinations([x for x in terms if isinstance(x.domain, SequenceDomain)], 2):
        if one.domain != other.domain:
            continue
        of = one.domain
        assert isinstance(of, SequenceDomain)
        for limit in numbers:
            if limit.kin & {str(of.high)} and not isinstance(limit.node, nodes.ReadLocal):
                parts = (nodes.Slice(x.node, None, limit.node, NOWHERE) for x in (one, other))
                left, right = (CandidateTerm(part, of, (*one.needs, *other.needs, *limit.needs)) for part in parts)
                yield _literal(Operator.EQ, Operator.NE, left, right)
