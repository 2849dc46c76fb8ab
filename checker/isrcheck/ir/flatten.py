"""Between a model's values and scalars: what the members of a bound domain are, how many, and in which order.

The order of a domain is: None first, False before True, sorts by index, enumerations as written, integers upwards,
records by their first field, then the next, sets by the bit mask whose lowest bit is the first element.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import prod
from typing import Any, assert_never

from isrcheck.ir.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    describe,
)
from isrcheck.ir.scalar import Scalar

MASK_BITS = 32  # a larger set is laid out as several masks
LARGEST_SET = 4096  # elements that a set's domain may have


class Above(Exception):
    """A value beyond an upper bound: the step that made it is pruned."""


class Outside(Exception):
    """A value outside its domain for any other reason: an error of the model. The argument is a phrase."""


def number(high: int | str | None) -> int:
    """The number of a bound domain's bound."""
    assert isinstance(high, int), "the domain is not bound"
    return high


def count(domain: Domain) -> int:
    """The number of members. Raises ValueError for maps and sequences, which are never listed."""
    match domain:
        case IntDomain(high=high):
            return number(high) + 1
        case BoolDomain():
            return 2
        case SortDomain(size=size):
            return number(size)
        case EnumDomain(members=members):
            return len(members)
        case OptionalDomain(of=of):
            return 1 + (count(of) if of else 0)
        case RecordDomain(fields=fields):
            return prod(count(of) for _, of in fields)
        case SetDomain(of=of):
            size = count(of) if of else 0
            if size > MASK_BITS:
                raise ValueError(f"a set of {size} possible elements has too many values to list")
            return 1 << size
        case MapDomain() | SequenceDomain():
            raise ValueError(f"the values of {describe(domain)} are too many to list")
        case _:
            assert_never(domain)


def values(domain: Domain) -> Iterator[Any]:
    """The members in order."""
    match domain:
        case IntDomain(high=high):
            yield from range(number(high) + 1)
        case BoolDomain():
            yield from (False, True)
        case SortDomain(size=size, make=make):
            yield from map(make, range(number(size)))
        case EnumDomain(members=members):
            yield from members
        case OptionalDomain(of=of):
            yield None
            if of:
                yield from values(of)
        case RecordDomain(fields=fields, make=make):
            for parts in product(*(tuple(values(of)) for _, of in fields)):
                yield make(*parts)
        case SetDomain(of=of):
            elements = tuple(values(of)) if of else ()
            for mask in range(count(domain)):
                yield frozenset(e for bit, e in enumerate(elements) if mask >> bit & 1)
        case MapDomain() | SequenceDomain():
            raise ValueError(f"the values of {describe(domain)} are too many to list")
        case _:
            assert_never(domain)


def index(domain: Domain, value: Any) -> int:
    """The position of a member in the order of its domain. Raises Above or Outside."""
    match domain:
        case IntDomain(high=high):
            if type(value) is not int or value < 0:
                raise Outside(f"{value!r} is not in {describe(domain)}, 0 to {high}")
            if value > number(high):
                raise Above
            return value
        case BoolDomain():
            if type(value) is not bool:
                raise Outside(f"{value!r} is not a bool")
            return int(value)
        case SortDomain(size=size, sort=sort):
            if type(value) is not sort or value.index >= number(size):
                raise Outside(f"{value!r} is not a {describe(domain)}")
            return int(value.index)
        case EnumDomain(members=members):
            if type(value) is not type(members[0]):
                raise Outside(f"{value!r} is not a {describe(domain)}")
            return members.index(value)
        case OptionalDomain(of=of):
            return 0 if value is None or of is None else 1 + index(of, value)
        case RecordDomain(fields=fields, make=make):
            if type(value) is not make:
                raise Outside(f"{value!r} is not a {describe(domain)}")
            return _record_index(fields, value)
        case SetDomain(of=of):
            if type(value) is not frozenset:
                raise Outside(f"{value!r} is not a frozenset")
            return _both(lambda e: 1 << index(of, e) if of else 0, value)
        case MapDomain() | SequenceDomain():
            raise Outside(f"{describe(domain)} has no order")
        case _:
            assert_never(domain)


