"""A record that knows its class: what a union of messages is made of."""

import sys
from collections import namedtuple
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

_KEPT = ("__doc__", "__module__", "__slots__", "__dict__", "__qualname__", "__firstlineno__", "__static_attributes__")


def fields_of(cls: type) -> tuple[str, ...]:
    """The fields that a record's own body declares, in order."""
    if sys.version_info >= (3, 14):
        annotations = import_module("annotationlib")
        return tuple(annotations.get_annotations(cls, format=annotations.Format.FORWARDREF))
    return tuple(vars(cls).get("__annotations__", {}))


@dataclass_transform(frozen_default=True)
class Record(tuple[Any, ...]):
    """A named tuple that equals those of its own class alone: `class Vote(Record)`, then `epoch: Epoch`.

    Two NamedTuples of different classes are equal where their fields are, so that Vote(1) == Fetch(1). Members of a
    union, such as `Message = Vote | Fetch`, must differ: write them as records.
    """

    __slots__ = ()
    if TYPE_CHECKING:
        _fields: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        names = fields_of(cls)
        defaults = [vars(cls)[name] for name in names if name in vars(cls)]
        plain: Any = namedtuple(cls.__name__, names, defaults=defaults)  # type: ignore[misc]  # known now only
        for name, value in vars(plain).items():
            if name not in _KEPT:
                setattr(cls, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)  # of one class

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def _replace(self, **fields: Any) -> Self:
        raise NotImplementedError  # each class has its own
