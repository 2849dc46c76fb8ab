"""The domains of a model's values: what a variable, a parameter or an expression may be.

Bounds are expressions of constants as written; `bound` puts numbers in their place.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import attrgetter
from typing import Any, TypeVar, assert_never

from isrcheck.ir import interval
from isrcheck.ir.frozen import ComparedStruct, FrozenStruct, replace
from isrcheck.ir.interval import Interval, Span

T = TypeVar("T")


class IntDomain(FrozenStruct):
    """0 to `high`, then `low` to -1 if it is below 0: numbers, expressions of constants, or None for no bound."""

    high: int | str | None = None
    name: str = ""  # the alias it was declared under, such as Offset
    limit: str = ""  # the bound as written, where it names symbolic constants: then `high` is the largest it can be
    low: int | str = 0


class BoolDomain(FrozenStruct):
    """The truth values False and True, in this order."""


class SortDomain(ComparedStruct):
    """The members of a sort; `size` is a number or an expression of constants."""

    name: str
    size: int | str
    symmetric: bool
    make: Callable[[int], Any]
    sort: Any

    compared = attrgetter("name", "size", "symmetric")


class EnumDomain(FrozenStruct):
    """The members of an enumeration, in the order written."""

    name: str
    members: tuple[Any, ...]


class OptionalDomain(FrozenStruct):
    """A value of `of`, or None. `of` is None for the domain of the word None itself."""

    of: "Domain | None"


class RecordDomain(ComparedStruct):
    """The records of a class; `make` takes the fields in order."""

    name: str
    fields: "tuple[tuple[str, Domain], ...]"
    make: Callable[..., Any]

    compared = attrgetter("name", "fields")


class MapDomain(ComparedStruct):
    """Maps with a value at every key. A bag has `total`, the most values it holds: keys counted by their values."""

    key: "Domain"
    value: "Domain"
    total: int | str | None = None
    limit: str = ""  # of `total`, as in IntDomain
    container: str = ""  # Network, Bag or Channels: with methods of its own

    compared = attrgetter("key", "value", "total")


class SequenceDomain(FrozenStruct):
    """At most `high` elements; `of` is None for the empty sequence."""

    of: "Domain | None"
    high: int | str | None = None
    name: str = ""
    limit: str = ""  # as in IntDomain


class SetDomain(ComparedStruct):
    """The sets of elements of `of`, None for the empty set alone. A set display on its own is not frozen."""

    of: "Domain | None"
    frozen: bool = True
    high: int | str | None = None  # elements that it may have at once; None for any
    limit: str = ""  # as in IntDomain

    compared = attrgetter("of")


class SlotSetDomain(SetDomain):
    """A set of few elements at once among many, of a variable: see ir/slots.py. Bound domains only."""

    slots: int = 1
    variable: str = ""

    compared = attrgetter("of", "slots", "variable")


class SlotMapDomain(MapDomain):
    """A map of which most keys have the default."""

    default: Any = None
    slots: int = 1
    variable: str = ""

    compared = attrgetter("key", "value", "total", "default", "slots", "variable")


class SumDomain(ComparedStruct):
    """A value of one of its members: records, enumerations and sorts, by name, so that A | B and B | A are one."""

    members: "tuple[SortDomain | EnumDomain | RecordDomain, ...]"
    name: str = ""  # the alias it was declared under, such as Message

    compared = attrgetter("members")


AtomDomain = IntDomain | BoolDomain | SortDomain | EnumDomain  # of values that have no parts
Member = SortDomain | EnumDomain | RecordDomain  # of a sum
Domain = AtomDomain | OptionalDomain | RecordDomain | MapDomain | SequenceDomain | SetDomain | SumDomain

BOOL = BoolDomain()
INT = IntDomain()
NONE = OptionalDomain(None)


def parts(domain: Domain) -> tuple[Domain, ...]:
    """The domains of a value's fields, elements or values."""
    match domain:
        case OptionalDomain(of) | SequenceDomain(of) | SetDomain(of):
            return (of,) if of else ()
        case RecordDomain(fields=fields):
            return tuple(of for _, of in fields)
        case MapDomain(value=value):
            return (value,)
        case SumDomain(members):
            return members
    return ()


