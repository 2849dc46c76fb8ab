"""Which nodes and scalars are bit masks: with integers, these are bit-vectors. A wrong guess costs time."""

from collections.abc import Container, Iterable, Iterator

from isrcheck.ir.interval import is_endless
from isrcheck.ir.scalar import Node, Op, ScalarSystem

_MASKS = (Op.BAND, Op.BOR, Op.BANDNOT, Op.SHL, Op.SHR)


def ordered(roots: Iterable[Node], without: Container[int] = ()) -> list[Node]:
    """The nodes behind these, each index once, arguments first, without `without` and what is behind it.

    Of two nodes with one index (a choice known to lie in a smaller interval) the narrower one is taken.
    """
    found: dict[int, Node] = {}
    waiting = [root for root in roots if root.index not in without]
    while waiting:
        node = waiting.pop()
        other = found.get(node.index)
        if other is not None:
            if node.high - node.low < other.high - other.low:
                found[node.index] = node
            continue
        found[node.index] = node
        waiting.extend(a for a in node.args if a.index not in found and a.index not in without)
    return [found[index] for index in sorted(found)]


def mask_scalars(system: ScalarSystem, roots: Iterable[Node]) -> frozenset[int]:
    """Positions of scalars that some node treats as masks, or that are given one."""
    nodes = ordered(roots)
    size = len(system.scalars)
    found: set[int] = set()
    while True:
        masks = mask_nodes(nodes, found, size)
        now = {node.value % size for node in nodes if node.op is Op.VAR and node.index in masks}
        for instance in system.instances:
            now |= {position for position, node in instance.updates if node.index in masks}
        if now <= found:
            return frozenset(found)
        found |= now


def mask_nodes(nodes: list[Node], scalars: Container[int], size: int) -> set[int]:
    """Indices of masks; never of a number written out, nor of an endless one."""
    found = {n.index for n in nodes if n.op in _MASKS or (n.op is Op.VAR and n.value % size in scalars)}
    before = -1
    while len(found) != before:
        before = len(found)
        for node in reversed(nodes):  # what is used as a mask is one
            if node.op is Op.POPCOUNT or (node.index in found and node.op in (Op.SHL, Op.SHR)):
                found.update(_possible(node.args[:1]))
            elif node.index in found and node.op in _MASKS:
                found.update(_possible(node.args))
            elif node.index in found and node.op is Op.ITE:
                found.update(_possible(node.args[1:]))
        for node in nodes:  # and what is chosen among masks, or compared with one
            if node.op is Op.ITE and any(a.index in found for a in node.args[1:]):
                found.update(_possible((node,)))
            elif node.op is Op.EQ and any(a.index in found for a in node.args):
                found.update(_possible(node.args))
    return found


def _possible(nodes: Iterable[Node]) -> Iterator[int]:
    return (n.index for n in nodes if n.op is not Op.CONST and not is_endless(n.high))
