"""Sums: a tag says which member a value is, and the members share the scalars behind it."""

from collections.abc import Iterator
from functools import cached_property
from itertools import zip_longest
from typing import Any

from isrcheck.ir import domains
from isrcheck.ir.base_codec import Codec, Flat, Scalars
from isrcheck.ir.domains import Domain, class_of
from isrcheck.ir.scalar import Scalar


class SumCodec(Codec):
    def __init__(self, domain: domains.SumDomain, parts: list[Codec]) -> None:
        super().__init__(domain)
        self.domain: domains.SumDomain = domain
        self.parts = parts
        self.places = {class_of(member): place for place, member in enumerate(domain.members)}

    @cached_property
    def width(self) -> int:
        return 1 + max(member.width for member in self.parts)

    def count(self) -> int:
        return sum(member.count() for member in self.parts)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The position of each member's first value."""
        return tuple(sum(member.count() for member in self.parts[:place]) for place in range(len(self.parts)))

    def values(self) -> Iterator[Any]:
        for member in self.parts:
            yield from member.values()

    def place(self, value: Any) -> int:
        """The position of the member to which a value belongs."""
        place = self.places.get(type(value))
        return self.outside(value) if place is None else place

    def index(self, value: Any) -> int:
        place = self.place(value)
        return self.starts[place] + self.parts[place].index(value)

    def scalars(self, name: str) -> Scalars:
        yield Scalar(f"type({name})", len(self.parts))
        for slot, sizes in enumerate(self.sizes):
            yield Scalar(f"{name}:{slot}", max(sizes))

    @cached_property
    def sizes(self) -> list[tuple[int, ...]]:
        """The size of each shared scalar in each member; 1 where a member has none."""
        laid = [[scalar.size for scalar in member.scalars("")] for member in self.parts]
        return list(zip_longest(*laid, fillvalue=1))

    def put(self, value: Any, scalars: Flat) -> bool:
        place = self.place(value)
        end = len(scalars) + self.width
        scalars.append(place)
        above = self.parts[place].put(value, scalars)
        scalars.extend([0] * (end - len(scalars)))
        return above

    def unflatten(self, scalars: Iterator[int]) -> Any:
        place = next(scalars)
        shared = [next(scalars) for _ in range(self.width - 1)]
        return self.parts[place].unflatten(iter(shared))


def may_be_equal(one: Domain, other: Domain) -> bool:
    """Whether CPython can find a value of one equal to a value of the other: named tuples are equal as tuples."""
    match one, other:
        case domains.OptionalDomain(of=a), domains.OptionalDomain():
            return True
        case (domains.OptionalDomain(of=a), b) | (b, domains.OptionalDomain(of=a)):
            return a is not None and may_be_equal(a, b)
        case domains.EnumDomain(members=a), domains.EnumDomain(members=b):
            return any(x == y for x in a for y in b)
        case domains.RecordDomain(fields=a, make=x), domains.RecordDomain(fields=b, make=y):
            by_class = x is not y and compares_class(x) and compares_class(y)
            pairs = zip(a, b, strict=False)
            return not by_class and len(a) == len(b) and all(may_be_equal(p, q) for (_, p), (_, q) in pairs)
        case (domains.SumDomain(members=a), b) | (b, domains.SumDomain(members=a)):
            return any(may_be_equal(member, b) for member in a)
        case domains.SortDomain(), domains.SortDomain():
            return domains.same_type(one, other)
    return _kind(one) == _kind(other)


def compares_class(record: Any) -> bool:
    return bool(record.__eq__ is not tuple.__eq__)


def _kind(domain: Domain) -> str:
    """The group of domains whose values CPython may take for equal."""
    match domain:
        case domains.IntDomain() | domains.BoolDomain():
            return "number"
        case domains.EnumDomain(members=(int(), *_)):
            return "number"
        case domains.RecordDomain() | domains.SequenceDomain():
            return "tuple"
    return type(domain).__name__
