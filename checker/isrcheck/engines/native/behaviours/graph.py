"""The graph of a model's behaviours, whole or as far as a search came, with what is asked of each state."""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from isrcheck.engines.common.behaviours import BehaviourGraph, ExploredBehaviours, Formula, FormulaKind
from isrcheck.engines.contract import FoundFault, Request, Searched
from isrcheck.engines.native.behaviours.lassos import find_lasso, steps_to_stranded
from isrcheck.engines.native.codegen import program
from isrcheck.engines.native.kernel_text import text_of
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.trace import canonical_words
from isrcheck.engines.native.workers import Region, Segments
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import Condition, ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.refinement import operands
from isrcheck.process.budget import phase, poll

__all__ = ["behaviours", "explore", "find_lasso", "steps_to_stranded"]

_AT_ONCE = 1 << 14  # states between two looks at the clock

Joined = Mapping[str, Sequence[tuple[FormulaKind, Sequence[Condition]]]]  # the formulas of each property


def behaviours(model: BoundModel, names: Sequence[str], request: Request) -> ExploredBehaviours:
    """The explored behaviours of a model, for its temporal properties `names`; raises ModelError or FoundFault."""
    spelled = {method.name: (method, operands(model, method)) for method in model.ir.temporal if method.name in names}
    asked = tuple(each for _, formulas in spelled.values() for formula in formulas for each in formula)
    system = lower(replace(model, ir=replace(model.ir, properties=asked), not_asked={}))
    conditions = {each.name: each.conditions[0] for each in system.properties}
    joined = {
        name: [(FormulaKind(method.operator.value), [conditions[each.name] for each in one]) for one in formulas]
        for name, (method, formulas) in spelled.items()
    }
    return explore(replace(system, properties=()), joined, request)


def explore(system: ScalarSystem, joined: Joined, request: Request) -> ExploredBehaviours:
    """The explored behaviours of a system, for the conditions of each formula in `joined`; raises FoundFault."""
    watched = [(name, each) for name, formulas in joined.items() for _, one in formulas for each in one]
    compiled = program(system, (), watched=[condition for _, condition in watched])
    alone = Request(workers=request.workers, limits=request.limits, progress=request.progress)
    with closing(NativeSearch(Machine(compiled, text_of(compiled)), system, alone)) as search:
        exploration = search.run()
        if exploration.interrupted:
            raise KeyboardInterrupt  # the graph so far may take seconds to write
        phase("writing the graph of behaviours")
        writer = _GraphWriter(search, exploration, [name for name, _ in watched])
        truths = iter(writer.truths())
    formulas = {
        name: [Formula(kind, *(next(truths) for _ in conditions)) for kind, conditions in one]
        for name, one in joined.items()
    }
    return ExploredBehaviours(writer.graph, formulas, exploration.cut, exploration.outside > 0)


class _GraphWriter:
    """Writes the states whose steps are all known."""

    def __init__(self, search: NativeSearch, exploration: Searched, names: Sequence[str]) -> None:
        self._search, self._pool, self._names = search, search.pool, names
        levels = search.store.levels
        known = levels if exploration.cut is None else levels[: max(exploration.depth - 1, 0)]
        self._segments: Segments = [segment for level in known for segment in level]
        self._size = max((end for _, end in self._segments), default=0)
        self._left_out = _numbers(ctypes.c_uint8, self._size)
        self._observed = _numbers(ctypes.c_uint64, 2 * len(names) + len(search.system.instances) + 1)
        self._truths = _numbers(ctypes.c_uint8, len(names) * self._size)
        self._without_value = _numbers(ctypes.c_uint64, len(names))
        steps = exploration.generated
        self.graph = BehaviourGraph(
            first=_numbers(ctypes.c_uint64, self._size + 1),
            target=_numbers(ctypes.c_uint32, steps),
            instance=_numbers(ctypes.c_uint32, steps),
            starts=[],
            pruned_first=_numbers(ctypes.c_uint64, self._size + 1),
            pruned_instance=_numbers(ctypes.c_uint32, steps + exploration.pruned),
        )
        self._write(exploration)

    def _write(self, exploration: Searched) -> None:
        run, graph = self._pool.run, self.graph
        run.first, run.pruned_first = _address(graph.first), _address(graph.pruned_first)
        run.step_target, run.step_instance = _address(graph.target), _address(graph.instance)
        run.pruned_instance, run.left_out = _address(graph.pruned_instance), _address(self._left_out)
        run.observed, run.truths = _address(self._observed), _address(self._truths)
        run.without_value = _address(self._without_value)
        run.watched, run.graph_states, run.written = len(self._names), self._size, 0
        if exploration.outside:
            self._over("leave_out")
        self._over("write_steps")
        starts = (self._index(first) for first in self._search.system.initials)
        inside = [each for each in starts if each < self._size and not self._left_out[each]]
        steps, pruned = graph.first[self._size], graph.pruned_first[self._size]
        self.graph = graph._replace(
            starts=inside,
            target=_first(graph.target, steps),
            instance=_first(graph.instance, steps),
            pruned_instance=_first(graph.pruned_instance, pruned),
        )

    def _over(self, function: str) -> None:
        worker = self._pool.workers[0]
        for start, end in self._segments:
            for first in range(start, end, _AT_ONCE):
                worker.state, worker.state_end = first, min(first + _AT_ONCE, end)
                self._pool.call(function)
                poll()

    def _index(self, state: tuple[int, ...]) -> int:
        canonical_words(self._pool, self._pool.machine.program.packing.pack(state))
        return self._pool.call("locate") - 1

    def truths(self) -> Iterator[bytearray]:
        """Yield the truth of each condition, a byte a state. Raises FoundFault where a condition has no value."""
        for name, wrong in zip(self._names, self._without_value, strict=True):
            if wrong:
                raise FoundFault(self._path(wrong - 1), None, name)
        with memoryview(self._truths) as flags:
            for place in range(len(self._names)):
                yield bytearray(flags[place * self._size : (place + 1) * self._size])

    def _path(self, state: int) -> tuple[int, ...]:
        """A shortest one to a state."""
        there = bytearray(self._size)
        there[state] = 1
        lasso = find_lasso(self.graph, (), Formula(FormulaKind.LEADS_TO, there, bytearray(self._size)))
        assert lasso is not None
        return lasso.stem_instances


def _address(numbers: Any) -> int:
    return ctypes.addressof(numbers)


def _numbers(kind: Any, count: int) -> Any:
    """Zeros that take memory as they are written."""
    size = ctypes.sizeof(kind) * max(count, 1)
    return (kind * count).from_buffer(Region(size).map)


def _first(numbers: Any, count: int) -> Any:
    """The first `count` numbers of an array, in the same memory."""
    return (ctypes.c_uint32 * count).from_buffer(numbers)
