"""Which bits of which scalars an expression reads and a step writes.

A footprint is a number with a bit for each bit of a state: the scalars lie side by side, in declaration order.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from isrcheck.engines.common.evaluate import arguments_first
from isrcheck.ir.scalar import Instance, Node, Op, Scalar

ALL = -1  # every bit of a value


@dataclass(frozen=True, slots=True)
class Footprint:
    """Of one instance."""

    asks: int  # what decides whether it can be taken, whether it leaves a bound, and whether it goes wrong
    uses: int  # what its new values are computed from
    writes: int


class Footprints:
    def __init__(self, scalars: Sequence[Scalar]) -> None:
        self._bits = [(1 << each.bits) - 1 for each in scalars]
        self._offsets = list(accumulate((each.bits for each in scalars), initial=0))

    def of_scalar(self, position: int, mask: int = ALL) -> int:
        return (mask & self._bits[position]) << self._offsets[position]

    def reads(self, roots: Iterable[Node], mask: int = ALL) -> int:
        """What these bits of the values depend on; in a step property also what they depend on before the step."""
        needed = dict.fromkeys(roots, mask)
        found = 0
        for node in reversed(list(arguments_first(needed))):
            wanted = needed.get(node, 0)
            if node.op is Op.VAR:
                found |= self.of_scalar(node.value % len(self._bits), wanted)
            elif wanted and node.args:
                for argument, own in _needed(node, wanted):
                    needed[argument] = needed.get(argument, 0) | own
        return found

    def of(self, instance: Instance) -> Footprint:
        uses = writes = 0
        for position, node in instance.updates:
            changed = ~kept(node, position) & self._bits[position]
            writes |= self.of_scalar(position, changed)
            uses |= self.reads([node], changed) if changed else 0
        asked = [instance.guard, instance.pruned, *(fault.condition for fault in instance.faults)]
        return Footprint(self.reads(asked), uses, writes)


def _needed(node: Node, wanted: int) -> Iterator[tuple[Node, int]]:
    """Which bits of its arguments some bits of a value depend on."""
    first, *others = node.args
    constant = others[-1].value if others and others[-1].op is Op.CONST else None
    match node.op:
        case Op.ITE:
            yield from ((first, ALL), (others[0], wanted), (others[1], wanted))
        case Op.BAND if constant is not None:
            yield first, wanted & constant
        case Op.BOR | Op.BANDNOT if constant is not None:
            yield first, wanted & ~constant
        case Op.BAND | Op.BOR | Op.BANDNOT:
            yield from ((each, wanted) for each in node.args)
        case Op.SHL if constant is not None:
            yield first, wanted >> constant
        case Op.SHR if constant is not None:
            yield first, wanted << constant
        case _:
            yield from ((each, ALL) for each in node.args)


def kept(root: Node, position: int) -> int:
    """The bits of a value that always are the same bits of a scalar."""
    same: dict[Node, int] = {}
    for node in arguments_first([root]):
        args = node.args
        match node.op:
            case Op.VAR:
                same[node] = ALL if node.value == position else 0
            case Op.ITE:
                same[node] = same[args[1]] & same[args[2]]
            case Op.BAND if args[1].op is Op.CONST:
                same[node] = same[args[0]] & args[1].value
            case Op.BOR:
                a, b = args
                same[node] = same[a] & same[b] | same[a] & ~_possible(b) | same[b] & ~_possible(a)
            case Op.BANDNOT:
                same[node] = same[args[0]] & ~_possible(args[1])
            case _:
                same[node] = 0
    return same[root]


def _possible(node: Node) -> int:
    """The bits that may be 1, as far as it is easily known."""
    if node.op is Op.CONST:
        return node.value
    if node.op is Op.ITE:
        return _possible(node.args[1]) | _possible(node.args[2])
    return (1 << node.high.bit_length()) - 1 if node.low >= 0 else ALL
