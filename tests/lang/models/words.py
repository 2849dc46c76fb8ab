"""Sorts, numbers and helpers that the models of this folder share."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Sort, UpTo


class Node(Sort, size="nodes", symmetric=True):
    """Somebody."""


class Colour(Enum):
    """What things are painted in."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


Count = Annotated[int, UpTo("most")]
Row = Annotated[tuple[Count, ...], UpTo("longest")]


class Note(NamedTuple):
    """A number, and perhaps who wrote it."""

    number: Count
    writer: Node | None


Notes = Annotated[tuple[Note, ...], UpTo("longest")]


def larger(one: Count, two: Count) -> Count:
    if one < two:
        return two
    return one


def in_both(one: Row, two: Row) -> int:
    """A helper with a local name and a comprehension, that calls another."""
    shorter = min(len(one), len(two))
    return sum(larger(one[i], two[i]) for i in range(shorter) if one[i] == two[i])
