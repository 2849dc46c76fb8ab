"""What no model says and every state keeps: slots beyond a sequence's end, and parts of what is None, hold 0.

Two equal values have equal scalars only where this is so. It is proved like any other lemma.
"""

from collections.abc import Iterator

from isrcheck.engines.symbolic.proof import Lemma
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain, MapDomain, OptionalDomain, RecordDomain, SequenceDomain, number
from isrcheck.ir.scalar import Node
from isrcheck.passes.symbolic import SymbolicSystem

NAME = "unused_slots_are_blank"


def layout_lemma(symbolic: SymbolicSystem) -> tuple[Lemma, ...]:
    """The lemma for a system; none where it has nothing to say."""
    found: list[Node] = []
    position = 0
    for domain in symbolic.model.domains.values():
        found += _blank(symbolic, domain, position)
        position += codec(domain).width
    node = symbolic.nodes.and_(*found)
    text = "Slots beyond the end of a sequence, and the parts of what is None, hold 0."
    return (Lemma(NAME, node, "the layout of the state", text),) if node.low != node.high else ()


def _blank(symbolic: SymbolicSystem, domain: Domain, position: int) -> Iterator[Node]:
    """The conditions on the scalars of one value, which begin at a position."""
    n = symbolic.nodes
    match domain:
        case SequenceDomain(of=of, high=high) if of is not None:
            length, size = _scalar(symbolic, position), codec(of).width
            for slot in range(number(high)):
                first = position + 1 + slot * size
                yield from _unless(symbolic, n.lt(n.const(slot), length), first, size)
                yield from _blank(symbolic, of, first)
        case OptionalDomain(of=of) if of is not None and not codec(of).plain:
            yield from _unless(symbolic, _scalar(symbolic, position), position + 1, codec(of).width)
            yield from _blank(symbolic, of, position + 1)
        case RecordDomain(fields=fields):
            for _, part in fields:
                yield from _blank(symbolic, part, position)
                position += codec(part).width
        case MapDomain(key=key, value=value):
            for place, _ in enumerate(codec(key).values()):
                yield from _blank(symbolic, value, position + place * codec(value).width)


def _unless(symbolic: SymbolicSystem, used: Node, first: int, size: int) -> Iterator[Node]:
    n = symbolic.nodes
    for position in range(first, first + size):
        yield n.or_(used, n.eq(_scalar(symbolic, position), n.false))


def _scalar(symbolic: SymbolicSystem, position: int) -> Node:
    return symbolic.nodes.var(position, symbolic.system.scalars[position].size)