def members(domain: Domain | None) -> tuple[Domain, ...]:
    """The members of a sum; of another domain, itself."""
    return domain.members if isinstance(domain, SumDomain) else (domain,) if domain is not None else ()


def class_of(domain: Domain) -> Any:
    """The class of a record, a sort or an enumeration; None of another domain."""
    match domain:
        case RecordDomain(make=cls) | SortDomain(sort=cls):
            return cls
        case EnumDomain(members=(first, *_)):
            return type(first)
    return None


def same_type(one: Domain, other: Domain) -> bool:
    """Whether two members of sums are one class, whatever its bounds."""
    return class_of(one) is class_of(other) is not None


def sum_of(domains: Iterable[Domain], name: str = "") -> Domain:
    """The sum of these domains, each once; one domain alone stays itself."""
    members: list[Any] = []
    for each in domains:
        if not any(same_type(each, other) for other in members):
            members.append(each)
    members.sort(key=lambda member: member.name)
    return SumDomain(tuple(members), name) if len(members) > 1 else members[0]


def value_domains(domain: Domain) -> Iterator[Domain]:
    """Yield the domains in a domain that have their own scalars."""
    yield domain
    if not isinstance(domain, SetDomain):
        for inner in parts(domain):
            yield from value_domains(inner)


def number(high: int | str | None) -> int:
    assert isinstance(high, int), "the domain is not bound"
    return high


def inner_domains(domain: Domain | None) -> Iterator[Domain]:
    """All of its parts, innermost first."""
    if domain is not None:
        for inner in (domain.key, domain.value) if isinstance(domain, MapDomain) else parts(domain):
            yield from inner_domains(inner)
        yield domain


def describe(domain: Domain) -> str:
    match domain:
        case IntDomain(name=name):
            return name or "int"
        case BoolDomain():
            return "bool"
        case SortDomain(name) | EnumDomain(name) | RecordDomain(name):
            return name
        case OptionalDomain(of):
            return "None" if of is None else f"{describe(of)} | None"
        case MapDomain(key, _, total=total, container=container) if total is not None:
            return f"{container}[{describe(key)}]"
        case MapDomain(key, SequenceDomain(of), container=container) if container and of is not None:
            return f"{container}[{describe(key)}, {describe(of)}]"
        case MapDomain(key, value):
            return f"dict[{describe(key)}, {describe(value)}]"
        case SequenceDomain(of):
            return domain.name or ("()" if of is None else f"tuple[{describe(of)}, ...]")
        case SetDomain(of, frozen):
            return ("frozenset" if frozen else "set") + ("()" if of is None else f"[{describe(of)}]")
        case SumDomain(members, name):
            return name or " | ".join(map(describe, members))
        case _:
            assert_never(domain)


def evaluate(
    expression: str,
    number: Callable[[int], T],
    constant: Callable[[str], T],
    operations: Mapping[type[ast.operator] | str, Callable[[T, T], T]],
) -> T:
    """Evaluate a bound made of constants, integers, + - * // min max. Raises ValueError."""

    def value(node: ast.expr) -> T:
        match node:
            case ast.Constant(int() as n):
                return number(n)
            case ast.Name(name):
                return constant(name)
            case ast.UnaryOp(ast.USub(), operand) if ast.Sub in operations:
                return operations[ast.Sub](number(0), value(operand))
            case ast.BinOp(left, op, right) if type(op) in operations:
                return operations[type(op)](value(left), value(right))
            case ast.Call(ast.Name(name), args, []) if name in operations and args:
                return reduce(operations[name], map(value, args))
        raise ValueError(f"the bound {expression!r} is not made of integer constants, numbers, + - * //, min and max")

    return value(ast.parse(expression, mode="eval").body)


_INTERVALS: dict[type[ast.operator] | str, Callable[[Interval, Interval], Interval]] = {
    ast.Add: interval.add,
    ast.Sub: interval.sub,
    ast.Mult: interval.mul,
    "min": interval.least,
    "max": interval.greatest,
}


