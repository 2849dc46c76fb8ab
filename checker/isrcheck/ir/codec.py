"""Codecs between a model's values and numbers: the members of a bound domain, and its scalars.

The order of a domain is: None first, False before True, sorts by index, enumerations as written,
integers upwards, records by their first field, then the next, sets by the bit mask whose lowest
bit is the first element, sums by their members, one member's values after another's.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from operator import attrgetter
from typing import Any, TypeVar, overload

from isrcheck.ir import domains
from isrcheck.ir.base_codec import Above, Codec, Flat, NeedsSlots, Outside, Scalars, within
from isrcheck.ir.domains import Domain, describe, number
from isrcheck.ir.scalar import Scalar
from isrcheck.ir.sums import SumCodec

__all__ = ["Above", "Codec", "NeedsSlots", "Outside", "codec"]

MASK_BITS = 32  # a larger set is laid out as several masks
LARGEST_SET = 4096  # elements that a set's domain may have
_CODECS = 4096  # that are kept: those of some hundred models


class AtomCodec(Codec):
    """The codec of values that have no elements."""

    plain = True

    def __init__(self, domain: domains.AtomDomain | domains.OptionalDomain) -> None:
        super().__init__(domain)
        self.kind: type = type(None)
        self.value_at: Callable[[int], Any] = (None,).__getitem__
        self.position: Callable[[Any], int] = (None,).index
        self.size = 1
        self.low = 0
        match domain:
            case domains.IntDomain():
                low, high = domains.span(domain)
                self.plain, self.low, self.size, self.kind = low == 0, low, high - low + 1, int
                self.value_at, self.position = (int, int) if self.plain else (self._integer_at, self._place_of)
            case domains.BoolDomain():
                self.kind, self.value_at, self.position, self.size = bool, bool, int, 2
            case domains.SortDomain(sort=sort, make=make, size=size):
                self.kind, self.value_at, self.position, self.size = sort, make, attrgetter("index"), number(size)
            case domains.EnumDomain(members=members):
                self.kind, self.size = type(members[0]), len(members)
                self.value_at, self.position = members.__getitem__, members.index

    def _integer_at(self, place: int) -> int:
        """The integer at a position: from 0 up to the highest, then from the lowest."""
        return place if place < self.size + self.low else place - self.size

    def _place_of(self, value: int) -> int:
        if value >= self.size + self.low:
            return value + self.size  # above
        return value % self.size if value >= self.low else value

    def count(self) -> int:
        return self.size

    def values(self) -> Iterator[Any]:
        yield from map(self.value_at, range(self.size))

    def index(self, value: Any) -> int:
        integer = isinstance(self.domain, domains.IntDomain)
        if type(value) is self.kind and 0 <= (position := self.position(value)):
            if position < self.size:
                return position
            if integer:
                raise Above
        if integer:
            raise Outside(f"{value!r} is not in {describe(self.domain)}, {self.low} to {self.low + self.size - 1}")
        return self.outside(value)

    def unflatten(self, scalars: Iterator[int]) -> Any:
        return self.value_at(next(scalars))


class OptionalCodec(Codec):
    def __init__(self, domain: domains.OptionalDomain) -> None:
        super().__init__(domain)
        self.of = codec(domain.of or domains.NONE)

    @cached_property
    def width(self) -> int:
        return 1 if self.of.plain else 1 + self.of.width

    def count(self) -> int:
        return 1 + self.of.count()

    def values(self) -> Iterator[Any]:
        yield None
        yield from self.of.values()

    def index(self, value: Any) -> int:
        return 0 if value is None else 1 + self.of.index(value)

    def scalars(self, name: str) -> Scalars:
        if self.of.plain:  # one scalar says whether there is a value, and which
            yield Scalar(name, self.count())
        else:
            yield Scalar(f"{name} is not None", 2)
            yield from self.of.scalars(name)

    def put(self, value: Any, scalars: Flat) -> bool:
        if self.of.plain:
            return super().put(value, scalars)
        if value is None:
            scalars.extend([0] * self.width)
            return False
        scalars.append(1)
        return self.of.put(value, scalars)

    def unflatten(self, scalars: Iterator[int]) -> Any:
        present = next(scalars)
        if self.of.plain:
            return self.of.unflatten(iter((present - 1,))) if present else None
        value = self.of.unflatten(scalars)
        return value if present else None


class RecordCodec(Codec):
    def __init__(self, domain: domains.RecordDomain) -> None:
        super().__init__(domain)
        self.make, self.names = domain.make, [name for name, _ in domain.fields]
        self.parts = [codec(of) for _, of in domain.fields]

    @cached_property
    def width(self) -> int:
        return sum(field.width for field in self.parts)

    def count(self) -> int:
        return prod(field.count() for field in self.parts)

    def values(self) -> Iterator[Any]:
        for parts in product(*(tuple(field.values()) for field in self.parts)):
            yield self.make(*parts)

    def index(self, value: Any) -> int:
        if type(value) is not self.make:
            self.outside(value)
        position = 0
        for field, place in zip(self.parts, _each(self.parts, value), strict=True):
            position = position * field.count() + place
        return position

    def scalars(self, name: str) -> Scalars:
        for field, of in zip(self.names, self.parts, strict=True):
            yield from of.scalars(f"{name}.{field}")

    def put(self, value: Any, scalars: Flat) -> bool:
        if type(value) is not self.make:
            self.outside(value)
        above = [field.put(each, scalars) for field, each in zip(self.parts, value, strict=True)]
        return any(above)

    def unflatten(self, scalars: Iterator[int]) -> Any:
        return self.make(*[field.unflatten(scalars) for field in self.parts])


def _each(codecs: Iterable[Codec], values: Iterable[Any]) -> list[int]:
    """Return the index of each value by its codec. Raises Outside rather than Above if both apply."""
    positions = [within(each.index, value) for each, value in zip(codecs, values, strict=False)]
    if None in positions:
        raise Above
    return [position for position in positions if position is not None]


class MapCodec(Codec):
    def __init__(self, domain: domains.MapDomain) -> None:
        super().__init__(domain)
        self.key = codec(domain.key)
        self.value = codec(domain.value)
        self.total = None if domain.total is None else number(domain.total)

    @cached_property
    def width(self) -> int:
        return self.key.count() * self.value.width

    def scalars(self, name: str) -> Scalars:
        for key in self.key.listed:
            yield from self.value.scalars(f"{name}[{show_key(key)}]")

    def put(self, value: Any, scalars: Flat) -> bool:
        if not isinstance(value, dict):
            raise Outside(f"{value!r} is not a map")
        keys = self.key.listed
        above = len(value) > len(keys)
        for key in set(value) - set(keys) if above else ():
            if within(self.key.index, key) is not None:
                raise Outside(f"{key!r} is not a key of the map")
        for key in keys:
            if key not in value:
                raise Outside(f"the map has no value for {show_key(key)}")
            above |= self.value.put(value[key], scalars)
        return above or (self.total is not None and sum(value.values()) > self.total)

    def unflatten(self, scalars: Iterator[int]) -> Any:
        return {key: self.value.unflatten(scalars) for key in self.key.listed}


def show_key(key: Any) -> str:
    return str(getattr(key, "name", key))


class SequenceCodec(Codec):
    def __init__(self, domain: domains.SequenceDomain) -> None:
        super().__init__(domain)
        assert domain.of is not None
        self.of = codec(domain.of)
        self.high = number(domain.high)

    @cached_property
    def width(self) -> int:
        return 1 + self.high * self.of.width

    def scalars(self, name: str) -> Scalars:
        yield Scalar(f"len({name})", self.high + 1)
        for slot in range(self.high):
            yield from self.of.scalars(f"{name}[{slot}]")

    def put(self, value: Any, scalars: Flat) -> bool:
        if type(value) is not tuple:
            raise Outside(f"{value!r} is not a tuple")
        above = len(value) > self.high
        end = len(scalars) + self.width
        scalars.append(min(len(value), self.high))
        for element in value:
            above |= self.of.put(element, scalars)
        del scalars[end:]
        scalars.extend([0] * (end - len(scalars)))
        return above

    def unflatten(self, scalars: Iterator[int]) -> Any:
        length = next(scalars)
        slots = [self.of.unflatten(scalars) for _ in range(self.high)]
        return tuple(slots[:length])


class SetCodec(Codec):
    def __init__(self, domain: domains.SetDomain) -> None:
        super().__init__(domain)
        assert domain.of is not None
        self.of = codec(domain.of)

    @cached_property
    def masks(self) -> list[int]:
        """The bits of each mask. Raises ValueError for too many elements."""
        size, most = self.of.count(), LARGEST_SET
        if size > most:
            raise ValueError(f"{describe(self.domain)} has {size} possible elements; {most} is the most a set may have")
        return [min(MASK_BITS, size - start) for start in range(0, size, MASK_BITS)] or [0]

    @cached_property
    def width(self) -> int:
        return len(self.masks)

    def count(self) -> int:
        size = self.of.count()
        if size > MASK_BITS:
            raise ValueError(f"a set of {size} possible elements has too many values to list")
        return 1 << size

    def values(self) -> Iterator[Any]:
        yield from map(self._members, range(self.count()))

    def _members(self, mask: int) -> frozenset[Any]:
        return frozenset(element for bit, element in enumerate(self.of.listed) if mask >> bit & 1)

    def index(self, value: Any) -> int:
        if type(value) is not frozenset:
            raise Outside(f"{value!r} is not a frozenset")
        return sum(1 << bit for bit in _each([self.of] * len(value), value))

    def scalars(self, name: str) -> Scalars:
        for chunk, width in enumerate(self.masks):
            yield Scalar(name if chunk == 0 else f"{name} ({chunk + 1})", 1 << width)

    def put(self, value: Any, scalars: Flat) -> bool:
        mask = within(self.index, value)
        high = self.domain.high if isinstance(self.domain, domains.SetDomain) else None
        if isinstance(high, int) and len(value) > high:
            mask = None
        scalars.extend((mask or 0) >> MASK_BITS * chunk & ((1 << MASK_BITS) - 1) for chunk in range(self.width))
        return mask is None

    def unflatten(self, scalars: Iterator[int]) -> Any:
        return self._members(sum(next(scalars) << MASK_BITS * chunk for chunk in range(self.width)))


KINDS: dict[type, Any] = {
    domains.OptionalDomain: OptionalCodec,
    domains.RecordDomain: RecordCodec,
    domains.MapDomain: MapCodec,
    domains.SequenceDomain: SequenceCodec,
    domains.SetDomain: SetCodec,
}


def codec(domain: Domain) -> Codec:
    return _codec(id(domain), domain)  # equal domains of two models make values of different classes


@lru_cache(_CODECS)
def _codec(_: int, domain: Domain) -> Codec:
    if isinstance(domain, domains.SumDomain):
        return SumCodec(domain, [codec(member) for member in domain.members])
    created: Codec = AtomCodec(domains.NONE) if domain == domains.NONE else KINDS.get(type(domain), AtomCodec)(domain)
    return created


@dataclass(frozen=True)
class Numbering:
    """The number of a value, which counts from 0: its position in the domain, or a code of bits (ir/slots.py)."""

    size: Callable[[Domain], int]  # above every number of a domain
    present: Callable[[Domain], int]  # added to the number of an optional value that is not None
    first: Callable[[domains.SumDomain, int], int]  # added to the number of a value of this member


POSITIONS = Numbering(
    size=lambda domain: codec(domain).count(),
    present=lambda of: 1,
    first=lambda domain, place: sum(codec(member).count() for member in domain.members[:place]),
)

T = TypeVar("T")


class Computed(Sequence[T]):
    """A subclass gives its length, and the element at a position within it."""

    @abstractmethod
    def at(self, position: int) -> T: ...

    @overload
    def __getitem__(self, position: int) -> T: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[T]: ...
    def __getitem__(self, position: int | slice) -> T | Sequence[T]:
        if isinstance(position, slice):
            return [self.at(each) for each in range(*position.indices(len(self)))]
        if not 0 <= position < len(self):
            raise IndexError(position)
        return self.at(position)


@contextmanager
def allow_sets_of(most: int) -> Iterator[None]:
    """Let domains of sets have so many elements meanwhile: the limit is that of engines that compile."""
    global LARGEST_SET
    limit, LARGEST_SET = LARGEST_SET, most
    try:
        yield
    finally:
        LARGEST_SET = limit
