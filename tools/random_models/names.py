"""Names and types that a random model declares, and the choices that make it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar


@dataclass(frozen=True)
class Type:
    """A type of the language: with its annotation."""

    kind: str  # int, bool, sort, enum, option, record, sequence, set or map
    annotation: str
    of: "Type | None" = None
    key: "Type | None" = None
    fields: "tuple[tuple[str, Type], ...]" = ()
    bound: str = ""  # of an int: its highest value, as text in a method

    @property
    def inner(self) -> "Type":
        assert self.of is not None
        return self.of


BOOL = Type("bool", "bool")
INT = Type("int", "int")  # any integer: what helpers return
SMALL = Type("int", "Small", bound="self.top")
TINY = Type("int", "Tiny", bound="1")
NODE = Type("sort", "Node")
PEER = Type("sort", "Peer")
COLOR = Type("enum", "Color")
COLORS = ("Color.RED", "Color.GREEN", "Color.BLUE")


def option(of: Type) -> Type:
    return Type("option", f"{of.annotation} | None", of)


def set_of(of: Type) -> Type:
    return Type("set", f"frozenset[{of.annotation}]", of)


def map_of(key: Type, of: Type) -> Type:
    return Type("map", f"dict[{key.annotation}, {of.annotation}]", of, key)


def parts_of(t: Type) -> Iterator[Type]:
    """A map's keys, and what stands under them; a set's or a sequence's elements."""
    if t.kind == "map":
        assert t.key is not None
        yield t.key
        yield from parts_of(t.inner)
    elif t.kind in ("set", "sequence"):
        yield t.inner
    elif t.kind == "record":
        yield from (of for _, of in t.fields)
    else:
        yield t


T = TypeVar("T")


@dataclass(frozen=True)
class Method:
    name: str
    parameters: tuple[tuple[str, Type], ...]
    returns: Type | None = None
    alone: bool = False  # a function of the module


@dataclass
class Names:
    """The names that a model declares."""

    variables: dict[str, Type] = field(default_factory=dict)
    histories: set[str] = field(default_factory=set)
    pure: list[Method] = field(default_factory=list)
    effects: list[Method] = field(default_factory=list)
    actions: list[Method] = field(default_factory=list)
    last_number: int = 0

    def fresh(self, letter: str) -> str:
        self.last_number += 1
        return f"{letter}{self.last_number}"


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
