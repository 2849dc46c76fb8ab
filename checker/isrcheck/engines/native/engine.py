"""The native engine as the others are asked, and what it offers besides the search."""

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.native.compile import Effort
from isrcheck.engines.native.lowered import KeptLowering, Lowered, TieredMachine, is_short
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.program import BATCH
from isrcheck.engines.native.search import NativeSearch, may_compact
from isrcheck.engines.native.simulate import simulate
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel

if TYPE_CHECKING:
    from isrcheck.engines.native.lanes import TooWide

__all__ = ["NativePrepared", "graph", "prepare", "search", "simulate"]

WORTH_KEEPING = 0.01  # CPU seconds; what is quicker to make again leaves no file
_CHUNK_BYTES = 16 << 20


class NativePrepared:
    """A system with the program that searches it, compiled when it is first searched."""

    def __init__(self, lowered: Lowered, compiled: Callable[[], Machine]) -> None:
        self._system, self.ir = lowered.system, lowered.ir
        self._compiled = compiled

    @cached_property
    def _machine(self) -> Machine:
        return self._compiled()

    def search(self, request: Request) -> Searched:
        """Search for the properties that it was prepared for, or for none."""
        compacts = may_compact(self._machine.program, self._system, request)
        with closing(NativeSearch(self._machine, self._system, request, compacts)) as search:
            return search.run()


def prepare(system: ScalarSystem, properties: tuple[str, ...], hasty: bool = False) -> NativePrepared:
    """Prepare a search for these properties of a system; raises TooWide."""
    lowered = Lowered.of(system, properties)
    effort = Effort.HASTY if hasty else Effort.OPTIMIZED
    return NativePrepared(lowered, lambda: lowered.machine(effort))


def search(model: BoundModel, request: Request) -> Searched:
    """Explore a model in machine code. Raises UsageError, ModelError or FoundFault."""
    if request.disk is not None:
        from isrcheck.engines.native.disk.search import search as search_on_disk

        return search_on_disk(model, request.disk, request)
    store = KeptLowering(model, request)
    before = store.load()
    prepared = (
        _prepare_in_tiers(before, request, store, lambda: None) if before else _lower_and_prepare(model, request, store)
    )
    return prepared.search(request)


def _lower_and_prepare(model: BoundModel, request: Request, store: KeptLowering) -> NativePrepared:
    """Lower a model and prepare its search; what is kept of it is checked before."""
    from isrcheck.engines.native.lanes import TooWide  # here: what was kept is not made again

    began = time.thread_time()
    system = lower(model, request.properties)
    try:
        begins_early = _may_begin_early(request)
        lowered = Lowered.of(system, request.properties, request.symmetry, provisional=begins_early)
    except TooWide as wide:
        raise _place_error(wide, model, system) from None

    def check() -> None:
        if request.symmetry:
            from isrcheck.engines.common.symmetry import check_graph

            check_graph(system, request.properties)
        if time.thread_time() - began >= WORTH_KEEPING:
            store.keep(lowered)

    return _prepare_in_tiers(lowered, request, store, check)


def _prepare_in_tiers(
    lowered: Lowered, request: Request, store: KeptLowering, meanwhile: Callable[[], object]
) -> NativePrepared:
    """Prepare code that suits the request: what lasts, and what may not take the memory of both, is optimized."""

    def to_bytes() -> bytes:
        return store.bytes_of(lowered)

    has_lasted = lowered.provisional and store.earlier_search_was_long()
    at_once = has_lasted and is_short(lowered)
    if lowered.provisional and _may_begin_early(request) and not at_once:
        return NativePrepared(
            lowered, lambda: TieredMachine(lowered, to_bytes, store.keep, meanwhile, store.note_long_search, has_lasted)
        )
    best = lowered.for_optimizer()

    def check_and_keep() -> None:
        meanwhile()
        if at_once:
            store.keep(best)

    return NativePrepared(best, lambda: Machine(best.program, best.ir, meanwhile=check_and_keep))


def _may_begin_early(request: Request) -> bool:
    return request.limits.memory is None


def explore(system: ScalarSystem, request: Request) -> Searched:
    """Search a system as asked. Raises FoundFault or TooWide."""
    lowered = Lowered.of(system, request.properties, request.symmetry)
    return NativePrepared(lowered, lowered.machine).search(request)


def _place_error(wide: "TooWide", model: BoundModel, system: ScalarSystem) -> "TooWide":
    """The error at the first action or property whose values are too wide, else at the model."""
    from isrcheck.engines.native.lanes import TooWide, lane_bits

    at_of = {p.name: p.at for p in model.ir.properties}
    actions = model.ir.actions
    parts = [(actions[i.action].at, [i.guard, i.pruned, *(n for _, n in i.updates)]) for i in system.instances]
    parts += [(at_of[p.name], [c.node for c in p.conditions]) for p in system.properties if p.name in at_of]
    for at, nodes in parts:
        try:
            lane_bits(nodes)
        except TooWide as own:
            return TooWide(own.low, own.high, at)
    return TooWide(wide.low, wide.high, model.ir.at)


class NativeGraph:
    def __init__(self, search: NativeSearch, exploration: Searched) -> None:
        program = search.pool.machine.program
        self.exploration = exploration
        self._pool, self._store = search.pool, search.store
        self._end = exploration.distinct + exploration.outside
        self.words, self.instances, self.targets = program.words, program.instances, program.targets

    def states(self) -> Iterator[bytes]:
        yield from self._store.pack([(0, self._end)], _CHUNK_BYTES)

    def target_words(self) -> Iterator[list[int]]:
        for _ in self._batches("report_targets"):
            yield list(self._pool.words(0, "report", len(self.targets), self.instances))

    def steps(self) -> Iterator[tuple[bytes, bytes]]:
        worker = self._pool.workers[0]
        for count in self._batches("link"):
            yield ctypes.string_at(worker.successors, count * 8), ctypes.string_at(worker.hashes, count * 8)

    def _batches(self, function: str) -> Iterator[int]:
        worker, end = self._pool.workers[0], self._end
        for first in range(0, end, BATCH):
            worker.state, worker.state_end = first, min(first + BATCH, end)
            yield self._pool.call(function)


@contextmanager
def graph(system: ScalarSystem, properties: Sequence[str], request: Request) -> Iterator[NativeGraph]:
    with closing(NativeSearch(Lowered.of(system, tuple(properties)).machine(), system, request)) as search:
        yield NativeGraph(search, search.run())
