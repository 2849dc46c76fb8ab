"""The kinds of values: what a value is once it is written in scalars."""

from msgspec import Struct

from isrcheck.ir.domains import (
    Domain,
    EnumDomain,
    MapDomain,
    Member,
    RecordDomain,
    SlotMapDomain,
    SortDomain,
    same_type,
)
from isrcheck.ir.scalar import Node


class KindOfValue(Struct, frozen=True, eq=False):
    """A value of a model as nodes; two are equal only if they are the same object."""


class ScalarValue(KindOfValue, frozen=True, eq=False):
    node: Node


class NumberValue(ScalarValue, frozen=True, eq=False):
    """An integer."""


class TruthValue(ScalarValue, frozen=True, eq=False):
    """0 or 1."""


class AtomValue(ScalarValue, frozen=True, eq=False):
    domain: SortDomain | EnumDomain


class OptionValue(KindOfValue, frozen=True, eq=False):
    """A value that may be absent."""

    present: Node
    value: "Value | None"  # None if never
    raw: Node | None = None  # in one scalar: its index in the optional domain, 0 for None
    zeroed: bool = False  # its scalars are known to be 0 where it is absent


class RecordValue(KindOfValue, frozen=True, eq=False):
    domain: RecordDomain
    parts: "tuple[Value, ...]"


class SumValue(KindOfValue, frozen=True, eq=False):
    """A value of one of the cases, as the tag says; the other cases have any value."""

    members: tuple[Member, ...]
    tag: Node
    cases: "tuple[Value, ...]"
    raw: tuple[Node, ...] | None = None  # the scalars, where it is read from them
    content: Node | None = None  # of its slot, where it is read from one or a parameter like that


class SlotRecord(RecordValue, frozen=True, eq=False):
    """Read from a slot, or a parameter like it."""

    content: Node


class MapValue(KindOfValue, frozen=True, eq=False):
    domain: MapDomain
    entries: "tuple[Value, ...]"  # by key


class SequenceValue(KindOfValue, frozen=True, eq=False):
    length: Node
    slots: "tuple[Value, ...]"


class SetValue(KindOfValue, frozen=True, eq=False):
    """The elements of a listed domain as bit masks, and further ones with their conditions.

    `of` is None for a display, whose elements are all further ones. No further element lies in the
    domain. Two of them may be equal.
    """

    of: Domain | None
    masks: tuple[Node, ...]
    further: "tuple[tuple[Node, Value], ...]"


class SlotSet(SetValue, frozen=True, eq=False):
    """A set whose masks are slots (ir/slots.py)."""

    of: Domain


class SlotMap(KindOfValue, frozen=True, eq=False):
    """A map in slots: one slot for each key whose value is not the default."""

    domain: SlotMapDomain
    slots: tuple[Node, ...]
    entries: "tuple[Value, ...]"  # beside them
    default: "Value"


class NoValue(KindOfValue, frozen=True, eq=False):
    """A value that cannot exist, such as an element of (): a fault already."""


Value = ScalarValue | OptionValue | RecordValue | SumValue | MapValue | SlotMap | SequenceValue | SetValue | NoValue


class Located(Struct, frozen=True):
    """The place of a value in a domain: `index` holds where `inside`; `above` where only a bound is exceeded."""

    inside: Node
    above: Node
    index: Node


def same_shape(a: Value, b: Value) -> bool:
    """Whether two values have the same zero, the value of scalars that are all 0."""
    match a, b:
        case (OptionValue(), _) | (_, OptionValue()):
            return isinstance(a, OptionValue) and isinstance(b, OptionValue)
        case SumValue(), SumValue():
            return a.members == b.members and all(map(same_shape, a.cases, b.cases))
        case (SumValue(), _) | (_, SumValue()):
            return False
        case RecordValue(domain=one, parts=parts), RecordValue(domain=other, parts=others):
            return same_type(one, other) and all(map(same_shape, parts, others))
        case AtomValue(domain=one), AtomValue(domain=other):
            return same_type(one, other)
    return True


def member_of(value: Value) -> Member:
    """Return the member of a sum that a value belongs to; the value itself is not a sum."""
    assert isinstance(value, RecordValue | AtomValue), value
    return value.domain
