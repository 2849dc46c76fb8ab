"""The exact cone of influence of a scalar system: the scalars that decide some properties, and the steps that matter.

Without the other scalars, and without the steps that change none of those kept, every property asked has the same
verdict, and the shortest way to each violation has the same length: each step that is left reads and changes what it
did, and the steps left out change nothing that anybody kept reads.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from isrcheck.engines.symbolic.kinds import ordered
from isrcheck.ir.scalar import Instance, Node, Op, ScalarSystem


@dataclass(frozen=True)
class SystemSlice:
    """Positions of scalars and of instances, both in order."""

    scalars: tuple[int, ...]
    instances: tuple[int, ...]


def support(nodes: Iterable[Node], size: int) -> frozenset[int]:
    """The positions of the scalars that these nodes read; of a step property, in either state."""
    return frozenset(node.value % size for node in ordered(nodes) if node.op is Op.VAR)


def slice_for(system: ScalarSystem, targets: Iterable[Node], every_step: bool) -> SystemSlice:
    """What decides these nodes. `every_step`: a step counts even if it changes nothing kept (step properties)."""
    size = len(system.scalars)
    kept = set(support(targets, size))
    taken: set[int] = set()
    grew = True
    while grew:
        grew = False
        for position, instance in enumerate(system.instances):
            written = {scalar for scalar, _ in instance.updates}
            if position not in taken and (every_step or written & kept) and instance.guard.high:
                taken.add(position)
                grew = True
        for position in taken:
            more = support(_reads(system.instances[position], kept), size) - kept
            grew |= bool(more)
            kept |= more
    return SystemSlice(tuple(sorted(kept)), tuple(sorted(taken)))


def _reads(instance: Instance, kept: set[int]) -> Iterable[Node]:
    return (instance.guard, instance.pruned, *(node for scalar, node in instance.updates if scalar in kept))
