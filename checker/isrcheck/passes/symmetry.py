"""What a state looks like after two neighbouring members of a symmetric sort have changed places."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from isrcheck.ir.codec import MASK_BITS, codec
from isrcheck.ir.domains import (
    Domain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    number,
)
from isrcheck.ir.scalar import Node, Symmetry
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.passes.update import read_state
from isrcheck.passes.values.kinds import AtomValue, MapValue, OptionValue, RecordValue, SequenceValue, SetValue, Value
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.writing import write


def symmetries(model: BoundModel, shapes: Shapes) -> tuple[Symmetry, ...]:
    """The symmetries of every sort that is declared symmetric and has two members or more."""
    return tuple(_symmetries(model, shapes))


def _symmetries(model: BoundModel, shapes: Shapes) -> Iterator[Symmetry]:
    state, _ = read_state(model, shapes)
    for sort in model.ir.sorts:
        bound = bind_domain(sort, model.constants, model.ir.at)
        assert isinstance(bound, SortDomain)
        size = number(bound.size)
        if sort.symmetric and size > 1:
            swaps = tuple(_swapped_state(model, shapes, state, Swap(sort.name, i)) for i in range(size - 1))
            yield Symmetry(sort.name, size, swaps)


def _swapped_state(model: BoundModel, shapes: Shapes, state: dict[str, Value], swap: "Swap") -> tuple[Node, ...]:
    swapper = _Swapper(shapes, swap)
    found: list[Node] = []
    for name, domain in model.domains.items():
        found.extend(write(shapes, domain, swapper.value(domain, state[name]))[0])
    return tuple(found)


@dataclass(frozen=True)
class Swap:
    """Members `first` and `first` + 1 of a sort change places."""

    sort: str
    first: int

    def position(self, position: int) -> int:
        return {self.first: self.first + 1, self.first + 1: self.first}.get(position, position)

    def member(self, domain: Domain, value: Any) -> Any:
        """A model's value after the swap."""
        match domain:
            case SortDomain(name=name, make=make) if name == self.sort:
                return make(self.position(value.index))
            case OptionalDomain(of=of) if of is not None and value is not None:
                return self.member(of, value)
            case RecordDomain(fields=fields, make=make):
                return make(*(self.member(of, part) for (_, of), part in zip(fields, value, strict=True)))
            case SetDomain(of=of) if of is not None:
                return frozenset(self.member(of, part) for part in value)
            case SequenceDomain(of=of) if of is not None:
                return tuple(self.member(of, part) for part in value)
        return value

    def listing(self, domain: Domain) -> list[int]:
        """For each member of a listed domain, by position, where it goes."""
        return [codec(domain).index(self.member(domain, value)) for value in codec(domain).values()]


class _Swapper:
    """A swap on values over scalars."""

    def __init__(self, shapes: Shapes, swap: Swap) -> None:
        self.s, self.n, self.swap = shapes, shapes.n, swap

    def value(self, domain: Domain, value: Value) -> Value:
        match domain, value:
            case SortDomain(name=name), AtomValue(node=node) if name == self.swap.sort:
                return AtomValue(self.chosen(node, 0), domain)
            case OptionalDomain(of=of), OptionValue() if of is not None:
                return self.option(of, value)
            case RecordDomain(fields=fields), RecordValue(domain=record, parts=parts):
                swapped = (self.value(of, part) for (_, of), part in zip(fields, parts, strict=True))
                return RecordValue(record, tuple(swapped))
            case MapDomain(key=key, value=of), MapValue(domain=map_domain, entries=entries):
                places = self.swap.listing(key)
                return MapValue(map_domain, tuple(self.value(of, entries[place]) for place in places))
            case SequenceDomain(of=of), SequenceValue(length=length, slots=slots) if of is not None:
                inside = (self.n.lt(self.n.const(i), length) for i in range(len(slots)))
                kept = zip(inside, slots, strict=True)
                return SequenceValue(length, tuple(self.there(c, self.value(of, slot)) for c, slot in kept))
            case SetDomain(of=of), SetValue(masks=masks) if of is not None:
                return SetValue(of, self.masks(self.swap.listing(of), masks), ())
        return value

    def chosen(self, node: Node, offset: int) -> Node:
        """An index (counted from `offset`) with the two members exchanged."""
        n, first = self.n, self.swap.first + offset
        moved = n.ite(n.eq(node, n.const(first + 1)), n.const(first), node)
        return n.ite(n.eq(node, n.const(first)), n.const(first + 1), moved)

    def option(self, of: Domain, value: OptionValue) -> Value:
        if value.value is None:
            return value
        if isinstance(of, SortDomain) and of.name == self.swap.sort and value.raw is not None:
            return self.s.plain_option(value.value, self.chosen(value.raw, 1))
        if value.raw is not None:
            return value
        return OptionValue(value.present, self.there(value.present, self.value(of, value.value)))

    def there(self, condition: Node, value: Value) -> Value:
        """The value where it is there, else all zero."""
        return self.s.merge(condition, value, self.s.like_zero(value))

    def masks(self, places: list[int], masks: tuple[Node, ...]) -> tuple[Node, ...]:
        """Bit masks with every element moved to its place."""
        n = self.n
        found = []
        for chunk, mask in enumerate(masks):
            start = chunk * MASK_BITS
            width = min(MASK_BITS, len(places) - start)
            still = sum(1 << i for i in range(width) if places[start + i] == start + i)
            result = n.bit_and(mask, n.const(still))
            for i in range(width):
                source = places[start + i]  # a swap is its own inverse
                if source != start + i:
                    bit = n.bit(masks[source // MASK_BITS], source % MASK_BITS)
                    result = n.bit_or(result, n.shift_left(bit, n.const(i)))
            found.append(result)
        return tuple(found)
