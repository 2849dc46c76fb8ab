"""Values to scalars and words and back, and the order of every domain."""

from enum import Enum
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isrcheck import Sort
from isrcheck.ir.codec import Above, Outside, codec
from isrcheck.ir.domains import (
    BOOL,
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
    SortDomain,
)
from isrcheck.ir.pack import WORD_BITS, digest, pack_scalars, state_hash
from isrcheck.ir.scalar import Scalar
from isrcheck.ir.slots import SlotSetCodec
from isrcheck.lang.declare import member


class Node(Sort, size="nodes"):
    """Some."""


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Pair(NamedTuple):
    one: Any
    two: Any


NODES = SortDomain("Node", 3, True, lambda i: member(Node, i), Node)
COLORS = EnumDomain("Color", tuple(Color))


def pair(one: Domain, two: Domain) -> RecordDomain:
    return RecordDomain("Pair", (("one", one), ("two", two)), Pair)


single = st.one_of(st.integers(0, 4).map(IntDomain), st.just(BOOL), st.just(NODES), st.just(COLORS))


def optional(inner: st.SearchStrategy[Domain]) -> st.SearchStrategy[Domain]:
    """Python has no optional optional values."""
    return inner.filter(lambda d: not isinstance(d, MapDomain | OptionalDomain)).map(OptionalDomain)


def listed(inner: st.SearchStrategy[Domain]) -> st.SearchStrategy[Domain]:
    """Domains that can be listed, and not by the thousand."""
    made = st.one_of(optional(inner), st.builds(pair, inner, inner), inner.map(SetDomain))
    return made.filter(lambda d: not isinstance(d, SetDomain) or _listable(d))


def _listable(domain: Domain) -> bool:
    try:
        return codec(domain).count() <= 600
    except ValueError:
        return False


small: st.SearchStrategy[Domain] = st.recursive(single, listed, max_leaves=3).filter(_listable)
domains: st.SearchStrategy[Domain] = st.recursive(
    st.one_of(small, small.map(SetDomain)),
    lambda inner: st.one_of(
        st.builds(SequenceDomain, inner, st.integers(0, 3)),
        st.builds(MapDomain, single, inner),
        optional(inner),
        st.builds(pair, *[inner.filter(lambda d: not isinstance(d, MapDomain))] * 2),
    ),
    max_leaves=4,
)


def a_value(draw: st.DrawFn, domain: Domain) -> Any:
    match domain:
        case OptionalDomain(of=of):
            return a_value(draw, of) if of is not None and draw(st.booleans()) else None
        case RecordDomain(fields=fields, make=make):
            return make(*(a_value(draw, of) for _, of in fields))
        case MapDomain(key=key, value=value):
            return {k: a_value(draw, value) for k in codec(key).values()}
        case SequenceDomain(of=of, high=high):
            assert isinstance(high, int)
            return tuple(a_value(draw, of) for _ in range(draw(st.integers(0, high)))) if of else ()
        case SetDomain(of=of):
            assert of is not None
            return frozenset(draw(st.sets(st.sampled_from(list(codec(of).values())), max_size=5)))
    return draw(st.sampled_from(list(codec(domain).values())))


@st.composite
def domain_and_values(draw: st.DrawFn) -> tuple[Domain, Any, Any]:
    domain = draw(domains)
    return domain, a_value(draw, domain), a_value(draw, domain)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(domain_and_values())
def test_there_and_back(drawn: tuple[Domain, Any, Any]) -> None:
    domain, one, two = drawn
    found = codec(domain).flatten(one)
    layout = list(codec(domain).scalars("x"))
    assert len(found) == len(layout) == codec(domain).width
    assert all(0 <= part < scalar.size for part, scalar in zip(found, layout, strict=True))
    assert codec(domain).unflatten(iter(found)) == one
    assert (codec(domain).flatten(two) == found) == (one == two)
    packed = pack_scalars(layout)
    assert packed.unpack(packed.pack(found)) == found
    assert all(word < 1 << 64 for word in packed.pack(found))


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(small)
def test_count_values_and_index_agree(domain: Domain) -> None:
    found = list(codec(domain).values())
    assert len(found) == len(set(found)) == codec(domain).count()
    assert [codec(domain).index(value) for value in found] == list(range(len(found)))


def test_the_order_of_each_domain() -> None:
    assert list(codec(OptionalDomain(BOOL)).values()) == [None, False, True]
    assert list(codec(NODES).values()) == [member(Node, 0), member(Node, 1), member(Node, 2)]
    assert list(codec(COLORS).values()) == [Color.RED, Color.BLUE]
    assert list(codec(IntDomain(2)).values()) == [0, 1, 2]
    assert list(codec(pair(BOOL, IntDomain(1))).values()) == [
        Pair(False, 0),
        Pair(False, 1),
        Pair(True, 0),
        Pair(True, 1),
    ]
    subsets: list[frozenset[int]] = [frozenset(), frozenset({0}), frozenset({1}), frozenset({0, 1})]
    assert list(codec(SetDomain(IntDomain(1))).values()) == subsets
    assert list(codec(NONE).values()) == [None]


def test_what_is_beyond_a_sequences_length_is_zero() -> None:
    domain = SequenceDomain(OptionalDomain(IntDomain(2)), 3)
    assert codec(domain).flatten((2,)) == (1, 3, 0, 0)
    assert codec(domain).flatten((None, 0)) == (2, 0, 1, 0)


