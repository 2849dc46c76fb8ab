"""A whole graph from the native engine: every state it found, and every step as the indices of its two ends."""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from isrcheck.engines.common.targets import SearchTarget
from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.native.batch import BATCH
from isrcheck.engines.native.machine import machine
from isrcheck.engines.native.search import NativeSearch
from isrcheck.ir.scalar import ScalarSystem

_CHUNK_BYTES = 16 << 20


@dataclass(frozen=True)
class Graph:
    """A graph that was searched to its end.

    States are numbered from 0 in the order in which they were found, the initial one first, level after level; numbers
    and words are 64-bit, in this machine's order of bytes.
    """

    exploration: Exploration
    words: int  # of a state
    instances: int
    targets: tuple[SearchTarget, ...]
    search: NativeSearch

    def states(self) -> Iterator[bytes]:
        """The packed states, in chunks of whole ones."""
        size = self.words * 8
        address, many = self.search.store.states.address, _CHUNK_BYTES // size
        for first in range(0, self.exploration.distinct, many):
            count = min(many, self.exploration.distinct - first)
            yield ctypes.string_at(address + first * size, count * size)

    def sights(self) -> Iterator[list[int]]:
        """For each batch of 64 states the words of `targets`: bit n of one is whether the batch's state n shows it."""
        pool = self.search.pool
        worker = pool.workers[0]
        for first in range(0, self.exploration.distinct, BATCH):
            worker.state, worker.state_end = first, min(first + BATCH, self.exploration.distinct)
            pool.call("weigh")
            yield list(pool.words(0, "report", len(self.targets), self.instances))

    def steps(self) -> Iterator[tuple[bytes, bytes]]:
        """The steps by source: of each batch of states, source * instances + instance, and target, step by step."""
        pool = self.search.pool
        worker = pool.workers[0]
        for first in range(0, self.exploration.distinct, BATCH):
            worker.state, worker.state_end = first, min(first + BATCH, self.exploration.distinct)
            found = pool.call("link")
            yield ctypes.string_at(worker.successors, found * 8), ctypes.string_at(worker.hashes, found * 8)


@contextmanager
def graph(system: ScalarSystem, names: Sequence[str], request: Request) -> Iterator[Graph]:
    """The graph that a search finds, for as long as the block lasts; states and steps are judged by these properties.

    The request has one worker, no symmetry and no properties: those that were decided would end the search.
    """
    compiled = machine(system, names)
    search = NativeSearch(compiled, system, request)
    try:
        exploration = search.run()
        yield Graph(exploration, compiled.program.words, compiled.program.instances, compiled.program.targets, search)
    finally:
        search.close()
