"""Shortest traces without parent pointers: marks run backwards by level, then the least story through marked steps."""

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from isrcheck.engines.common.evaluate import Values, position_of
from isrcheck.engines.common.story import MarkedSteps, Stories
from isrcheck.engines.common.targets import At, SearchTarget
from isrcheck.engines.contract import Path
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.scalar import ScalarSystem

TARGETS_AT_ONCE = 8  # a mark has at least as many bits
STATES_AT_ONCE = 1_000  # whose successors are in memory

State = tuple[int, ...]


class LeastPaths(ABC):
    """The least story to each target, given the level that first showed it; to a fault the first path in order."""

    _pool: WorkerPool

    def __init__(self, system: ScalarSystem, stories: Stories) -> None:
        self._system, self._stories = system, stories
        self._group: list[SearchTarget] = []  # whose marks there are

    def paths(self, level_of: Mapping[SearchTarget, int]) -> dict[SearchTarget, Path]:
        """Find a path to each target first, and then the least story."""
        targets = sorted(level_of, key=lambda target: level_of[target])
        groups = [targets[first : first + TARGETS_AT_ONCE] for first in range(0, len(targets), TARGETS_AT_ONCE)]
        ways = {target: self._way(group, target, level_of) for group in groups for target in group}
        paths = {target: way.first() for target, way in ways.items()}
        for target, way in reversed(ways.items()):
            if not target.fault:
                paths[target] = self._stories.choose(target.name, paths[target], way)
        return paths

    def _way(
        self, group: list[SearchTarget], target: SearchTarget, level_of: Mapping[SearchTarget, int]
    ) -> MarkedSteps[State]:
        mark = 1 << group.index(target)

        def have_marks() -> None:
            if self._group is not group:
                self._group = []
                self._mark(group, level_of)
                self._group = group

        def starts() -> list[State]:
            have_marks()
            return self._starts(mark)

        def expand(states: Iterable[State], level: int) -> Iterator[list[tuple[int, State]]]:
            have_marks()
            if level <= level_of[target]:
                return self._steps(states, level, mark)
            return ([(self._position(i, s), s) for i in last_steps(self._system, target, s)] for s in states)

        return MarkedSteps(level_of[target] + target.ends_with_step, starts, expand)

    @abstractmethod
    def _mark(self, group: list[SearchTarget], level_of: Mapping[SearchTarget, int]) -> None:
        """Give each state the bits of the targets that can be reached from it in time."""

    @abstractmethod
    def _keep_marked(self, states: set[bytes], level: int, mark: int) -> set[bytes]:
        """Return those of these canonical states that are in a level and have a mark."""

    def _starts(self, mark: int) -> list[State]:
        """Return the initial states that are marked."""
        pack = self._pool.machine.program.packing.pack
        initials = {state: canonical_words(self._pool, pack(state)) for state in self._system.initials}
        marked = self._keep_marked({*initials.values()}, 0, mark)
        return [state for state, words in initials.items() if words in marked]

    def _steps(self, states: Iterable[State], level: int, mark: int) -> Iterator[list[tuple[int, State]]]:
        """Yield the steps from each state to marked ones of a level: positions, and the states after them."""
        pool, unpack, waiting = self._pool, self._pool.machine.program.packing.unpack, iter(states)
        while piece := [*islice(waiting, STATES_AT_ONCE)]:
            rows = [[(i, w, canonical_words(pool, w)) for i, w in successor_words(pool, state)] for state in piece]
            marked = self._keep_marked({canonical for row in rows for _, _, canonical in row}, level, mark)
            for state, row in zip(piece, rows, strict=True):
                yield [(self._position(i, state), unpack(words)) for i, words, canonical in row if canonical in marked]

    def _position(self, instance: int, state: State) -> int:
        return position_of(self._system, instance, Values(state))


class NativeTracer(LeastPaths):
    def __init__(self, system: ScalarSystem, pool: WorkerPool, store: Store, stories: Stories) -> None:
        super().__init__(system, stories)
        self._pool, self._store, self._pause = pool, store, stories.pause

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

    def _keep_marked(self, states: set[bytes], level: int, mark: int) -> set[bytes]:
        return {words for words in states if self._is_marked(words, level, mark)}

    def _is_marked(self, words: bytes, level: int, mark: int) -> bool:
        self._pool.words(0, "successors", len(words) // 8)[:] = memoryview(words).cast("Q")
        index, width = self._pool.call("locate") - 1, self._pool.machine.mark_bytes
        if index < self._store.levels[level][0][0]:
            return False
        address = self._store.marks.address + index * width
        return bool(int.from_bytes(ctypes.string_at(address, width), "little") & mark)


def canonical_words(pool: WorkerPool, words: Sequence[int]) -> bytes:
    """A packed state's representative."""
    buffer = pool.words(0, "successors", len(words))
    buffer[:] = words
    if pool.machine.program.symmetric:
        pool.call("canonicalize")
    return bytes(buffer)


def successor_words(pool: WorkerPool, state: State) -> list[tuple[int, list[int]]]:
    """The instances that can be taken, each with the packed successor."""
    program = pool.machine.program
    size = program.words
    pool.words(0, "successors", size, pool.machine.largest_batch * size)[:] = program.packing.pack(state)
    count = pool.call("follow")
    words = list(pool.words(0, "successors", count * size))
    report = bytes(pool.words(0, "report", program.instances))[::8]  # the low bytes, which are read in half the time
    taken = [position for position, lanes in enumerate(report) if lanes & 1]
    return [(position, words[j * size : (j + 1) * size]) for j, position in enumerate(taken)]


def last_steps(system: ScalarSystem, target: SearchTarget, state: State) -> Iterator[int]:
    """Yield the instances whose taking, or whose very guard, shows the target."""
    values = Values(state)
    for position, instance in enumerate(system.instances):
        is_wrong = any(values.of(fault.condition) for fault in instance.faults)
        if target.kind is At.INSTANCE:
            if is_wrong:
                yield position
            continue
        is_taken = not is_wrong and values.of(instance.guard) and not values.of(instance.pruned)
        if is_taken and _shows(system, target, position, values):
            yield position


def _shows(system: ScalarSystem, target: SearchTarget, position: int, before: Values) -> bool:
    a_property = next(each for each in system.properties if each.name == target.name)
    asked = a_property.conditions[position]
    values = Values((*before.successor(system.instances[position]), *before.state))
    if any(values.of(fault.condition) for fault in asked.faults):
        return target.fault
    return not target.fault and a_property.kind.is_target(bool(values.of(asked.node)))