def test_an_absent_record_is_zero() -> None:
    domain = OptionalDomain(pair(OptionalDomain(BOOL), IntDomain(2)))
    assert codec(domain).flatten(None) == (0, 0, 0)
    assert codec(domain).flatten(Pair(None, 0)) == (1, 0, 0)
    assert codec(domain).flatten(Pair(False, 2)) == (1, 1, 2)


def test_a_large_set_takes_several_masks() -> None:
    domain = SetDomain(IntDomain(69))
    assert [scalar.bits for scalar in codec(domain).scalars("x")] == [32, 32, 6]
    value = frozenset({0, 31, 32, 69})
    assert codec(domain).flatten(value) == (1 | 1 << 31, 1, 1 << 5)
    assert codec(domain).unflatten(iter(codec(domain).flatten(value))) == value


INT = IntDomain(2)
ABOVE = [
    (INT, 3),
    (OptionalDomain(INT), 3),
    (pair(INT, INT), Pair(0, 9)),
    (SequenceDomain(INT, 1), (0, 0)),
    (SequenceDomain(INT, 1), (3,)),
    (SetDomain(INT), frozenset({1, 3})),
    (SetDomain(SetDomain(INT)), frozenset({frozenset({3})})),
    (SetDomain(pair(INT, BOOL)), frozenset({Pair(3, True)})),
    (OptionalDomain(pair(INT, BOOL)), Pair(3, True)),
    (MapDomain(BOOL, INT), {False: 0, True: 4}),
    (MapDomain(INT, BOOL), {0: True, 1: True, 2: True, 3: True}),
]
OUTSIDE = [
    (INT, -1),
    (INT, True),
    (INT, None),
    (BOOL, 1),
    (NODES, member(Node, 3)),
    (COLORS, "red"),
    (OptionalDomain(INT), -1),
    (pair(INT, INT), Pair(3, -1)),  # an error in one part goes before a bound in another
    (pair(INT, INT), (0, 0)),
    (SequenceDomain(INT, 1), (0, -1)),
    (SequenceDomain(INT, 1), [0]),
    (SetDomain(INT), frozenset({3, -1})),
    (SetDomain(pair(INT, INT)), frozenset({Pair(3, -1)})),
    (SetDomain(pair(INT, COLORS)), frozenset({Pair(3, "red")})),
    (SetDomain(INT), {1}),
    (MapDomain(BOOL, INT), {False: 0}),
    (MapDomain(INT, BOOL), {0: True, 1: True, 2: True, -1: True}),
]


@pytest.mark.parametrize(
    ("error", "domain", "value"), [*((Above, *each) for each in ABOVE), *((Outside, *each) for each in OUTSIDE)]
)
def test_outside_a_domain(error: type[Exception], domain: Domain, value: Any) -> None:
    with pytest.raises(error):
        codec(domain).flatten(value)


PAIR = RecordDomain("Pair", (("one", BOOL), ("two", BOOL)), Pair)


def test_a_value_in_a_slot_is_outside_where_an_equal_one_is_inside() -> None:
    packets = SlotSetCodec(SlotSetDomain(PAIR, slots=2, variable="packets"))
    assert packets.flatten(frozenset({Pair(True, False)})) == (0, 5)
    with pytest.raises(Outside):
        packets.flatten(frozenset({Pair(1, 0)}))
    assert packets.flatten(frozenset({Pair(True, False)})) == (0, 5)


SCALAR_SIZES = st.lists(st.one_of(st.integers(1, 5), st.integers(1, 1 << 32)), max_size=12)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(SCALAR_SIZES, st.data())
def test_packed_words_hold_each_scalar_once(sizes: list[int], data: st.DataObject) -> None:
    packed = pack_scalars([Scalar("x", size) for size in sizes])
    state = tuple(data.draw(st.integers(0, size - 1)) for size in sizes)
    words = packed.pack(state)
    assert packed.unpack(words) == state
    assert len(words) == packed.words >= 1
    assert all(0 <= word < 1 << WORD_BITS for word in words)
    taken = [range(f.position * WORD_BITS + f.shift, f.position * WORD_BITS + f.shift + f.bits) for f in packed.fields]
    assert len({bit for part in taken for bit in part}) == sum(map(len, taken))  # no bit is used twice


def test_words_are_filled_from_the_low_end_and_no_scalar_is_split() -> None:
    parts: dict[str, Domain] = {"a": IntDomain((1 << 40) - 1), "b": IntDomain((1 << 30) - 1), "c": BOOL}
    layout = [scalar for name, of in parts.items() for scalar in codec(of).scalars(name)]
    packed = pack_scalars(layout)
    assert [(f.position, f.shift, f.bits) for f in packed.fields] == [(0, 0, 40), (1, 0, 30), (1, 30, 1)]
    assert packed.pack((5, 7, 1)) == (5, 7 | 1 << 30)


def test_a_digest_does_not_depend_on_the_order() -> None:
    assert digest([(1,), (2,), (3,)]) == digest([(3,), (1,), (2,)]) != digest([(1,), (2,), (4,)])
    assert digest([(1, 2)]) == f"{state_hash((1, 2)):032x}"
