"""Sums: the classes asked for, what a value can still be, and what a `match` leaves out."""

from collections.abc import Iterator
from typing import Any

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.check.fit import an, present
from isrcheck.ir.domains import (
    BOOL,
    NONE,
    BoolDomain,
    Domain,
    EnumDomain,
    Member,
    OptionalDomain,
    RecordDomain,
    SumDomain,
    describe,
    members,
    same_type,
    sum_of,
)
from isrcheck.ir.show import show
from isrcheck.place import Place


def domain_of_test(domain: Domain | None, of: Domain, at: Place) -> Domain:
    """The domain of isinstance(value, of): BOOL. Raises ModelError if the answer is always false."""
    known = members(present(domain))
    for each in members(of) if known else ():
        if not any(same_type(each, member) for member in known):
            what = " or ".join(map(describe, known))
            raise ModelError(at, f"this is never {an(each)}: it is {what}.", "Ask for a part of its union.")
    return BOOL


def narrow(domain: Domain | None, of: Domain, within: bool, at: Place) -> Domain | None:
    """The domain of a value once a test of its class succeeded or failed. Raises ModelError if no value is left."""
    known = members(present(domain))
    if domain is None or not all(isinstance(member, Member) for member in known):
        return domain
    asked = members(of)
    remaining = [member for member in known if any(same_type(member, each) for each in asked) == within]
    if not remaining and isinstance(domain, OptionalDomain) and not within:
        return NONE
    if not remaining:
        raise ModelError(at, "no value is left that this could be here.", "Leave this case out.")
    if len(remaining) == len(known) and not within:
        return domain
    name = getattr(present(domain), "name", "") if len(remaining) == len(known) else ""
    left = sum_of(remaining, name)
    return OptionalDomain(left) if isinstance(domain, OptionalDomain) and not within else left


def field_domain(record: RecordDomain, name: str, at: Place) -> Domain:
    fields = dict(record.fields)
    if name not in fields:
        raise ModelError(at, f"{record.name} has no field {name}.", f"It has {', '.join(fields)}.")
    return fields[name]


def fields_of_members(domain: SumDomain, name: str, at: Place) -> Iterator[Domain]:
    """The domains of a field that all members of a sum have. Raises ModelError if one lacks it."""
    have = [m for m in domain.members if isinstance(m, RecordDomain) and name in dict(m.fields)]
    lack = [m for m in domain.members if m not in have]
    if lack:
        what = f"this may be {an(lack[0])}, which has no field {name}."
        names = " or ".join(f"isinstance(m, {m.name})" for m in have) or "its classes"
        remedy = f"Ask {names} first, of a name or a variable, or write match." if have else "No part of it has one."
        raise ModelError(at, what, remedy)
    return (field_domain(m, name, at) for m in have)


def refuse_uncovered(cover: ir.Cover, domain: Domain | None) -> None:
    """Refuse a match without a case for some value: CPython would pass over it. Raises ModelError."""
    left = [
        describe(of) if value is None else value for of, value in _cases(domain) if not _is_covered(cover, of, value)
    ]
    if isinstance(domain, OptionalDomain) and not any(_literal(test) == (None,) for test in _alternatives(cover.tests)):
        left.append("None")
    if left:
        sentence = f"this match has no case for {_enumerate(left)}."
        raise ModelError(cover.at, sentence, "Write it, or end with case _.")


def _cases(domain: Domain | None) -> Iterator[tuple[Domain, str | None]]:
    """Each class that a value may be of, an enumeration and bool member by member."""
    for of in members(present(domain)):
        match of:
            case EnumDomain(name, values):
                yield from ((of, f"{name}.{value.name}") for value in values)
            case BoolDomain():
                yield from ((of, str(value)) for value in (False, True))
            case _:
                yield of, None


def _is_covered(cover: ir.Cover, of: Domain, value: str | None) -> bool:
    for test in _alternatives(cover.tests):
        match test:
            case ir.IsMember(domain=domain) if any(same_type(of, each) for each in members(domain)):
                return True
            case ir.Operation(right=ir.Literal(value=literal)) if value is not None:
                named = f"{type(literal).__name__}.{literal.name}" if hasattr(literal, "name") else show(literal)
                if named == value:
                    return True
    return False


def _alternatives(tests: tuple[ir.Expression, ...]) -> Iterator[ir.Expression]:
    for test in tests:
        if isinstance(test, ir.Operation) and test.operator is ir.Operator.OR:
            yield from _alternatives((test.left, test.right))
        else:
            yield test


def _literal(test: ir.Expression) -> tuple[Any, ...]:
    match test:
        case ir.Operation(right=ir.Literal(value=value)):
            return (value,)
    return ()


def _enumerate(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
