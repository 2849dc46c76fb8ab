"""Meanings of operators, the order in which nodes are computed, and their values in plain Python, a state at a time.

Instances of slots (ir/slots.py) have positions among all choices of parameters, the same in every engine.
"""

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from isrcheck.ir.codec import Computed, NeedsSlots
from isrcheck.ir.scalar import Condition, Instance, Node, Op, ScalarSystem


def arguments_first(roots: Iterable[Node], known: Container[Node] = ()) -> Iterator[Node]:
    """Every node behind these, each once, arguments first; nothing that is in `known` by then, nor behind it."""
    reached: set[Node] = set()
    opened: list[Node] = []
    waiting: list[Node | None] = [*roots]  # None: the arguments of what was opened last have come
    waiting.reverse()
    while waiting:
        node = waiting.pop()
        if node is None:
            yield opened.pop()
        elif node not in reached and node not in known:
            reached.add(node)
            opened.append(node)
            waiting.append(None)
            waiting.extend(node.args[::-1])


# The one table of meanings, in Python. Conditions may be False and True in place of 0 and 1.
PYTHON = {
    Op.NOT: "not {0}",
    Op.EQ: "{0} == {1}",
    Op.LT: "{0} < {1}",
    Op.ADD: "{0} + {1}",
    Op.SUB: "{0} - {1}",
    Op.MUL: "{0} * {1}",
    Op.DIV: "{0} // {1}",
    Op.MOD: "{0} % {1}",
    Op.ITE: "{1} if {0} else {2}",
    Op.BAND: "{0} & {1}",
    Op.BOR: "{0} | {1}",
    Op.BANDNOT: "{0} & ({1} ^ -1)",  # not ~, which warns of truth values
    Op.SHL: "{0} << {1}",
    Op.SHR: "{0} >> {1}",
    Op.POPCOUNT: "({0}).bit_count()",
}


def python(op: Op, arguments: Sequence[str]) -> str:
    if op in PYTHON:
        return f"({PYTHON[op].format(*arguments)})"
    return f"({f' {op.value} '.join(arguments)})"  # AND and OR are called as Python calls them


# Values behind a choice not taken are computed too: there an amount of bits to shift may be negative.
MEANING: dict[Op, Callable[..., int]] = {
    **{op: eval(f"lambda a, b=0, c=0: {python(op, 'abc')}") for op in PYTHON},
    Op.AND: lambda *args: all(args),
    Op.OR: lambda *args: any(args),
    Op.SHL: lambda a, b: a << max(0, b),
    Op.SHR: lambda a, b: a >> max(0, b),
}


def nodes_of(owner: Instance | Condition) -> list[Node]:
    faults = [fault.condition for fault in owner.faults]
    if isinstance(owner, Condition):
        return [owner.node, *faults]
    return [owner.guard, owner.pruned, *(node for _, node in owner.updates), *faults]


class Values:
    """The values of nodes in one state, each computed once."""

    def __init__(self, state: Sequence[int]) -> None:
        self.state = state
        self._known: dict[Node, int] = {}

    def of(self, node: Node) -> int:
        for current in arguments_first([node], self._known):
            match current.op:
                case Op.CONST:
                    self._known[current] = current.value
                case Op.VAR:
                    self._known[current] = self.state[current.value]
                case _:
                    self._known[current] = int(MEANING[current.op](*(self._known[each] for each in current.args)))
        return self._known[node]

    def successor(self, instance: Instance) -> tuple[int, ...]:
        after = list(self.state)
        for place, node in instance.updates:
            after[place] = self.of(node)
        return tuple(after)


def position_of(system: ScalarSystem, instance: int, before: Values) -> int:
    """The position of an instance that can be taken, or goes wrong, in this state. Raises NeedsSlots if slots lack."""
    step = system.instances[instance]
    for fault in step.faults:
        if fault.grows and before.of(fault.condition):
            raise NeedsSlots(fault.grows)
    return instance if step.position is None else before.of(step.position)


class ActionOf(Computed[int]):
    """Actions by position, given the first position of each, and of the end."""

    def __init__(self, first: Sequence[int]) -> None:
        self._first = first

    def __len__(self) -> int:
        return self._first[-1]

    def at(self, position: int) -> int:
        return bisect_right(self._first, position) - 1
