"""Values as terms: what a domain's value is made of, with maps, sets and sequences as functions of their keys."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice
from typing import Any

from isrcheck.ir.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    Member,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    SumDomain,
    class_of,
    describe,
    members,
    same_type,
    sum_of,
)
from isrcheck.ir.frozen import Frozen
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational.terms import Logic, Symbol


class Unsupported(Exception):
    """A value that the relational view cannot say; the message is a phrase."""


class Number(Frozen):
    term: Logic


class Truth(Frozen):
    term: Logic


class Atom(Frozen):
    """A member of a sort, or of an enumeration by its position."""

    term: Logic
    domain: SortDomain | EnumDomain


class Maybe(Frozen):
    """A value that may be None. `value` says nothing where `present` is false, and is None for the word None."""

    present: Logic
    value: "Value | None"


class Row(Frozen):
    """A record."""

    domain: RecordDomain
    fields: "tuple[Value, ...]"


class Function(Frozen):
    """A map, total on its keys; over numbers, on all numbers."""

    key: Domain
    at: "Callable[[Value], Value]"


class Predicate(Frozen):
    """A set. `of` is None for the empty one; `term` is the set as an element of a sort, if it is one."""

    of: Domain | None
    test: "Callable[[Value], Logic]"  # of elements of its own kind
    term: Logic | None = None

    def has(self, x: "Value") -> Logic:
        """Tell whether it holds a value, which may be of another member of a union."""
        return t.FALSE if _is_of_another_class(x, self.of) else self.test(x)


def _is_of_another_class(x: "Value", of: Domain | None) -> bool:
    """Tell whether a value of a class is of none of the classes of these elements."""
    if not (isinstance(x, Atom | Row) and isinstance(of, Member | SumDomain)):
        return False
    return not any(same_type(x.domain, one) for one in members(of))


class Elements(Frozen):
    """A sequence; what `at` says beyond its length is nobody's business."""

    length: Logic
    at: "Callable[[Logic], Value]"


Value = Number | Truth | Atom | Maybe | Row | Function | Predicate | Elements

EMPTY = Predicate(None, lambda _: t.FALSE)
NOTHING = Maybe(t.FALSE, None)


def sort_name(domain: Domain) -> str:
    """The sort of a domain whose values are one term. Raises Unsupported for others."""
    match domain:
        case IntDomain(low=0) | EnumDomain():
            return t.INT
        case IntDomain(low=low):
            raise Unsupported(f"numbers from {low}, not from 0")
        case BoolDomain():
            return t.BOOL
        case SortDomain(name):
            return name
        case SetDomain(SortDomain(name)):
            return f"set of {name}"
    raise Unsupported(f"{describe(domain)} as a key, or as an element of a set")


def element_sorts(domain: Domain | None) -> tuple[str, ...]:
    """The sorts of the terms that an element or a key is."""
    if isinstance(domain, RecordDomain):
        return tuple(s for _, of in domain.fields for s in element_sorts(of))
    if domain is None:
        raise Unsupported("elements of no known kind")
    return (sort_name(domain),)


def member(of: SortDomain) -> Symbol:
    """Whether somebody is in a set that is an element of a sort itself."""
    return _predicate(f"in set of {of.name}", (of.name, f"set of {of.name}"), "member")


@cache
def _predicate(name: str, domain: tuple[str, ...], role: str) -> Symbol:
    return Symbol(name, domain, t.BOOL, role)


def of_terms(domain: Domain, given: tuple[Logic, ...]) -> Value:
    """The element that these terms are."""
    match domain:
        case RecordDomain():
            left = iter(given)
            parts = (of_terms(of, tuple(islice(left, len(element_sorts(of))))) for _, of in domain.fields)
            return Row(domain, tuple(parts))
        case IntDomain():
            return Number(given[0])
        case BoolDomain():
            return Truth(given[0])
        case SortDomain() | EnumDomain():
            return Atom(given[0], domain)
        case SetDomain(SortDomain() as of):
            (itself,) = given
            return Predicate(of, lambda x: member(of)(*element_terms(x, of), itself), itself)
    raise Unsupported(f"{describe(domain)} as a key, or as an element of a set")


