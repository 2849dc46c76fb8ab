"""What no model says and every state keeps: slots beyond a sequence's end, and parts of what is None, hold 0.

Two equal values have equal scalars only where this is so. It is proved like any other lemma.
"""

from collections.abc import Iterator

from isrcheck.engines.symbolic.proof import Lemma
from isrcheck.ir.domains import Domain, MapDomain, OptionalDomain, RecordDomain, SequenceDomain
from isrcheck.ir.flatten import is_plain, number, values, width
from isrcheck.ir.scalar import Node
from isrcheck.passes.open import OpenSystem

NAME = "unused_slots_are_blank"


def layout_lemma(opened: OpenSystem) -> tuple[Lemma, ...]:
    """The lemma for a system; none where it has nothing to say."""
    found: list[Node] = []
    position = 0
    for domain in opened.model.domains.values():
        found += _blank(opened, domain, position)
        position += width(domain)
    node = opened.nodes.and_(*found)
    text = "Slots beyond the end of a sequence, and the parts of what is None, hold 0."
    return (Lemma(NAME, node, "the layout of the state", text),) if node.low != node.high else ()


def _blank(opened: OpenSystem, domain: Domain, position: int) -> Iterator[Node]:
    """The conditions on the scalars of one value, which begin at a position."""
    n = opened.nodes
    match domain:
        case SequenceDomain(of=of, high=high) if of is not None:
            length, size = _scalar(opened, position), width(of)
            for slot in range(number(high)):
                first = position + 1 + slot * size
                yield from _unless(opened, n.lt(n.const(slot), length), first, size)
                yield from _blank(opened, of, first)
        case OptionalDomain(of=of) if of is not None and not is_plain(of):
            yield from _unless(opened, _scalar(opened, position), position + 1, width(of))
            yield from _blank(opened, of, position + 1)
        case RecordDomain(fields=fields):
            for _, part in fields:
                yield from _blank(opened, part, position)
                position += width(part)
        case MapDomain(key=key, value=value):
            for place, _ in enumerate(values(key)):
                yield from _blank(opened, value, position + place * width(value))


def _unless(opened: OpenSystem, used: Node, first: int, size: int) -> Iterator[Node]:
    n = opened.nodes
    for position in range(first, first + size):
        yield n.or_(used, n.eq(_scalar(opened, position), n.false))


def _scalar(opened: OpenSystem, position: int) -> Node:
    return opened.nodes.var(position, opened.system.scalars[position].size)