def _record_index(fields: tuple[tuple[str, Domain], ...], value: Any) -> int:
    """The position of a record; an error in any field goes before a value above a bound in another."""
    position, above = 0, False
    for (_, of), part in zip(fields, value, strict=True):
        position *= count(of)
        try:
            position += index(of, part)
        except Above:
            above = True
    if above:
        raise Above
    return position


def _both(part: Any, elements: Any) -> int:
    """The sum over distinct elements; an error in any of them goes before a value above a bound in another."""
    total, above = 0, False
    for element in elements:
        try:
            total += part(element)
        except Above:
            above = True
    if above:
        raise Above
    return total


def _keys_above(domain: Domain, keys: set[Any]) -> None:
    """Raises Outside unless each of these keys, which the map should not have, is above the keys' bound."""
    for key in keys:
        try:
            index(domain, key)
        except Above:
            continue
        raise Outside(f"{key!r} is not a key of the map")


@cache
def is_plain(domain: Domain) -> bool:
    """Whether a value is one scalar whose index is its position; an optional one then shares that scalar with None."""
    return isinstance(domain, IntDomain | BoolDomain | SortDomain | EnumDomain)


def masks(domain: SetDomain) -> list[int]:
    """The widths in bits of the masks that hold a set."""
    size = count(domain.of) if domain.of else 0
    if size > LARGEST_SET:
        raise ValueError(f"{describe(domain)} has {size} possible elements; {LARGEST_SET} is the most a set may have")
    return [min(MASK_BITS, size - start) for start in range(0, size, MASK_BITS)] or [0]


def scalars(domain: Domain, name: str) -> Iterator[Scalar]:
    """The scalars that hold a value of this domain, in order, named by their path in the model."""
    match domain:
        case IntDomain() | BoolDomain() | SortDomain() | EnumDomain():
            yield Scalar(name, count(domain))
        case OptionalDomain(of=of):
            if of is None or is_plain(of):
                yield Scalar(name, count(domain))
            else:
                yield Scalar(f"{name} is not None", 2)
                yield from scalars(of, name)
        case RecordDomain(fields=fields):
            for part, of in fields:
                yield from scalars(of, f"{name}.{part}")
        case MapDomain(key=key, value=value):
            for k in values(key):
                yield from scalars(value, f"{name}[{show_key(k)}]")
        case SequenceDomain(of=of, high=high):
            yield Scalar(f"len({name})", number(high) + 1)
            for slot in range(number(high) if of else 0):
                assert of is not None
                yield from scalars(of, f"{name}[{slot}]")
        case SetDomain():
            for chunk, width in enumerate(masks(domain)):
                yield Scalar(name if chunk == 0 else f"{name} ({chunk + 1})", 1 << width)
        case _:
            assert_never(domain)


def show_key(key: Any) -> str:
    """A map's key as it stands in a scalar's name."""
    return str(getattr(key, "name", key))


def width(domain: Domain) -> int:
    """The number of scalars of a value, counted without listing them. Raises ValueError as `scalars` does."""
    match domain:
        case OptionalDomain(of=of) if of is not None and not is_plain(of):
            return 1 + width(of)
        case RecordDomain(fields=fields):
            return sum(width(of) for _, of in fields)
        case MapDomain(key=key, value=value):
            return count(key) * width(value)
        case SequenceDomain(of=of, high=high):
            return 1 + (number(high) * width(of) if of else 0)
        case SetDomain():
            return len(masks(domain))
        case _:
            return 1