def element_terms(value: Value, domain: Domain | None) -> tuple[Logic, ...]:
    """The terms that an element or a key is. Raises Unsupported for a computed set: see `apply_predicate`."""
    match value:
        case Number(term) | Truth(term) | Atom(term):
            return (term,)
        case Row(of, parts):
            return tuple(x for each, (_, d) in zip(parts, of.fields, strict=True) for x in element_terms(each, d))
        case Predicate(term=Logic() as term):
            return (term,)
    raise Unsupported("a computed set, or None, as a key or as an element of a set")


def fresh(domain: Domain, hint: str) -> tuple[tuple[Logic, ...], Value, Logic]:
    """Variables that are an arbitrary element, the element, and what is true of every element."""
    variables = tuple(t.variable(hint, sort) for sort in element_sorts(domain))
    value = of_terms(domain, variables)
    return variables, value, natural(value, domain)


def is_inhabited(of: SortDomain) -> Logic:
    """Tell whether a sort has a member: first-order logic has no empty sorts, so every quantifier over one says it."""
    if isinstance(of.size, int):
        return t.truth(of.size > 0)
    return _predicate(f"there is a {of.name}", (), "inhabited")()


def natural(value: Value, domain: Domain) -> Logic:
    """The condition that a value is in a domain, upper bounds aside: no number is negative, each sort has a member."""
    match value, domain:
        case Maybe(present, of), OptionalDomain(kind) if of is not None and kind is not None:
            return t.implies(present, natural(of, kind))
        case Atom(_, SortDomain() as of_), _:
            return is_inhabited(of_)
        case Number(term), IntDomain():
            return t.TRUE if is_natural(term) else t.compare("<=", t.number(0), term)
        case Atom(term, EnumDomain(members=members)), _:
            last = t.number(len(members) - 1)
            return t.and_(t.compare("<=", t.number(0), term), t.compare("<=", term, last))
        case Row(of, parts), _:
            return t.and_(*(natural(each, d) for each, (_, d) in zip(parts, of.fields, strict=True)))
    return t.TRUE


def is_natural(term: Logic) -> bool:
    """Whether it is seen never to be negative."""
    least = t.least(term)
    return least is not None and least >= 0


def apply_predicate(symbol_at: Callable[[tuple[Logic, ...]], Logic], value: Value, domain: Domain) -> Logic:
    """A predicate of an element; of a computed set, that the set which is an element has these members."""
    try:
        return symbol_at(element_terms(value, domain))
    except Unsupported:
        variables, element, _ = fresh(domain, "same")
        return t.exists(variables, t.and_(equal(element, value), symbol_at(variables)))


def equal(one: Value, other: Value) -> Logic:
    match one, other:
        case Maybe(), Maybe():
            if one.value is None or other.value is None:
                return t.not_(one.present if other.value is None else other.present)
            same = t.implies(one.present, equal(one.value, other.value))
            return t.and_(t.eq(one.present, other.present), same)
        case (Maybe(present, value), plain) | (plain, Maybe(present, value)):
            return t.FALSE if value is None else t.and_(present, equal(value, plain))
        case (Number(a), Number(b)) | (Truth(a), Truth(b)):
            return t.eq(a, b)
        case Atom(a, d), Atom(b, e) if same_type(d, e):
            return t.eq(a, b)
        case Row(d, parts), Row(e, others) if same_type(d, e):
            return t.and_(*(equal(a, b) for a, b in zip(parts, others, strict=True)))
        case Elements(), Elements():
            if t.number(0) in (one.length, other.length):
                return t.eq(one.length, other.length)
            variables, at, inside = index(one.length, "o")
            same = t.implies(inside, equal(one.at(at), other.at(at)))
            return t.and_(t.eq(one.length, other.length), t.forall(variables, same))
        case Predicate(), Predicate():
            if one.term is not None and other.term is not None:
                return t.eq(one.term, other.term)
            return _for_each(union_of((one.of, other.of)), lambda x: t.eq(one.has(x), other.has(x)))
        case Function(key, value_at), Function(other_key, there) if key == other_key:
            return _for_each(key, lambda x: equal(value_at(x), there(x)))
    raise Unsupported(f"comparing {_name(one)} with {_name(other)}")


