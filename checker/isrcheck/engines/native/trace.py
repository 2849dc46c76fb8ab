"""Shortest traces without parent pointers: marks run backwards through the levels, then the least marked steps
forward.
"""

import ctypes
from collections.abc import Callable, Mapping

from isrcheck.engines.contract import Path
from isrcheck.engines.native import evaluate
from isrcheck.engines.native.codegen import At, Target
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.scalar import ScalarSystem

_TARGETS_AT_ONCE = 8  # a mark has at least as many bits


class NativeTracer:
    """Finds the least shortest way to each target, given the level in which it was first seen.

    `pause` is called now and then, and may end the work by what it raises.
    """

    def __init__(self, system: ScalarSystem, pool: WorkerPool, store: Store, pause: Callable[[], None]) -> None:
        self._system = system
        self._pause = pause
        self._pool = pool
        self._store = store

    def paths(self, seen: Mapping[Target, int]) -> dict[Target, Path]:
        """The path to each target; levels count from 0."""
        targets = list(seen)
        result: dict[Target, Path] = {}
        for first in range(0, len(targets), _TARGETS_AT_ONCE):
            group = targets[first : first + _TARGETS_AT_ONCE]
            self._mark(group, seen)
            for bit, target in enumerate(group):
                result[target] = self._walk(target, seen[target], 1 << bit)
        return result

    def _mark(self, group: list[Target], seen: Mapping[Target, int]) -> None:
        """Give each state the bits of the targets that can be reached from it in time."""
        levels, run, positions = self._store.levels, self._pool.run, self._pool.machine.program.targets
        self._store.marks.clear(self._store.end * self._pool.machine.mark_bytes)
        deepest = max(seen[target] for target in group)
        for level in range(deepest, -1, -1):
            for bit, target in enumerate(group):
                if seen[target] == level:
                    run.target, run.target_mark = positions.index(target), 1 << bit
                    self._pool.run_over("aim", levels[level], self._pause)
            if level < deepest:
                run.fresh = levels[level + 1][0][0]
                self._pool.run_over("trace_back", levels[level], self._pause)

    def _walk(self, target: Target, last: int, mark: int) -> Path:
        state = self._system.initial
        path: list[int] = []
        for level in range(last):
            position = self._least_step(state, level + 1, mark)
            path.append(position)
            state = evaluate.successor(self._system.instances[position], state)
        if target.kind in (At.STEP, At.INSTANCE):
            path.append(last_step(self._system, target, state))
        return tuple(path)

    def _least_step(self, state: tuple[int, ...], level: int, mark: int) -> int:
        """The first instance that leads to a marked state of the next level."""
        for position, words in successor_words(self._pool, state):
            if self._is_marked(words, level, mark):
                return position
        raise RuntimeError("a marked state has no marked successor")

    def _is_marked(self, words: list[int], level: int, mark: int) -> bool:
        pool = self._pool
        pool.words(0, "successors", len(words))[:] = words
        pool.call("canonicalize")
        index = pool.call("locate") - 1
        if index < self._store.levels[level][0][0]:
            return False
        width = ctypes.c_uint8 if pool.machine.mark_bytes == 1 else ctypes.c_uint16
        return bool(width.from_address(self._store.marks.address + index * pool.machine.mark_bytes).value & mark)


def successor_words(pool: WorkerPool, state: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """The instances that can be taken in a state, in their order, each with the packed state that it leads to."""
    made = pool.machine.program
    size = made.words
    pool.words(0, "successors", size, pool.machine.largest_batch * size)[:] = made.packing.pack(state)
    count = pool.call("follow")
    words = list(pool.words(0, "successors", count * size))
    taken = [position for position, lanes in enumerate(pool.words(0, "report", made.instances)) if lanes & 1]
    return [(position, words[j * size : (j + 1) * size]) for j, position in enumerate(taken)]


def last_step(system: ScalarSystem, target: Target, state: tuple[int, ...]) -> int:
    """The first instance whose taking, or whose very guard, shows the target."""
    for position, instance in enumerate(system.instances):
        faults = [fault.condition for fault in instance.faults]
        known = evaluate.values([instance.guard, instance.pruned, *faults], state)
        wrong = any(known[each] for each in faults)
        taken = known[instance.guard] and not known[instance.pruned] and not wrong
        if wrong if target.kind is At.INSTANCE else taken and _breaks(system, target, position, state):
            return position
    raise RuntimeError("a marked state shows nothing")


def _breaks(system: ScalarSystem, target: Target, position: int, state: tuple[int, ...]) -> bool:
    a_property = next(each for each in system.properties if each.name == target.property)
    condition = a_property.conditions[position]
    both = (*evaluate.successor(system.instances[position], state), *state)
    if any(evaluate.holds(fault.condition, both) for fault in condition.faults):
        return target.fault
    return not target.fault and a_property.kind.is_target(evaluate.holds(condition.node, both))