def flatten(domain: Domain, value: Any) -> tuple[int, ...]:
    """A value's scalars. Raises Outside if any part is outside its domain, else Above if any part is above a bound."""
    found: list[int] = []
    above = False

    def put(domain: Domain, value: Any) -> None:
        nonlocal above
        match domain:
            case IntDomain() | BoolDomain() | SortDomain() | EnumDomain():
                try:
                    found.append(index(domain, value))
                except Above:
                    above = True
                    found.append(0)
            case OptionalDomain(of=of):
                if value is None:
                    found.extend([0] * width(domain))
                elif of is None:
                    raise Outside(f"{value!r} is not None")
                elif is_plain(of):
                    put(of, value)
                    found[-1] += 1
                else:
                    found.append(1)
                    put(of, value)
            case RecordDomain(fields=fields, make=make):
                if type(value) is not make:
                    raise Outside(f"{value!r} is not a {describe(domain)}")
                for (_, of), part in zip(fields, value, strict=True):
                    put(of, part)
            case MapDomain():
                put_map(domain, value)
            case SequenceDomain(of=of, high=high):
                put_sequence(domain, of, number(high), value)
            case SetDomain():
                put_set(domain, value)
            case _:
                assert_never(domain)

    def put_map(domain: MapDomain, value: Any) -> None:
        nonlocal above
        if not isinstance(value, dict):
            raise Outside(f"{value!r} is not a map")
        keys = tuple(values(domain.key))
        if len(value) > len(keys):
            _keys_above(domain.key, set(value) - set(keys))
            above = True
        for key in keys:
            if key not in value:
                raise Outside(f"the map has no value for {show_key(key)}")
            put(domain.value, value[key])

    def put_sequence(domain: Domain, of: Domain | None, high: int, value: Any) -> None:
        nonlocal above
        if type(value) is not tuple:
            raise Outside(f"{value!r} is not a tuple")
        above |= len(value) > high
        found.append(min(len(value), high))
        start = len(found)
        for element in value:
            if of is None:
                raise Outside(f"{value!r} is not empty")
            put(of, element)
        room = (width(of) if of else 0) * high
        del found[start + room :]
        found.extend([0] * (start + room - len(found)))

    def put_set(domain: SetDomain, value: Any) -> None:
        nonlocal above
        widths = masks(domain)
        if type(value) is not frozenset:
            raise Outside(f"{value!r} is not a frozenset")
        if value and domain.of is None:
            raise Outside(f"{value!r} is not empty")
        try:
            mask = _both(lambda e: 1 << index(domain.of, e) if domain.of else 0, value)
        except Above:
            above, mask = True, 0
        for _ in widths:
            found.append(mask & ((1 << MASK_BITS) - 1))
            mask >>= MASK_BITS

    put(domain, value)
    if above:
        raise Above
    return tuple(found)


def unflatten(domain: Domain, found: Iterator[int]) -> Any:
    """The value whose scalars come next."""
    match domain:
        case IntDomain():
            return next(found)
        case BoolDomain():
            return bool(next(found))
        case SortDomain(make=make):
            return make(next(found))
        case EnumDomain(members=members):
            return members[next(found)]
        case OptionalDomain(of=of):
            return _unflatten_optional(of, found)
        case RecordDomain(fields=fields, make=make):
            return make(*[unflatten(part, found) for _, part in fields])
        case MapDomain(key=key, value=value):
            return {k: unflatten(value, found) for k in values(key)}
        case SequenceDomain(of=of, high=high):
            length = next(found)
            slots = [unflatten(of, found) for _ in range(number(high))] if of else []
            return tuple(slots[:length])
        case SetDomain(of=of):
            mask = sum(next(found) << MASK_BITS * chunk for chunk, _ in enumerate(masks(domain)))
            return frozenset(e for bit, e in enumerate(values(of)) if mask >> bit & 1) if of else frozenset()
        case _:
            assert_never(domain)


def _unflatten_optional(of: Domain | None, found: Iterator[int]) -> Any:
    if of is None:
        next(found)
        return None
    if is_plain(of):
        position = next(found)
        return None if position == 0 else unflatten(of, iter((position - 1,)))
    present = next(found)
    value = unflatten(of, found)
    return value if present else None
