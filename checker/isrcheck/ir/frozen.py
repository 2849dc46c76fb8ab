"""Data that does not change."""

import dataclasses
from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, TypeVar, dataclass_transform

import msgspec
from msgspec import Struct, structs

from isrcheck.place import Place

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class FrozenStruct(Struct, frozen=True):
    """A frozen struct, for classes that every run needs: a dataclass takes 70 times as long to make."""


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class ComparedStruct(FrozenStruct, frozen=True, eq=False):
    """Equal to one of its class with an equal `compared`: without what pickles, reads or makes it."""

    compared: ClassVar["attrgetter[Any]"]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(self.compared(self) == self.compared(other))

    def __ne__(self, other: object) -> bool:
        return not self == other  # else Struct's own, which asks whether they are one object

    def __hash__(self) -> int:
        return hash(self.compared(self))


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
class Frozen:
    """Every class derived from this one is a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # else dataclass writes a signature there, which takes a third of its time
        dataclasses.dataclass(frozen=True)(cls)


def replace(data: T, **changes: Any) -> T:
    """A copy of a struct or dataclass with other values."""
    if isinstance(data, Struct):
        return structs.replace(data, **changes)
    return dataclasses.replace(data, **changes)  # type: ignore[type-var] # of either kind, which T cannot say


def is_data(kind: Any) -> bool:
    """Whether a class is a struct or a dataclass."""
    return issubclass(kind, Struct) or hasattr(kind, "__dataclass_fields__")


@cache
def field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the fields of a struct or dataclass; empty for another class."""
    if issubclass(kind, Struct):
        return tuple(kind.__struct_fields__)
    return tuple(each.name for each in dataclasses.fields(kind)) if is_data(kind) else ()


def tree_of(value: Any, without: Collection[str] = ()) -> object:
    """Return data as nested tuples, less places and the fields of these names: equal for what differs in them alone."""
    match value:
        case Place():
            return ""
        case type():
            return value.__qualname__
        case Enum():
            return f"{type(value).__qualname__}.{value.name}"
        case Mapping():
            return "map", *((tree_of(key, without), tree_of(each, without)) for key, each in value.items())
        case frozenset():
            return "set", *sorted(repr(tree_of(each, without)) for each in value)
        case tuple() | list():
            return type(value).__name__, *(tree_of(each, without) for each in value)
        case _ if is_data(type(value)):
            names = (name for name in field_names(value.__class__) if name not in without)
            return type(value).__qualname__, *((name, tree_of(getattr(value, name), without)) for name in names)
    return repr(value)
