"""Symbolic constants, and the bounds that name them, as nodes."""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from isrcheck.ir.domains import evaluate
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.scalar import Node, Scalar
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
