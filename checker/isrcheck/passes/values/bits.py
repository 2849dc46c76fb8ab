"""Single bits in a row of masks, at positions that are nodes."""

from isrcheck.ir.codec import MASK_BITS
from isrcheck.ir.scalar import Node
from isrcheck.passes.fold import Nodes
from isrcheck.passes.values.kinds import Located


def insert(n: Nodes, found: list[Node], condition: Node, position: Node) -> None:
    """Sets the bit of an element, where the condition holds."""
    for chunk in range(len(found)):
        bit = _bit_in(n, chunk, len(found), position, condition)
        found[chunk] = n.bit_or(found[chunk], bit)


def _bit_in(n: Nodes, chunk: int, chunks: int, position: Node, condition: Node) -> Node:
    """The mask with this position's bit, if it lies in this chunk and the condition holds; else 0."""
    start = chunk * MASK_BITS
    here = condition
    if chunks > 1:
        below = n.lt(position, n.const(start + MASK_BITS))
        here = n.and_(condition, n.le(n.const(start), position), below)
    offset = _clamped(n, n.sub(position, n.const(start)), here)
    return n.ite(here, n.shift_left(n.const(1), offset), n.const(0))


def _clamped(n: Nodes, node: Node, valid: Node) -> Node:
    """The node itself where it is known to be a shift, else 0 where it would not be valid."""
    if 0 <= node.low and node.high < MASK_BITS:
        return node
    chosen = n.ite(valid, node, n.const(0))
    return n.max_(n.const(0), n.min_(chosen, n.const(MASK_BITS - 1)))


def bit_at(n: Nodes, bits: tuple[Node, ...], where: Located) -> Node:
    """Whether the bit of a member is set."""
    if where.index.low == where.index.high:
        position = where.index.low
        if not 0 <= position < MASK_BITS * len(bits):
            return n.false
        return n.bit(bits[position // MASK_BITS], position % MASK_BITS)
    found = []
    for chunk, mask in enumerate(bits):
        single = _bit_in(n, chunk, len(bits), where.index, where.inside)
        found.append(n.lt(n.const(0), n.bit_and(mask, single)))
    return n.or_(*found)
