"""Bounds that name symbolic constants, as nodes; and what is known to lie within them."""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from isrcheck.ir.domains import evaluate
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.scalar import Node, Op, Scalar
from isrcheck.passes.fold import Nodes


class SymbolicScalars:
    """The symbolic constants as scalars, after those of the variables: positions in their ranges."""

    def __init__(self, nodes: Nodes, constants: Mapping[str, Any], first: int = 0) -> None:
        self.n, self.constants, self.first = nodes, constants, first
        self.choices: dict[str, ValueRange] = {n: v for n, v in constants.items() if isinstance(v, ValueRange)}
        self.scalars = tuple(Scalar(name, choice.size) for name, choice in self.choices.items())
        self.positions = {
            scalar.name: nodes.var(position, scalar.size) for position, scalar in enumerate(self.scalars, first)
        }
        self._operations: dict[type[ast.operator] | str, Callable[[Node, Node], Node]] = {
            ast.Add: nodes.add,
            ast.Sub: nodes.sub,
            ast.Mult: nodes.mul,
            ast.FloorDiv: self._div,
            "min": nodes.min_,
            "max": nodes.max_,
        }
        self._limits: dict[str, Node] = {}
        self._below: dict[int, set[tuple[int, int]]] = {}  # by node: its limits and shifts

    def limit(self, expression: str) -> Node:
        if expression not in self._limits:
            self._limits[expression] = evaluate(expression, self.n.const, self.constant, self._operations)
        return self._limits[expression]

    def constant(self, name: str) -> Node:
        n = self.n
        if name not in self.choices:
            return n.const(int(self.constants[name]))
        least = n.const(self.choices[name].value(0))
        return n.add(self.positions[name], least)

    def _div(self, a: Node, b: Node) -> Node:
        n = self.n
        if b.low > 0:
            return n.div(a, b.low)
        negative = n.sub(n.const(0), a)
        return n.div(negative, -b.low)

    def keep_below(self, node: Node, expression: str, shift: int = 0) -> None:
        """A scalar plus `shift` never exceeds this limit: such a step is pruned."""
        if node.op is Op.VAR:
            self._below.setdefault(node.index, set()).add((self.limit(expression).index, shift))

    def exceeds(self, node: Node, limit: Node) -> Node:
        """Whether it is above, in states within their bounds."""
        n = self.n
        return n.false if self._is_below(node, limit) else n.lt(limit, node)

    def _is_below(self, node: Node, limit: Node) -> bool:
        waiting, visited = [(node, 0)], set()
        while waiting:
            each, shift = waiting.pop()
            known = self._below.get(each.index, ())
            if (each.index, shift) in visited or any(k == limit.index and shift <= by for k, by in known):
                continue
            if each.high + shift <= limit.low or (each is limit and shift <= 0):
                continue
            visited.add((each.index, shift))
            if each.op is Op.ADD and each.args[1].op is Op.CONST:
                waiting.append((each.args[0], shift + each.args[1].value))
            elif each.op is Op.ITE:
                branches = _not_chosen_for_being_less(each, limit if not shift else None)
                waiting += [(branch, shift) for branch in branches]
            else:
                return False
        return True


def _not_chosen_for_being_less(choice: Node, limit: Node | None) -> tuple[Node, ...]:
    condition, then, other = choice.args
    if condition.op is Op.LT and limit is not None:
        low, high = condition.args
        if low is limit and high is other:  # limit if limit < x else x
            return (then,)
        if high is limit and low is then:  # x if x < limit else ...
            return (other,)
    return then, other
