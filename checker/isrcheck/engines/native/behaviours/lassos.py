"""A behaviour that never does what it should, as short a one as is found quickly: a lasso."""

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from itertools import pairwise, starmap
from operator import and_, or_
from typing import Any, NamedTuple

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.engines.native.behaviours import kernel
from isrcheck.engines.native.compile import Code, compile_ir
from isrcheck.engines.native.machine import record_type
from isrcheck.engines.native.translate import DECLARATIONS, translate
from isrcheck.engines.native.workers import Region
from isrcheck.process.budget import poll
from isrcheck.process.interrupt import run_in_background

_EXPORTED = {"reach", "components", "nearest", "first_stranded"}
_ANCHORS = 16  # states of a first cycle from each of which another one is tried
_WORD_BITS = 64
_SCATTER = 0x9E3779B97F4A7C15  # as the kernel's `sets_of`


def find_lasso(
    graph: BehaviourGraph,
    conditions: Sequence[FairnessCondition],
    formula: Formula,
    pruned_counts_as_enabled: bool = True,
) -> Lasso | None:
    """A behaviour from a start that is fair by all conditions and for which the formula is false; None: there is none.

    The answer does not depend on how states are numbered, if each one's steps are in the order of their instances.
    """
    return _Search(graph, conditions, formula, pruned_counts_as_enabled).lasso()


def steps_to_stranded(graph: BehaviourGraph, conditions: Sequence[FairnessCondition]) -> int | None:
    """How many steps lead to a state from which no fair behaviour goes on, while pruned steps count as enabled."""
    never = Formula(FormulaKind.EVENTUALLY, bytearray(len(graph.first) - 1))
    return _Search(graph, conditions, never, True).steps_to_stranded()


BehavioursRecord = record_type(kernel.Behaviours)


@cache
def _code() -> Code:
    ir = translate([kernel], {}, {}, _EXPORTED)
    return compile_ir("\n".join([ir, *sorted(DECLARATIONS), ""]))


@cache
def _function(name: str) -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(_code().address(name))


class _Cycle(NamedTuple):
    """Steps from a state back to it; a cycle without steps stutters there."""

    start: int
    steps: list[tuple[int, int]]  # each instance, and the state that it leads to

    @property
    def states(self) -> list[int]:
        """The first one first, and again last."""
        return [self.start, *(state for _, state in self.steps)]


