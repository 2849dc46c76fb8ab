"""Many texts that are alike, each kept once: a page holds numbers in their place."""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Once(Generic[T]):
    """Gives each thing a number, counted from 0; `known` has the things in the order of their numbers."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def __call__(self, thing: T) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    def all(self, things: Iterable[T]) -> list[int]:
        """The numbers of several."""
        return [self(thing) for thing in things]

    @property
    def known(self) -> list[T]:
        return list(self._numbers)


def elements(svg: str) -> list[str]:
    """The elements of a drawing, of which most are in many drawings; a page puts < before each to have it back."""
    return svg.split("<")[1:]
