"""Whether a condition can hold at all: few values are tried one after the other, of many nothing is said.

A condition or its contrary is a literal. What is known to hold besides narrows the values that are tried.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from isrcheck.budget import poll
from isrcheck.engines.common.evaluate import MEANING, arguments_first
from isrcheck.ir.scalar import Node, Op, Scalar
from isrcheck.passes.fold import Nodes

# Of one scalar, and of all that a condition reads together. With 256, 1,024 and 4,096 the analysis of kip-320 takes
# 0.7, 1.4 and 4.2 s of CPU, and of async-isr's instances 240, 193 and 177 of 420 pairs depend on each other.
MOST_VALUES = MOST_STATES = 1024


class ScalarLiteral(NamedTuple):
    node: Node
    wanted: bool


def literals(node: Node, wanted: bool = True) -> Iterator[ScalarLiteral]:
    """Which all hold just where a condition has this truth."""
    if node.op is Op.NOT:
        yield from literals(node.args[0], not wanted)
    elif node.op is (Op.AND if wanted else Op.OR):
        for each in node.args:
            yield from literals(each, wanted)
    elif node.op is not Op.CONST or bool(node.value) is not wanted:
        yield ScalarLiteral(node, wanted)


class Questions:
    def __init__(self, scalars: Sequence[Scalar], nodes: Nodes) -> None:
        self._scalars, self._nodes = scalars, nodes
        self._reads: dict[Node, frozenset[int]] = {}
        self._values: dict[ScalarLiteral, tuple[int, int] | None] = {}
        self._answers: dict[tuple[Node, tuple[tuple[int, int], ...]], bool] = {}

    def reads(self, node: Node) -> frozenset[int]:
        if node not in self._reads:
            self._reads[node] = frozenset(each.value for each in arguments_first([node]) if each.op is Op.VAR)
        return self._reads[node]

    def truth(self, literal: ScalarLiteral) -> Node:
        return literal.node if literal.wanted else self._nodes.not_(literal.node)

    def left(self, needs: Iterable[ScalarLiteral]) -> dict[int, int]:
        """By scalar the values, as bits, that literals which read it alone leave it."""
        found: dict[int, int] = {}
        for literal in needs:
            if literal not in self._values:
                self._values[literal] = self._tried(literal)
            known = self._values[literal]
            if known is not None:
                scalar, values = known
                found[scalar] = found.get(scalar, -1) & values
        return found

    def _tried(self, literal: ScalarLiteral) -> tuple[int, int] | None:
        read = self.reads(literal.node)
        if len(read) != 1 or self._scalars[min(read)].size > MOST_VALUES:
            return None
        (scalar,) = read
        truths = _column(literal.node, {scalar: range(self._scalars[scalar].size)})
        return scalar, sum(1 << value for value, truth in enumerate(truths) if bool(truth) is literal.wanted)

    def may_all_hold(self, needs: Sequence[ScalarLiteral]) -> bool:
        """As far as literals that contradict each other and those of one scalar say."""
        known = set(needs)
        if any(ScalarLiteral(node, not wanted) in known for node, wanted in needs):
            return False
        return all(self.left(needs).values())

    def are_too_many(self, nodes: Iterable[Node], needs: Sequence[ScalarLiteral]) -> bool:
        """The values of all scalars that they read, to be tried one after the other."""
        values = self._values_of(nodes, needs)
        return min(values.values(), default=0) < 0 or prod(each.bit_count() for each in values.values()) > MOST_STATES

    def _values_of(self, nodes: Iterable[Node], needs: Sequence[ScalarLiteral]) -> dict[int, int]:
        """By scalar that they read its values, as bits; -1 where there are too many."""
        left = self.left(needs)
        read = sorted({scalar for node in nodes for scalar in self.reads(node)})
        sizes = {scalar: self._scalars[scalar].size for scalar in read}
        return {s: left.get(s, -1) & (1 << size) - 1 if size <= MOST_VALUES else -1 for s, size in sizes.items()}

    def may_hold(self, node: Node, needs: Sequence[ScalarLiteral]) -> bool:
        """Whether it may hold together with these."""
        if node.low == node.high:
            return bool(node.low)
        if self.are_too_many([node], needs):
            return True
        values = self._values_of([node], needs)
        asked = self._nodes.and_(node, *(self.truth(each) for each in needs if self.reads(each.node) <= values.keys()))
        key = asked, tuple(values.items())
        if key not in self._answers:
            poll()
            choices = [[v for v in range(each.bit_length()) if each >> v & 1] for each in values.values()]
            states = [*product(*choices)]  # none, if nothing is left for a scalar
            columns = dict(zip(values, zip(*states, strict=True), strict=True)) if states else {}
            self._answers[key] = bool(states) and any(_column(asked, columns))
        return self._answers[key]


def _column(root: Node, values: Mapping[int, Sequence[int]]) -> Sequence[int]:
    """A node's values in several states, of which `values` are the scalars."""
    count = min(map(len, values.values()), default=0)
    columns: dict[Node, Sequence[int]] = {}
    for node in arguments_first([root]):
        match node.op:
            case Op.CONST:
                columns[node] = [node.value] * count
            case Op.VAR:
                columns[node] = values[node.value]
            case _:
                columns[node] = [int(each) for each in map(MEANING[node.op], *(columns[a] for a in node.args))]
    return columns[root]