def _name(value: Value) -> str:
    return value.domain.name if isinstance(value, Atom | Row) else type(value).__name__


def within(one: Predicate, other: Predicate) -> Logic:
    """Whether it is a subset."""
    return _for_each(union_of((one.of, other.of)), lambda x: t.implies(one.has(x), other.has(x)))


def union_of(domains: Iterable[Domain | None]) -> Domain | None:
    """The domain of values of these, which is a union where they are of different classes."""
    kinds = [member for of in domains for member in members(of)]
    return sum_of(kinds) if kinds and all(isinstance(of, Member) for of in kinds) else kinds[0] if kinds else None


def _for_each(domain: Domain | None, claim: Callable[[Value], Logic]) -> Logic:
    """Say a claim of every element; of a union, of the elements of each member."""
    arbitrary = (fresh(of, "x") for of in members(domain))
    return t.and_(*(t.forall(variables, t.implies(such, claim(value))) for variables, value, such in arbitrary))


def index(length: Logic, hint: str) -> tuple[tuple[Logic, ...], Logic, Logic]:
    """A variable, and that it is an index of a sequence so long."""
    at = t.variable(hint, t.INT)
    return (at,), at, t.and_(t.compare("<=", t.number(0), at), t.compare("<", at, length))


def choose(test: Logic, one: Value, other: Value) -> Value:
    """One where the test is true, the other elsewhere."""
    if one is other or test.op == "const":
        return one if one is other or test.value else other
    match one, other:
        case (Maybe(), _) | (_, Maybe()):
            first, second = as_maybe(one), as_maybe(other)
            parts = [m.value for m in (first, second) if m.value is not None]
            value = choose(test, parts[0], parts[-1]) if parts else None
            return Maybe(t.ite(test, first.present, second.present), value)
        case Number(a), Number(b):
            return Number(t.ite(test, a, b))
        case Truth(a), Truth(b):
            return Truth(t.ite(test, a, b))
        case Atom(a, d), Atom(b, e) if same_type(d, e):
            return Atom(t.ite(test, a, b), d)
        case Row(d, parts_), Row(e, others) if same_type(d, e):
            return Row(d, tuple(choose(test, a, b) for a, b in zip(parts_, others, strict=True)))
        case Function(key, at), Function(other_key, there) if key == other_key:
            return Function(key, lambda x: choose(test, at(x), there(x)))
        case (Predicate(of=OptionalDomain()), Predicate()) | (Predicate(), Predicate(of=OptionalDomain())):
            first_, second_ = with_none(one), with_none(other)
            some = next((d.of for d in (first_.of, second_.of) if isinstance(d, OptionalDomain) and d.of), None)
            return Predicate(OptionalDomain(some), lambda x: t.ite(test, first_.has(x), second_.has(x)))
        case Predicate(), Predicate():
            both = one.term, other.term
            term = t.ite(test, both[0], both[1]) if both[0] is not None and both[1] is not None else None
            return Predicate(union_of((one.of, other.of)), lambda x: t.ite(test, one.has(x), other.has(x)), term)
        case Elements(a, at_), Elements(b, there_):
            if t.number(0) in (a, b):  # the empty one has no elements
                return Elements(t.ite(test, a, b), there_ if a is t.number(0) else at_)
            return Elements(t.ite(test, a, b), lambda i: choose(test, at_(i), there_(i)))
    raise Unsupported(f"a choice between {_name(one)} and {_name(other)}")


