"""Domains: bounds, words, and which may stand for which."""

import copy
import pickle
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import pytest

from isrcheck.ir.check.fit import fits
from isrcheck.ir.domains import (
    BOOL,
    INT,
    NONE,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SlotSetDomain,
    SumDomain,
    bound,
    describe,
    evaluate_bound,
)
from isrcheck.ir.frozen import field_names, is_data, replace
from isrcheck.ir.model import Method, Property


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Note(NamedTuple):
    number: int
    colour: Colour | None


COLOUR = EnumDomain("Colour", tuple(Colour))
TO_TWO = IntDomain(2, "Count")
NOTE = RecordDomain("Note", (("number", TO_TWO), ("colour", OptionalDomain(COLOUR))), Note)


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("n", 4), ("n - 1", 3), ("2 * n + 1", 9), ("n // 3", 1), ("min(n, 2)", 2), ("max(n, 9) - n", 5)],
)
def test_bounds(text: str, value: int) -> None:
    assert evaluate_bound(text, {"n": 4}) == value


@pytest.mark.parametrize("text", ["m", "n - 5", "n ** 2", "n /", "n // 0", "abs(n)", "min()", "n if n else 1", "'n'"])
def test_what_is_no_bound(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the bound "):
        evaluate_bound(text, {"n": 4})


def test_bounds_inside() -> None:
    written = MapDomain(COLOUR, SequenceDomain(OptionalDomain(IntDomain("n")), "n - 1"))
    assert bound(written, {"n": 3}) == MapDomain(COLOUR, SequenceDomain(OptionalDomain(IntDomain(3)), 2))


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (TO_TWO, "Count"),
        (INT, "int"),
        (OptionalDomain(COLOUR), "Colour | None"),
        (NONE, "None"),
        (MapDomain(BOOL, NOTE), "dict[bool, Note]"),
        (SequenceDomain(NOTE), "tuple[Note, ...]"),
        (SequenceDomain(None), "()"),
        (SetDomain(COLOUR), "frozenset[Colour]"),
        (SetDomain(COLOUR, frozen=False), "set[Colour]"),
        (SetDomain(None), "frozenset()"),
    ],
)
def test_words(domain: Domain, words: str) -> None:
    assert describe(domain) == words


def test_what_fits_where() -> None:
    assert fits(OptionalDomain(TO_TWO), TO_TWO)
    assert fits(OptionalDomain(TO_TWO), NONE)
    assert fits(TO_TWO, OptionalDomain(INT))  # an error of the run if it is None
    assert fits(SetDomain(NOTE), SetDomain(None))
    assert not fits(TO_TWO, BOOL)
    assert not fits(TO_TWO, NONE)
    assert not fits(SetDomain(NOTE), SetDomain(COLOUR))
    assert not fits(MapDomain(COLOUR, BOOL), MapDomain(BOOL, BOOL))


PAIR = RecordDomain("Pair", (("n", INT),), tuple)
ALIKE: list[tuple[Domain, Domain]] = [
    (PAIR, RecordDomain("Pair", (("n", INT),), list)),
    (SetDomain(INT), SetDomain(INT, frozen=False, high=3)),
    (MapDomain(INT, INT), MapDomain(INT, INT, container="Bag")),
    (SumDomain((PAIR,)), SumDomain((PAIR,), "Message")),
]
OTHER: list[tuple[Domain, Domain]] = [
    (SetDomain(INT), SetDomain(PAIR)),
    (SetDomain(INT), SlotSetDomain(INT)),
    (SlotSetDomain(INT, slots=1), SlotSetDomain(INT, slots=2)),
    (MapDomain(INT, INT), MapDomain(INT, INT, total=2)),
]


@dataclass(frozen=True)
class Plain:
    first: int
    second: int = 2


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_only_makes_or_names_it_is_not_compared(one: Domain, other: Domain) -> None:
    """Neither by == nor by !=, which Struct itself answers by identity."""
    assert one == other
    assert not one != other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_all_else_is(one: Domain, other: Domain) -> None:
    assert one != other
    assert not one == other


@pytest.mark.parametrize("domain", [each for pair in ALIKE for each in pair])
def test_copies_are_the_same(domain: Domain) -> None:
    assert pickle.loads(pickle.dumps(domain)) == copy.deepcopy(domain) == domain


def test_replace_takes_structs_and_dataclasses() -> None:
    assert replace(Plain(1), first=3) == Plain(3, 2)
    changed = replace(SetDomain(INT, high=3), of=PAIR)
    assert (changed.of, changed.high) == (PAIR, 3)
    with pytest.raises(TypeError, match="third"):
        replace(SetDomain(INT), third=1)


def test_names_of_fields_are_in_order() -> None:
    assert field_names(Plain) == ("first", "second")
    assert field_names(SlotSetDomain) == ("of", "frozen", "high", "limit", "slots", "variable")
    assert {*field_names(Property)} == {*field_names(Method), "kind"}
    assert (field_names(int), is_data(int), is_data(Plain), is_data(Method)) == ((), False, True, True)