def evaluate_number(expression: str, constants: Mapping[str, Any]) -> int:
    """The value of an expression that bounds something. Raises ValueError, with a sentence."""
    low, high = _interval(expression, constants)
    if low != high:
        raise ValueError(f"{expression!r} has no single value: it names a symbolic constant")
    return low


def _interval(expression: str, constants: Mapping[str, Any]) -> Interval:
    def constant(name: str) -> Interval:
        match constants.get(name):
            case int(n):
                return int(n), int(n)
            case Span(low, high):
                return low, high
        raise ValueError(f"the bound {expression!r} names {name}, which is not an integer constant of the model")

    def divide(a: Interval, b: Interval) -> Interval:
        if b[0] != b[1]:
            raise ValueError(f"the bound {expression!r} divides by a symbolic constant")
        return interval.floordiv(*((-a[1], -a[0]), -b[0]) if b[0] < 0 else (a, b[0]))

    try:
        low, high = evaluate(expression, lambda n: (n, n), constant, {**_INTERVALS, ast.FloorDiv: divide})
    except (SyntaxError, ZeroDivisionError):
        raise ValueError(f"the bound {expression!r} is not an expression with a value") from None
    return low, high


def evaluate_bound(expression: str, constants: Mapping[str, Any]) -> int:
    """The value; of symbolic constants, the largest. Raises ValueError with a sentence."""
    low, high = _interval(expression, constants)
    if low < 0:
        can = "is" if low == high else "can be"
        raise ValueError(f"the bound {expression!r} {can} {low} with these constants; a bound is 0 or more")
    return high


def bound_names(expression: str) -> frozenset[str]:
    """The constants that it names."""
    return frozenset(node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name))


def names_in_bound(domain: Domain) -> frozenset[str]:
    high = domain.size if isinstance(domain, SortDomain) else getattr(domain, "high", None)
    written = (end for end in (high, getattr(domain, "low", None)) if isinstance(end, str))
    return frozenset[str]().union(*map(bound_names, written))


def span(domain: IntDomain) -> tuple[int, int]:
    """The lowest and the highest of a bound domain."""
    assert isinstance(domain.low, int)
    return domain.low, number(domain.high)


def bound(domain: Domain, constants: Mapping[str, Any]) -> Domain:
    """Bind the constants in a domain. Raises ValueError like `evaluate_bound`."""

    def number(high: int | str | None) -> int | None:
        return evaluate_bound(high, constants) if isinstance(high, str) else high

    def lowest(low: int | str) -> int:
        number_below = evaluate_number(low, constants) if isinstance(low, str) else low
        if number_below > 0:
            raise ValueError(f"the lower bound {low!r} is {number_below} with these constants; it is 0 or less")
        return number_below

    def limit(of: int | str | None) -> str:
        if isinstance(of, str) and any(isinstance(constants.get(name), Span) for name in bound_names(of)):
            return of
        return ""

    match domain:
        case IntDomain():
            low = lowest(domain.low)
            if low < 0 and limit(domain.high):
                raise ValueError(f"the bound {domain.high!r} of integers from {low} names a symbolic constant")
            return replace(domain, high=number(domain.high), limit=limit(domain.high), low=low)
        case BoolDomain() | EnumDomain():
            return domain
        case SortDomain():
            return replace(domain, size=number(domain.size) or 0)
        case OptionalDomain(of):
            return replace(domain, of=of and bound(of, constants))
        case SetDomain(of, high=high) | SequenceDomain(of, high):
            return replace(domain, of=of and bound(of, constants), high=number(high), limit=limit(high))
        case RecordDomain():
            return replace(domain, fields=tuple((name, bound(of, constants)) for name, of in domain.fields))
        case MapDomain(key, value):
            total, most = number(domain.total), limit(domain.total)
            return replace(domain, key=bound(key, constants), value=bound(value, constants), total=total, limit=most)
        case SumDomain():
            bounded: list[Any] = [bound(member, constants) for member in domain.members]
            return replace(domain, members=tuple(bounded))
        case _:
            assert_never(domain)
