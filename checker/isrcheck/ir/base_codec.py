"""The contract of a codec: the members of a bound domain, and its scalars (ir/codec.py)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Never

from isrcheck.errors import UsageError
from isrcheck.ir.domains import Domain, describe
from isrcheck.ir.scalar import Scalar

Scalars = Iterator[Scalar]


class Above(Exception):
    """A value above a bound: the step is pruned."""


class Outside(Exception):
    """A value outside its domain for any other reason. The argument is a phrase."""


class NeedsSlots(UsageError):
    """A step puts more into a variable's slots (ir/slots.py) than there are."""

    def __init__(self, variable: str) -> None:
        remedy = 'Say how many there may be: Annotated[frozenset[X], UpTo("...")].'
        super().__init__(f"{variable} holds more at once than there is room for here. {remedy}")
        self.variable = variable


class Flat(list[int]):
    """The scalars of a value, in order."""

    needs = ""  # the variable that has too few slots for it (ir/slots.py)


class Codec(ABC):
    """The translation between a domain's values and their scalars."""

    plain = False  # whether a value is one scalar, whose index is its position: None then shares that scalar with it

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    @cached_property
    def width(self) -> int:
        """The number of scalars. Raises ValueError for too many."""
        return 1

    def outside(self, value: Any) -> Never:
        raise Outside(f"{value!r} is not a {describe(self.domain)}")

    def count(self) -> int:
        """The number of members. Raises ValueError if they cannot be listed."""
        raise ValueError(f"the values of {describe(self.domain)} are too many to list")

    def values(self) -> Iterator[Any]:
        """Yield the members in order. Raises ValueError like `count`."""
        raise ValueError(f"the values of {describe(self.domain)} are too many to list")

    @cached_property
    def listed(self) -> tuple[Any, ...]:
        return tuple(self.values())

    def index(self, value: Any) -> int:
        """The position of a value among the members. Raises Above or Outside."""
        raise Outside(f"{describe(self.domain)} has no order")

    def scalars(self, name: str) -> Scalars:
        """Yield the scalars in order, named by their path. A domain without members has one of the only value 0."""
        yield Scalar(name, max(1, self.count()))

    def flatten(self, value: Any) -> tuple[int, ...]:
        """The scalars of a value. Raises Outside, else Above, else NeedsSlots, whatever element causes it."""
        scalars = Flat()
        if self.put(value, scalars):
            raise Above
        if scalars.needs:
            raise NeedsSlots(scalars.needs)
        return tuple(scalars)

    def put(self, value: Any, scalars: Flat) -> bool:
        """Add the scalars of a value, and return whether one is above a bound. Raises Outside."""
        place = within(self.index, value)
        scalars.append(place or 0)
        return place is None

    @abstractmethod
    def unflatten(self, scalars: Iterator[int]) -> Any:
        """The value whose scalars come next."""


def within(index: Any, value: Any) -> int | None:
    try:
        return int(index(value))
    except Above:
        return None