class _Search:
    def __init__(
        self, graph: BehaviourGraph, conditions: Sequence[FairnessCondition], formula: Formula, pruned: bool
    ) -> None:
        self._graph, self._counts_pruned = graph, pruned
        self._of_instance: dict[int, int] = {}
        for bit, condition in enumerate(conditions):
            for instance in condition.instances:
                self._of_instance[instance] = self._of_instance.get(instance, 0) | 1 << bit
        self._weak = sum(1 << bit for bit, each in enumerate(conditions) if not each.is_strong)
        self._strong = sum(1 << bit for bit, each in enumerate(conditions) if each.is_strong)
        self._words = -(-len(conditions) // _WORD_BITS)
        self._size = len(graph.first) - 1
        self._regions: list[Region] = []
        self._held: list[Any] = []
        self._run = BehavioursRecord()
        self._fill(formula)

    def _fill(self, formula: Formula) -> None:
        run, graph = self._run, self._graph
        run.states, run.words, run.counts_pruned = self._size, self._words, int(self._counts_pruned)
        for name in ("first", "target", "instance", "pruned_first", "pruned_instance"):
            setattr(run, name, self._address(getattr(graph, name)))
        run.start_count, run.starts = len(graph.starts), self._address(array("I", graph.starts))
        self._set_formula(formula)
        self._set_conditions()
        run.weak, run.strong = self._sets([self._weak]), self._sets([self._strong])
        for name in ("enabled", "always", "sometimes", "taken", "wanted_steps", "wanted_off"):
            setattr(run, name, self._sets([0]))
        for name in ("rank", "label", "low", "open_states"):
            setattr(run, name, self._room(4 * self._size))
        run.parent, run.queue = self._room(8 * self._size), self._room(8 * self._size)
        run.frame_state, run.frame_place = run.queue, run.queue + 4 * self._size
        run.frame_step = self._room(8 * self._size)

    def _set_conditions(self) -> None:
        """A table at most half full, as the kernel's `sets_of` reads it."""
        slots = (2 << len(self._of_instance).bit_length()) - 1
        keys, sets = array("Q", bytes(8 * (slots + 1))), bytearray(8 * self._words * (slots + 1))
        for instance, conditions in self._of_instance.items():
            slot = (instance * _SCATTER % 2**64 >> 32) & slots
            while keys[slot]:
                slot = slot + 1 & slots
            keys[slot] = instance + 1
            place = 8 * self._words * slot
            sets[place : place + 8 * self._words] = conditions.to_bytes(8 * self._words, "little")
        self._run.slots, self._run.keys, self._run.conditions = slots, self._address(keys), self._address(sets)

    def _set_formula(self, formula: Formula) -> None:
        run, kind, everywhere = self._run, formula.kind, bytearray(b"\1") * self._size
        is_always = kind is FormulaKind.EVENTUALLY_ALWAYS
        stays = everywhere if is_always else _inverse(formula.q if kind is FormulaKind.LEADS_TO else formula.p)
        begins = _both(formula.p, stays) if kind is FormulaKind.LEADS_TO else stays
        self._touches = _inverse(formula.p) if is_always else everywhere
        run.anywhere = int(kind in (FormulaKind.LEADS_TO, FormulaKind.ALWAYS_EVENTUALLY))
        run.begins, run.stays, run.touches = map(self._address, (begins, stays, self._touches))

    def _address(self, values: Any) -> int:
        if not len(values):
            return 0
        self._held.append(values)
        return ctypes.addressof(ctypes.c_char.from_buffer(values))

    def _sets(self, sets: Iterable[int]) -> int:
        width = 8 * self._words
        return self._address(bytearray(b"".join(each.to_bytes(width, "little") for each in sets)))

    def _room(self, size: int) -> int:
        region = Region(size)
        self._regions.append(region)
        return region.address

    def _call(self, name: str) -> int:
        """Call a function of the kernel; an interrupted one goes on in the background, in memory that is its own."""
        function = _function(name)
        return run_in_background(lambda: int(function(ctypes.byref(self._run))), poll)

    def lasso(self) -> Lasso | None:
        self._call("reach")
        if not self._call("components"):
            return None
        run = self._run
        ctypes.memset(run.low, 0, 4 * self._size)
        lassos = [self._around(state) for state in dict.fromkeys((run.nearest, run.least))]
        return min(lassos, key=lambda lasso: len(lasso.stem) + len(lasso.cycle))

    def steps_to_stranded(self) -> int | None:
        for name in ("reach", "components"):
            self._call(name)
        state = self._call("first_stranded")
        return len(self._stem(state - 1)) - 1 if state else None

    def _around(self, state: int) -> Lasso:
        """The best lasso that ends in the component of this state, of the cycles from some anchors."""
        self._run.kept_label = self._numbers("label")[state]
        first = self._cycle(state)
        others = list(dict.fromkeys(first.states))[1:_ANCHORS]
        cycles = [first, *map(self._cycle, others)]
        lassos = [self._lasso(self._shorten(cycle)) for cycle in cycles]
        return min(lassos, key=lambda lasso: len(lasso.stem) + len(lasso.cycle))

    def _cycle(self, anchor: int) -> _Cycle:
        """Fair: to what is missing, the nearest first, and home."""
        cycle = _Cycle(anchor, [])
        while True:
            steps, off, touch = self._unmet(cycle)
            current = cycle.states[-1]
            if steps or touch:
                cycle.steps.extend(self._way(current, self._size, steps, off, touch))
            elif current != anchor:
                cycle.steps.extend(self._way(current, anchor, 0, 0, False))
            else:
                return cycle

    def _unmet(self, cycle: _Cycle) -> tuple[int, int, bool]:
        """Conditions that want a step, those that want it or a state without them, and whether a touch is missing."""
        enabled = [self._conditions_at(state) for state in cycle.states]
        taken = reduce(or_, (self._of_instance.get(instance, 0) for instance, _ in cycle.steps), 0)
        weak = reduce(and_, enabled) & self._weak & ~taken
        strong = reduce(or_, enabled) & self._strong & ~taken
        return weak | strong, weak, not any(self._touches[state] for state in cycle.states)

    def _conditions_at(self, state: int) -> int:
        graph = self._graph
        instances = list(graph.instance[graph.first[state] : graph.first[state + 1]])
        if self._counts_pruned:
            instances += graph.pruned_instance[graph.pruned_first[state] : graph.pruned_first[state + 1]]
        return reduce(or_, (self._of_instance.get(each, 0) for each in instances), 0)

    def _way(self, source: int, home: int, steps: int, off: int, touch: bool) -> list[tuple[int, int]]:
        """The shortest inside to what is wanted."""
        run, graph, width = self._run, self._graph, 8 * self._words
        run.source, run.home, run.wants_touch = source, home, int(touch)
        for address, wanted in ((run.wanted_steps, steps), (run.wanted_off, off)):
            ctypes.memmove(address, wanted.to_bytes(width, "little"), width)
        kind, parents = self._call("nearest"), self._numbers("open_states")
        assert kind != kernel.NONE
        states = [run.goal]
        while states[-1] != source:
            states.append(parents[states[-1]])
        way = [(self._instance(a, b), b) for a, b in pairwise(reversed(states))]
        if kind == kernel.STEP:
            way.append((graph.instance[run.goal_step], graph.target[run.goal_step]))
        assert way  # or the kernel takes for met what is missing here
        return way

    def _instance(self, source: int, target: int) -> int:
        """Return the least instance that leads from a state to another."""
        graph = self._graph
        steps = range(graph.first[source], graph.first[source + 1])
        return min(graph.instance[step] for step in steps if graph.target[step] == target)

    def _shorten(self, cycle: _Cycle) -> _Cycle:
        """A part of it that is fair as well, as long as there is one."""
        for shorter in _parts(cycle):
            steps, _, touch = self._unmet(shorter)
            if not steps and not touch:
                return self._shorten(shorter)
        return cycle

    def _lasso(self, cycle: _Cycle) -> Lasso:
        rank = self._numbers("rank")
        states = cycle.states[:-1] or [cycle.start]
        place = min(range(len(states)), key=lambda place: rank[states[place]])
        round_trip = cycle.steps[place:] + cycle.steps[:place]
        stem = self._stem(states[place])
        instances = tuple(starmap(self._instance, pairwise(stem)))
        return Lasso(tuple(stem), instances, tuple(s for _, s in round_trip), tuple(i for i, _ in round_trip))

    def _stem(self, state: int) -> list[int]:
        parents = (ctypes.c_uint32 * (2 * self._size)).from_address(self._run.parent)
        node, stem = state + self._size, [state]
        while (parent := parents[node]) != kernel.NOBODY:
            if parent - 1 != node - self._size:  # else the obligation begins
                stem.append((parent - 1) % self._size)
            node = parent - 1
        return stem[::-1]

    def _numbers(self, name: str) -> Any:
        return (ctypes.c_uint32 * self._size).from_address(getattr(self._run, name))


def _parts(cycle: _Cycle) -> Iterator[_Cycle]:
    states, steps = cycle.states, cycle.steps
    if steps:
        yield from (_Cycle(state, []) for state in states[:-1])
    last: dict[int, int] = {}
    for place, state in enumerate(states):
        before = last.get(state)
        if before is not None and place - before < len(steps):
            yield _Cycle(state, steps[before:place])
            yield _Cycle(cycle.start, steps[:before] + steps[place:])
        last[state] = place


def _inverse(flags: bytearray) -> bytearray:
    return flags.translate(bytes([1, *bytes(255)]))


def _both(a: bytearray, b: bytearray) -> bytearray:
    return bytearray((int.from_bytes(a, "little") & int.from_bytes(b, "little")).to_bytes(len(a), "little"))
