"""The canonical packing of a state, and the digest."""

from hypothesis import given, settings
from hypothesis import strategies as st

from isrcheck.ir.codec import codec
from isrcheck.ir.domains import BOOL, Domain, IntDomain
from isrcheck.ir.pack import WORD_BITS, digest, pack_scalars, state_hash
from isrcheck.ir.scalar import Scalar

sizes = st.lists(st.one_of(st.integers(1, 5), st.integers(1, 1 << 32)), max_size=12)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(sizes, st.data())
def test_there_and_back(found: list[int], data: st.DataObject) -> None:
    packed = pack_scalars([Scalar("x", size) for size in found])
    state = tuple(data.draw(st.integers(0, size - 1)) for size in found)
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
