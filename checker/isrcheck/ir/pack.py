"""The canonical packing of a state, and the digest of a set of states.

Scalars in declaration order, each in the fewest bits, into 64-bit words from the low end; one that
does not fit into the rest of a word begins the next one. No engine's own layout matters here.
"""

from collections.abc import Iterable, Sequence

import mmh3

from isrcheck.ir.frozen import FrozenStruct
from isrcheck.ir.scalar import Scalar

WORD_BITS = 64
DIGEST_HASH = "MurmurHash3_x64_128"  # seed 0, over the packed words in little-endian order
DIGEST_MODULUS = 1 << 128


class Field(FrozenStruct):
    """The place of a scalar in a packed state; its shift is from the low end, in bits."""

    position: int
    shift: int
    bits: int


class Packing(FrozenStruct):
    fields: tuple[Field, ...]
    words: int

    def pack(self, state: Sequence[int]) -> tuple[int, ...]:
        words = [0] * self.words
        for field, index in zip(self.fields, state, strict=True):
            words[field.position] |= index << field.shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        return tuple([words[f.position] >> f.shift & ((1 << f.bits) - 1) for f in self.fields])


def pack_scalars(scalars: Sequence[Scalar]) -> Packing:
    fields = []
    position = shift = 0
    for scalar in scalars:
        if shift + scalar.bits > WORD_BITS:
            position, shift = position + 1, 0
        fields.append(Field(position, shift, scalar.bits))
        shift += scalar.bits
    return Packing(tuple(fields), position + 1)


def state_hash(words: Sequence[int]) -> int:
    """128 bits: the first 64-bit half of the result is the low one."""
    return mmh3.hash128(b"".join(each.to_bytes(8, "little") for each in words), 0)


def digest(packed: Iterable[Sequence[int]]) -> str:
    """The sum of the states' hashes modulo 2^128, as 32 hexadecimal digits."""
    return f"{sum(map(state_hash, packed)) % DIGEST_MODULUS:032x}"
