"""Shortest traces without parent pointers: marks run backwards by level, then the least marked steps forward."""

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from isrcheck.engines.common.evaluate import Values, position_of
from isrcheck.engines.common.targets import At, SearchTarget
from isrcheck.engines.contract import Path
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.scalar import ScalarSystem

TARGETS_AT_ONCE = 8  # a mark has at least as many bits

State = tuple[int, ...]


class LeastPaths(ABC):
    """The least shortest path to each target, given the level that first showed it."""

    def __init__(self, system: ScalarSystem) -> None:
        self._system = system

    def paths(self, level_of: Mapping[SearchTarget, int]) -> dict[SearchTarget, Path]:
        targets = list(level_of)
        paths: dict[SearchTarget, Path] = {}
        for first in range(0, len(targets), TARGETS_AT_ONCE):
            group = targets[first : first + TARGETS_AT_ONCE]
            self._mark(group, level_of)
            for bit, target in enumerate(group):
                paths[target] = self._path(target, level_of[target], 1 << bit)
        return paths

    @abstractmethod
    def _mark(self, group: list[SearchTarget], level_of: Mapping[SearchTarget, int]) -> None:
        """Give each state the bits of the targets that can be reached from it in time."""

    def _first(self, mark: int) -> State:
        """The first initial state that is marked."""
        return self._system.initial

    @abstractmethod
    def _least_step(self, state: State, level: int, mark: int) -> int:
        """The first instance that leads to a marked state of this level."""

    def _path(self, target: SearchTarget, last: int, mark: int) -> Path:
        state, path = self._first(mark), list[int]()
        for level in range(1, last + 1):
            instance, values = self._least_step(state, level, mark), Values(state)
            path.append(position_of(self._system, instance, values))
            state = values.successor(self._system.instances[instance])
        if target.ends_with_step:
            path.append(position_of(self._system, last_step(self._system, target, state), Values(state)))
        return tuple(path)


class NativeTracer(LeastPaths):
    def _first(self, mark: int) -> State:
        packing = self._pool.machine.program.packing
        return next(first for first in self._system.initials if self._is_marked([*packing.pack(first)], 0, mark))

    def __init__(self, system: ScalarSystem, pool: WorkerPool, store: Store, pause: Callable[[], None]) -> None:
        super().__init__(system)
        self._pool, self._store, self._pause = pool, store, pause

    def _mark(self, group: list[SearchTarget], level_of: Mapping[SearchTarget, int]) -> None:
        levels, run, positions = self._store.levels, self._pool.run, self._pool.machine.program.targets
        ctypes.memset(self._store.marks.address, 0, self._store.end * self._pool.machine.mark_bytes)
        deepest = max(level_of[target] for target in group)
        for level in range(deepest, -1, -1):
            for bit, target in enumerate(group):
                if level_of[target] == level:
                    run.target, run.target_mark = positions.index(target), 1 << bit
                    self._pool.run_over("mark_target_states", levels[level], self._pause)
            if level < deepest:
                run.fresh = levels[level + 1][0][0]
                self._pool.run_over("trace_back", levels[level], self._pause)

    def _least_step(self, state: State, level: int, mark: int) -> int:
        steps = successor_words(self._pool, state)
        return next(position for position, words in steps if self._is_marked(words, level, mark))

    def _is_marked(self, words: list[int], level: int, mark: int) -> bool:
        canonical_words(self._pool, words)
        index, width = self._pool.call("locate") - 1, self._pool.machine.mark_bytes
        if index < self._store.levels[level][0][0]:
            return False
        address = self._store.marks.address + index * width
        return bool(int.from_bytes(ctypes.string_at(address, width), "little") & mark)


def canonical_words(pool: WorkerPool, words: Sequence[int]) -> bytes:
    """A packed state's representative."""
    buffer = pool.words(0, "successors", len(words))
    buffer[:] = words
    pool.call("canonicalize")
    return bytes(buffer)


def successor_words(pool: WorkerPool, state: State) -> list[tuple[int, list[int]]]:
    """The instances that can be taken, each with the packed successor."""
    program = pool.machine.program
    size = program.words
    pool.words(0, "successors", size, pool.machine.largest_batch * size)[:] = program.packing.pack(state)
    count = pool.call("follow")
    words = list(pool.words(0, "successors", count * size))
    taken = [position for position, lanes in enumerate(pool.words(0, "report", program.instances)) if lanes & 1]
    return [(position, words[j * size : (j + 1) * size]) for j, position in enumerate(taken)]


def last_step(system: ScalarSystem, target: SearchTarget, state: State) -> int:
    """The first instance whose taking, or whose very guard, shows the target."""
    values = Values(state)
    for position, instance in enumerate(system.instances):
        is_wrong = any(values.of(fault.condition) for fault in instance.faults)
        if target.kind is At.INSTANCE:
            if is_wrong:
                return position
            continue
        is_taken = not is_wrong and values.of(instance.guard) and not values.of(instance.pruned)
        if is_taken and _shows(system, target, position, values):
            return position
    raise RuntimeError("a marked state shows nothing")


def _shows(system: ScalarSystem, target: SearchTarget, position: int, before: Values) -> bool:
    a_property = next(each for each in system.properties if each.name == target.name)
    asked = a_property.conditions[position]
    values = Values((*before.successor(system.instances[position]), *before.state))
    if any(values.of(fault.condition) for fault in asked.faults):
        return target.fault
    return not target.fault and a_property.kind.is_target(bool(values.of(asked.node)))
