"""Data that does not change."""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, dataclass_transform

from msgspec import Struct


@dataclass_transform(frozen_default=True)
class FrozenStruct(Struct, frozen=True):
    """For classes of which many are made whenever isrcheck begins: a dataclass takes 70 times as long to make."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """Every class derived from this one is a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # else dataclass writes a signature there, which takes a third of its time
        dataclass(frozen=True)(cls)


def field_names(kind: Any) -> tuple[str, ...] | None:
    """None for a class of neither kind."""
    return _field_names(kind)


@cache
def _field_names(kind: Any) -> tuple[str, ...] | None:
    if issubclass(kind, Struct):
        return tuple(kind.__struct_fields__)
    return tuple(each.name for each in fields(kind)) if hasattr(kind, "__dataclass_fields__") else None
