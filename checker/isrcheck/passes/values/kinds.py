"""The kinds of values: what a value is once it is written in scalars."""

from dataclasses import dataclass

from isrcheck.ir.domains import Domain, EnumDomain, MapDomain, RecordDomain, SortDomain
from isrcheck.ir.scalar import Node


@dataclass(frozen=True, slots=True, eq=False)
class ScalarValue:
    node: Node


class NumberValue(ScalarValue):
    __slots__ = ()


class TruthValue(ScalarValue):
    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class AtomValue(ScalarValue):
    domain: SortDomain | EnumDomain


@dataclass(frozen=True, slots=True, eq=False)
class OptionValue:
    """A value that may be absent; `value` is None where it always is.

    `raw` is the index in the optional domain (0 for None), of a single scalar.
    """

    present: Node
    value: "Value | None"
    raw: Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RecordValue:
    domain: RecordDomain
    parts: "tuple[Value, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class MapValue:
    domain: MapDomain
    entries: "tuple[Value, ...]"  # in the order of the keys


@dataclass(frozen=True, slots=True, eq=False)
class SequenceValue:
    length: Node
    slots: "tuple[Value, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class SetValue:
    """The elements of a listed domain as bit masks, and further ones with their conditions.

    `of` is None for a display, whose elements are all further ones. No further element lies in the
    domain. Two of them may be equal.
    """

    of: Domain | None
    masks: tuple[Node, ...]
    further: "tuple[tuple[Node, Value], ...]"


@dataclass(frozen=True, slots=True, eq=False)
class NoValue:
    """What cannot have a value, such as an element of (): a fault already."""


Value = ScalarValue | OptionValue | RecordValue | MapValue | SequenceValue | SetValue | NoValue


@dataclass(frozen=True, slots=True)
class Located:
    """`index` holds where `inside`; `above` where only a bound is exceeded."""

    inside: Node
    above: Node
    index: Node


def of_one_shape(a: Value, b: Value) -> bool:
    """Whether zero means the same in both."""
    match a, b:
        case (OptionValue(), _) | (_, OptionValue()):
            return isinstance(a, OptionValue) and isinstance(b, OptionValue)
        case RecordValue(parts=parts), RecordValue(parts=others):
            return all(map(of_one_shape, parts, others))
    return True
