"""The types that random models declare."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """A type of the language: `text` is its annotation."""

    kind: str  # int, bool, sort, enum, option, record, sequence, set or map
    text: str
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
    return Type("option", f"{of.text} | None", of)


def set_of(of: Type) -> Type:
    return Type("set", f"frozenset[{of.text}]", of)


def map_of(key: Type, of: Type) -> Type:
    return Type("map", f"dict[{key.text}, {of.text}]", of, key)


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
