"""The closed subset of Python in which the search kernel is written: its words, as a type checker sees them.

A kernel function is annotated Python over 64-bit words that wrap around: `int` is an unsigned word, `U8s` to `U64s`
are arrays, and a class of annotated fields is a record of words. Statements are assignments, `if`, `while`,
`for ... in range(...)`, `for ... in bits(...)`, `break`, `continue` and `return`; `translate.py` refuses the others.
A function whose body only raises is defined elsewhere. Module constants in capitals are replaced by the values that
`translate` is given. A constant or function may be written with its module, as in `records.BATCH`.
"""

from collections.abc import Iterator
from typing import TypeVar

ELEMENT_BITS = {"U8s": 8, "U16s": 16, "U32s": 32, "U64s": 64}


class _Array:
    """Memory seen as a sequence of unsigned numbers; exists only inside compiled kernels."""

    def __getitem__(self, position: int) -> int:
        raise NotImplementedError

    def __setitem__(self, position: int, value: int) -> None:
        raise NotImplementedError


class U8s(_Array): ...


class U32s(_Array): ...


class U64s(_Array): ...


A = TypeVar("A", bound=_Array)


def at(array: A, position: int) -> A:
    """The array from this element on."""
    raise NotImplementedError


def prefetch(array: _Array, position: int) -> None:
    """Ask for a cache line in advance."""
    raise NotImplementedError


def acquire(array: _Array, position: int) -> int:
    """Read an element that another thread may have published with `publish`."""
    raise NotImplementedError


def publish(array: _Array, position: int, old: int, new: int) -> bool:
    """Replace an element that still is `old`; what was written before, `acquire` sees."""
    raise NotImplementedError


def read_unaligned(array: U8s, position: int) -> int:
    """The 8 bytes from here on as a word, the least significant first."""
    raise NotImplementedError


def take(array: U64s, position: int, count: int) -> int:
    """Add to a word shared by several threads, and return what it was before."""
    raise NotImplementedError


def lowest_bit(mask: int) -> int:
    """The position of the lowest 1 of a word that is not 0."""
    raise NotImplementedError


def bits(mask: int) -> Iterator[int]:
    """The positions of a word's 1s, the lowest first; only after `for ... in`."""
    raise NotImplementedError
