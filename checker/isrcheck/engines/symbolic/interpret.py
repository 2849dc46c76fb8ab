"""Nodes computed in plain Python, one state at a time, and random walks of an open system: to sift candidates early."""

import random
from collections.abc import Callable, Iterator

from isrcheck.engines.symbolic.answers import State
from isrcheck.engines.symbolic.kinds import ordered
from isrcheck.ir.scalar import Node, Op
from isrcheck.passes.symbolic import SymbolicSystem

_MEANING: dict[Op, Callable[..., int]] = {
    Op.NOT: lambda a: 1 - a,
    Op.AND: lambda *args: int(all(args)),
    Op.OR: lambda *args: int(any(args)),
    Op.EQ: lambda a, b: int(a == b),
    Op.LT: lambda a, b: int(a < b),
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a // b,
    Op.MOD: lambda a, b: a % b,
    Op.ITE: lambda c, a, b: a if c else b,
    Op.BAND: lambda a, b: a & b,
    Op.BOR: lambda a, b: a | b,
    Op.BANDNOT: lambda a, b: a & ~b,
    Op.SHL: lambda a, b: a << max(0, b),
    Op.SHR: lambda a, b: a >> max(0, b),
    Op.POPCOUNT: lambda a: a.bit_count(),
}


class Values:
    """The values of nodes in one state, computed once each."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._made: dict[int, int] = {}

    def of(self, node: Node) -> int:
        """A node's value."""
        for part in ordered((node,), self._made):
            if part.op is Op.CONST:
                self._made[part.index] = part.value
            elif part.op is Op.VAR:
                self._made[part.index] = self.state[part.value]
            else:
                self._made[part.index] = _MEANING[part.op](*(self._made[a.index] for a in part.args))
        return self._made[node.index]


def walks(symbolic: SymbolicSystem, seed: int, count: int = 40, steps: int = 25) -> Iterator[State]:
    """States that are reachable for some small choice of the symbolic constants."""
    chance = random.Random(seed)
    for _ in range(count):
        starts = (_start(symbolic, chance) for _ in range(200))
        allowed = next((s for s in starts if Values(s).of(symbolic.allowed.node)), None)
        if allowed is None:
            return
        yield (state := allowed)
        for _ in range(steps):
            after = _any_successor(symbolic, state, chance)
            if after is None:
                break
            yield (state := after)


def _start(symbolic: SymbolicSystem, chance: random.Random) -> State:
    system = symbolic.system
    free = (chance.randrange(min(s.size, 4)) for s in system.scalars[symbolic.first_symbolic :])
    return (*system.initial[: symbolic.first_symbolic], *free)


def _any_successor(symbolic: SymbolicSystem, state: State, chance: random.Random) -> State | None:
    """What one of the instances that can be taken leads to."""
    values = Values(state)
    for instance in chance.sample(symbolic.system.instances, len(symbolic.system.instances)):
        if values.of(instance.guard) and not values.of(instance.pruned):
            after = list(state)
            for position, node in instance.updates:
                after[position] = values.of(node)
            return tuple(after)
    return None
