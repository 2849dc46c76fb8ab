"""An expression with others in place of its scalars."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from isrcheck.ir.scalar import Node, Op
from isrcheck.passes.fold import Nodes


class Substitution:
    """`values` by the position of a scalar; the others stay."""

    def __init__(self, nodes: Nodes, values: Mapping[int, Node]) -> None:
        self._nodes, self._values = nodes, values
        self._known: dict[int, Node] = {}
        self._make: dict[Op, Callable[..., Any]] = {
            Op.NOT: nodes.not_,
            Op.AND: nodes.and_,
            Op.OR: nodes.or_,
            Op.EQ: nodes.eq,
            Op.LT: nodes.lt,
            Op.ADD: nodes.add,
            Op.SUB: nodes.sub,
            Op.MUL: nodes.mul,
            Op.DIV: lambda a, b: nodes.div(a, b.value),
            Op.MOD: lambda a, b: nodes.mod(a, b.value),
            Op.ITE: nodes.ite,
            Op.BAND: nodes.bit_and,
            Op.BOR: nodes.bit_or,
            Op.BANDNOT: nodes.bit_and_not,
            Op.SHL: nodes.shift_left,
            Op.SHR: nodes.shift_right,
            Op.POPCOUNT: nodes.popcount,
        }

    def of(self, root: Node) -> Node:
        waiting = [root]
        while waiting:
            node = waiting[-1]
            missing = [each for each in node.args if each.index not in self._known]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            self._known[node.index] = self._new(node)
        return self._known[root.index]

    def _new(self, node: Node) -> Node:
        if node.op is Op.VAR:
            return self._values.get(node.value, node)
        args = [self._known[each.index] for each in node.args]
        changed = any(new is not old for new, old in zip(args, node.args, strict=True))
        result: Node = self._make[node.op](*args) if changed else node
        return result


def after_step(nodes: Nodes, sizes: Sequence[int], updates: Iterable[tuple[int, Node]]) -> Substitution:
    """A substitution that asks before a step what is asked after it; what is above a bound is pruned anyway."""
    values = {p: nodes.max_(nodes.const(0), nodes.min_(node, nodes.const(sizes[p] - 1))) for p, node in updates}
    return Substitution(nodes, values)
