"""Nodes and scalars that are bit masks: with integers, these are bit-vectors. A wrong guess costs time."""

from collections.abc import Container, Iterable, Iterator

from isrcheck.ir.interval import is_endless
from isrcheck.ir.scalar import Node, Op, ScalarSystem

_MASKS = (Op.BAND, Op.BOR, Op.BANDNOT, Op.SHL, Op.SHR)


def order_nodes(roots: Iterable[Node], without: Container[int] = ()) -> list[Node]:
    """The nodes behind these, each index once, arguments first, without `without` and what is behind it.

    Of two nodes with one index (a choice known to lie in a smaller interval) the narrower one is taken.
    """
    by_index: dict[int, Node] = {}
    waiting = [root for root in roots if root.index not in without]
    while waiting:
        node = waiting.pop()
        other = by_index.get(node.index)
        if other is not None:
            if node.high - node.low < other.high - other.low:
                by_index[node.index] = node
            continue
        by_index[node.index] = node
        waiting.extend(a for a in node.args if a.index not in by_index and a.index not in without)
    return [by_index[index] for index in sorted(by_index)]


def mask_scalars(system: ScalarSystem, roots: Iterable[Node]) -> frozenset[int]:
    """Positions of scalars that some node treats as masks, or that are given one."""
    nodes = order_nodes(roots)
    size = len(system.scalars)
    positions: set[int] = set()
    while True:
        masks = mask_nodes(nodes, positions, size)
        now = {node.value % size for node in nodes if node.op is Op.VAR and node.index in masks}
        for instance in system.instances:
            now |= {position for position, node in instance.updates if node.index in masks}
        if now <= positions:
            return frozenset(positions)
        positions |= now


def mask_nodes(nodes: list[Node], scalars: Container[int], size: int) -> set[int]:
    """Indices of masks; never of a number written out, nor of an endless one."""
    indices = {n.index for n in nodes if n.op in _MASKS or (n.op is Op.VAR and n.value % size in scalars)}
    before = -1
    while len(indices) != before:
        before = len(indices)
        for node in reversed(nodes):  # what is used as a mask is one
            if node.op is Op.POPCOUNT or (node.index in indices and node.op in (Op.SHL, Op.SHR)):
                indices.update(_possible(node.args[:1]))
            elif node.index in indices and node.op in _MASKS:
                indices.update(_possible(node.args))
            elif node.index in indices and node.op is Op.ITE:
                indices.update(_possible(node.args[1:]))
        for node in nodes:  # and what is chosen among masks, or compared with one
            if node.op is Op.ITE and any(a.index in indices for a in node.args[1:]):
                indices.update(_possible((node,)))
            elif node.op is Op.EQ and any(a.index in indices for a in node.args):
                indices.update(_possible(node.args))
    return indices


def _possible(nodes: Iterable[Node]) -> Iterator[int]:
    return (n.index for n in nodes if n.op is not Op.CONST and not is_endless(n.high))
