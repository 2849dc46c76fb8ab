"""What a random model declares, and the choices that make it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tests.models.types import Type

T = TypeVar("T")


@dataclass(frozen=True)
class Method:
    name: str
    parameters: tuple[tuple[str, Type], ...]
    returns: Type | None = None
    alone: bool = False  # a function of the module


@dataclass
class Names:
    """What a model declares."""

    variables: dict[str, Type] = field(default_factory=dict)
    histories: set[str] = field(default_factory=set)
    pure: list[Method] = field(default_factory=list)
    effects: list[Method] = field(default_factory=list)
    actions: list[Method] = field(default_factory=list)
    made: int = 0

    def fresh(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"


class Pen:
    """Makes choices."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        self.choose = choose

    def pick(self, options: Sequence[T]) -> T:
        return options[self.choose(len(options))] if len(options) > 1 else options[0]

    def chance(self, percent: int) -> bool:
        return self.choose(100) >= 100 - percent

    def between(self, low: int, high: int) -> int:
        return low + self.choose(high - low + 1)
