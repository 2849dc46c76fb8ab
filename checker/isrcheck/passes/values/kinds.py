"""The kinds of values: what a value is once it is written in scalars."""

from dataclasses import dataclass

from isrcheck.ir.domains import Domain, EnumDomain, MapDomain, RecordDomain, SortDomain
from isrcheck.ir.scalar import Node


@dataclass(frozen=True, eq=False)
class ScalarValue:
    node: Node


class NumberValue(ScalarValue):
    """An integer."""


class TruthValue(ScalarValue):
    """0 or 1."""


@dataclass(frozen=True, eq=False)
class AtomValue(ScalarValue):
    domain: SortDomain | EnumDomain


@dataclass(frozen=True, eq=False)
class OptionValue:
    """A value that may be absent."""

    present: Node
    value: "Value | None"  # None if never
    raw: Node | None = None  # in one scalar: its index in the optional domain, 0 for None
    zeroed: bool = False  # its scalars are known to be 0 where it is absent


@dataclass(frozen=True, eq=False)
class RecordValue:
    domain: RecordDomain
    parts: "tuple[Value, ...]"


@dataclass(frozen=True, eq=False)
class MapValue:
    domain: MapDomain
    entries: "tuple[Value, ...]"  # by key


@dataclass(frozen=True, eq=False)
class SequenceValue:
    length: Node
    slots: "tuple[Value, ...]"


@dataclass(frozen=True, eq=False)
class SetValue:
    """The elements of a listed domain as bit masks, and further ones with their conditions.

    `of` is None for a display, whose elements are all further ones. No further element lies in the
    domain. Two of them may be equal.
    """

    of: Domain | None
    masks: tuple[Node, ...]
    further: "tuple[tuple[Node, Value], ...]"


@dataclass(frozen=True, eq=False)
class NoValue:
    """What cannot have a value, such as an element of (): a fault already."""


Value = ScalarValue | OptionValue | RecordValue | MapValue | SequenceValue | SetValue | NoValue


@dataclass(frozen=True, slots=True)
class Located:
    """`index` holds where `inside`; `above` where only a bound is exceeded."""

    inside: Node
    above: Node
    index: Node


def same_shape(a: Value, b: Value) -> bool:
    """Whether they share their zero."""
    match a, b:
        case (OptionValue(), _) | (_, OptionValue()):
            return isinstance(a, OptionValue) and isinstance(b, OptionValue)
        case RecordValue(parts=parts), RecordValue(parts=others):
            return all(map(same_shape, parts, others))
    return True
