"""Structs that leave out some of their values when they are compared, and the one way to change a value."""

import copy
import pickle
from dataclasses import dataclass

import pytest

from isrcheck.ir.domains import INT, Domain, MapDomain, RecordDomain, SetDomain, SlotSetDomain, SumDomain
from isrcheck.ir.frozen import field_names, is_data, replace
from isrcheck.ir.model import Method, Property

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
