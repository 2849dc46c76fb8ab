"""The complete graph from the native engine: its states, and every step as the indices of its two ends."""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from isrcheck.engines.capabilities import ReachableStates
from isrcheck.engines.contract import Limits, Request, Searched
from isrcheck.engines.native.batch import BATCH
from isrcheck.engines.native.machine import machine
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.workers import Segments
from isrcheck.ir.scalar import ScalarSystem

_CHUNK_BYTES = 16 << 20


class NativeGraph:
    """The graph of a search, a StateGraph for as long as the search is open."""

    def __init__(self, search: NativeSearch, exploration: Searched) -> None:
        program = search.pool.machine.program
        self.exploration, self._search = exploration, search
        self.words, self.instances, self.targets = program.words, program.instances, program.targets

    def states(self) -> Iterator[bytes]:
        """The packed states, in chunks of whole ones."""
        yield from self._search.store.packed([(0, self.exploration.distinct)], _CHUNK_BYTES)

    def target_words(self) -> Iterator[list[int]]:
        """For each batch of 64 states, for each of `targets` a word: bit n is whether the batch's state n shows it."""
        for _ in self._batches("weigh"):
            yield list(self._search.pool.words(0, "report", len(self.targets), self.instances))

    def steps(self) -> Iterator[tuple[bytes, bytes]]:
        """The steps by source, in chunks: source * instances + instance, and target, step by step."""
        worker = self._search.pool.workers[0]
        for count in self._batches("link"):
            yield ctypes.string_at(worker.successors, count * 8), ctypes.string_at(worker.hashes, count * 8)

    def _batches(self, function: str) -> Iterator[int]:
        """Call a kernel function for one batch of states after another; gives what it returns."""
        worker = self._search.pool.workers[0]
        for first in range(0, self.exploration.distinct, BATCH):
            worker.state, worker.state_end = first, min(first + BATCH, self.exploration.distinct)
            yield self._search.pool.call(function)


@contextmanager
def graph(system: ScalarSystem, properties: Sequence[str], request: Request) -> Iterator[NativeGraph]:
    """The graph that a search finds, for as long as the block lasts."""
    with closing(NativeSearch(machine(system, properties), system, request)) as search:
        yield NativeGraph(search, search.run())


def states(system: ScalarSystem, limits: Limits) -> ReachableStates:
    """Every reachable state within the limits, no property asked. Raises FoundFault."""
    with closing(NativeSearch(machine(system, ()), system, Request(limits=limits))) as search:
        cut, store = search.run().cut, search.store
        levels = tuple(frozenset(_states(store, level)) for level in store.levels)
    return ReachableStates(levels, cut)


def _states(store: Store, level: Segments) -> Iterator[bytes]:
    for piece in store.packed(level):
        for at in range(0, len(piece), store.state_bytes):
            yield piece[at : at + store.state_bytes]
