"""Random walks of a symbolic system in plain Python: to sift candidates early."""

import random
from collections.abc import Iterator

from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.symbolic.answers import State
from isrcheck.passes.symbolic import SymbolicSystem


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
            return values.successor(instance)
    return None
