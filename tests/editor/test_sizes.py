"""The number of values of a domain is what listing them gives, wherever that is possible."""

from enum import Enum
from itertools import product
from typing import NamedTuple

import pytest

from isrcheck.editor.reading.hover import count_values
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import (
    BOOL,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Pair(NamedTuple):
    first: bool
    second: Colour


COLOUR = EnumDomain("Colour", tuple(Colour))
PAIR = RecordDomain("Pair", (("first", BOOL), ("second", COLOUR)), Pair)


@pytest.mark.parametrize(
    "domain", [BOOL, COLOUR, IntDomain(4), IntDomain(4, low=-2), PAIR, OptionalDomain(PAIR), SetDomain(PAIR)]
)
def test_as_listed(domain: Domain) -> None:
    assert count_values(domain) == codec(domain).count() == len(list(codec(domain).values()))


def test_what_is_not_listed() -> None:
    """Counted here by making them."""
    sequences = [word for length in range(4) for word in product(range(3), repeat=length)]
    assert count_values(SequenceDomain(IntDomain(2), 3)) == len(sequences) == 40
    assert count_values(SequenceDomain(None)) == 1
    assert count_values(MapDomain(COLOUR, IntDomain(4))) == len(list(product(range(5), repeat=3)))
    few = [chosen for chosen in product((0, 1), repeat=6) if sum(chosen) <= 2]
    assert count_values(SetDomain(PAIR, high=2)) == len(few) == 22
    bags = [counts for counts in product(range(4), repeat=3) if sum(counts) <= 3]
    assert count_values(MapDomain(COLOUR, IntDomain(3), total=3)) == len(bags) == 20