def with_none(one: Predicate) -> Predicate:
    """A set as one that could have None as an element; its elements are then what may be None."""
    if isinstance(one.of, OptionalDomain):
        return one

    def has(x: Value) -> Logic:
        some = as_maybe(x)
        return t.FALSE if some.value is None else t.and_(some.present, one.has(some.value))

    return Predicate(OptionalDomain(one.of), has)


def as_maybe(value: Value) -> Maybe:
    return value if isinstance(value, Maybe) else Maybe(t.TRUE, value)


def fit(value: Value, domain: Domain) -> Value:
    """A value of what a variable holds: what may be None says so everywhere."""
    match value, domain:
        case Maybe(), OptionalDomain(of) if of is not None:
            return Maybe(value.present, None if value.value is None else fit(value.value, of))
        case _, OptionalDomain(of) if of is not None:
            return Maybe(t.TRUE, fit(value, of))
        case Maybe(_, inner), _ if inner is not None:
            return fit(inner, domain)
        case Row(of, parts), RecordDomain():
            return Row(of, tuple(fit(p, d) for p, (_, d) in zip(parts, domain.fields, strict=True)))
        case Function(key, at), MapDomain():
            return Function(key, lambda x: fit(at(x), domain.value))
        case Predicate(None), SetDomain(of):
            return Predicate(of, value.test)
        case Predicate(), SetDomain(SumDomain() as of):
            return Predicate(of, value.has)
        case Elements(length, at_), SequenceDomain(of) if of is not None:
            return Elements(length, lambda i: fit(at_(i), of))
    return value


def update_map(old: Value, keys: tuple[Value, ...], new: Value) -> Value:
    """A map with another value under these keys."""
    if not keys:
        return new
    if not isinstance(old, Function):
        raise Unsupported("writing under a key of what is not a map")
    first, rest = keys[0], keys[1:]
    there = update_map(old.at(first), rest, new) if rest else new
    return Function(old.key, lambda x: choose(equal(x, first), there, old.at(x)))


_TYPES: dict[type, type] = {BoolDomain: bool, IntDomain: int, SetDomain: frozenset, SequenceDomain: tuple}


def literal(value: Any, domain: Domain) -> Value:
    """Return a Python value of a domain as terms. Raises Unsupported for a value of another type."""
    kind = _TYPES.get(type(domain), class_of(domain))
    if kind is not None and type(value) is not kind:
        raise Unsupported(f"a value of the type {type(value).__name__} where {describe(domain)} is declared")
    match domain:
        case OptionalDomain(of):
            return NOTHING if value is None or of is None else Maybe(t.TRUE, literal(value, of))
        case BoolDomain():
            return Truth(t.truth(value))
        case IntDomain():
            return Number(t.number(value))
        case EnumDomain(members=members):
            return Atom(t.number(members.index(value)), domain)
        case RecordDomain():
            return Row(domain, tuple(literal(v, d) for v, (_, d) in zip(value, domain.fields, strict=True)))
        case SetDomain(of) if not value or of is not None:
            elements = [] if of is None else [literal(v, of) for v in value]
            return Predicate(of, lambda x: t.or_(*(equal(x, e) for e in elements)))
        case SequenceDomain(of) if not value or of is not None:
            return sequence_of(tuple(literal(v, of) for v in value) if of is not None else ())
    raise Unsupported(f"a literal of {describe(domain)}")


def sequence_of(elements: tuple[Value, ...]) -> Elements:
    def at(i: Logic) -> Value:
        if not elements:
            raise Unsupported("an element of an empty sequence")
        value = elements[-1]
        for position in range(len(elements) - 2, -1, -1):
            value = choose(t.eq(i, t.number(position)), elements[position], value)
        return value

    return Elements(t.number(len(elements)), at)
