"""Nodes evaluated in plain Python, one state at a time: for the last step of a trace, where speed does not matter."""

from collections.abc import Sequence

from isrcheck.engines.native.lanes import reachable
from isrcheck.ir.scalar import Instance, Node, Op


def values(roots: Sequence[Node], state: Sequence[int]) -> dict[Node, int]:
    """The value of these nodes, and of all that they are made of, in a state."""
    result: dict[Node, int] = {}
    for node in reachable(roots):
        result[node] = _value(node, [result[each] for each in node.args], state)
    return result


def holds(node: Node, state: Sequence[int]) -> bool:
    """Whether a node is 1 in a state."""
    return values([node], state)[node] == 1


def successor(instance: Instance, state: Sequence[int]) -> tuple[int, ...]:
    """The state that a step leads to."""
    known = values([node for _, node in instance.updates], state)
    after = list(state)
    for position, node in instance.updates:
        after[position] = known[node]
    return tuple(after)


def _value(node: Node, args: list[int], state: Sequence[int]) -> int:
    match node.op:
        case Op.CONST:
            return node.value
        case Op.VAR:
            return state[node.value]
        case Op.NOT:
            return 1 - args[0]
        case Op.AND:
            return int(all(args))
        case Op.OR:
            return int(any(args))
        case Op.EQ:
            return int(args[0] == args[1])
        case Op.LT:
            return int(args[0] < args[1])
        case Op.ITE:
            return args[1] if args[0] else args[2]
        case Op.POPCOUNT:
            return args[0].bit_count()
        case _:
            return _arithmetic(node.op, args[0], args[1])


def _arithmetic(op: Op, a: int, b: int) -> int:
    match op:
        case Op.ADD:
            return a + b
        case Op.SUB:
            return a - b
        case Op.MUL:
            return a * b
        case Op.DIV:
            return a // b
        case Op.MOD:
            return a % b
        case Op.BAND:
            return a & b
        case Op.BOR:
            return a | b
        case Op.BANDNOT:
            return a & ~b
        case Op.SHL:
            return a << b
        case _:
            return a >> b
