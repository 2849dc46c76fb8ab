"""The graph of a model as arrays: what brokers hold in each state, and which steps are the same to them.

Rows are numbered by their hashes, and compared, so that no two of them share a number.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isrbrokers.classes.broker_views import NONE
from isrcheck.engines.registry import StateGraph
from isrcheck.plugin import poll

Numbers = npt.NDArray[np.uint32]
Positions = npt.NDArray[np.int64]
_FIRST = NONE - 1  # in place of an edge: the initial state
_ALL_BITS = 2**64 - 1
_CHUNKS = 1000  # of steps that are read at once: some 4 MB
_GOLDEN = 0x9E3779B97F4A7C15


class Call(NamedTuple):
    """An instance of an action, and the brokers that take the step; None: it is not asked about."""

    name: str
    brokers: tuple[int, ...] | None


class BrokerGraph:
    """States and edges; edges are numbered by their sources, which are numbered level after level."""

    def __init__(self, graph: StateGraph, masks: Sequence[int], calls: Sequence[Call]) -> None:
        self._read_states(graph, masks)
        self._read_steps(graph)
        self._number_keys(calls)
        # Of each edge, to be read one by one: an array would make an object of NumPy of each.
        self.source, self.target = self._sources.data, self._targets.data
        self.instance, self.key = self._instances.data, self._keys.data

    def _read_states(self, graph: StateGraph, masks: Sequence[int]) -> None:
        self.size = graph.exploration.distinct + graph.exploration.outside
        packed = np.empty((self.size, graph.words), np.uint64)
        at = 0
        for chunk in graph.states():
            rows = np.frombuffer(chunk, np.uint64).reshape(-1, graph.words)
            packed[at : at + len(rows)] = rows
            at += len(rows)
        self._held: list[Numbers] = []
        self.bits: list[list[int]] = []  # of each mask, its bits in the states by number
        for mask in masks:
            poll()
            fields = [(place, mask >> 64 * place & _ALL_BITS) for place in range(graph.words)]
            columns = [packed[:, place] & np.uint64(bits) for place, bits in fields if bits or not mask]
            numbers, first = number_rows(columns)
            self._held.append(numbers)
            states = packed[first].tolist()
            self.bits.append([sum((row[place] & bits) << 64 * place for place, bits in fields) for row in states])
        self._columns = [numbers.data for numbers in self._held]

    def _read_steps(self, graph: StateGraph) -> None:
        sources, targets, instances = bytearray(), bytearray(), bytearray()
        steps = graph.steps()
        while some := list(islice(steps, _CHUNKS)):
            both = np.frombuffer(b"".join(each for each, _ in some), np.uint64)
            order = np.argsort(both)  # chunks are of states that follow each other, but not sorted
            source, instance = np.divmod(both[order], np.uint64(graph.instances))
            sources += source.astype(np.uint32).data
            instances += instance.astype(np.uint16).data
            targets += np.frombuffer(b"".join(each for _, each in some), np.uint64)[order].astype(np.uint32).data
        self._sources, self._targets = np.frombuffer(sources, np.uint32), np.frombuffer(targets, np.uint32)
        self._instances = np.frombuffer(instances, np.uint16)
        self._first: Positions = np.searchsorted(self._sources, np.arange(self.size + 1, dtype=np.uint32))

    def _number_keys(self, calls: Sequence[Call]) -> None:
        """Number the steps that differ in what happens or in what brokers hold, by their least edges."""
        by_instance = np.argsort(self._instances, kind="stable").astype(np.uint32)
        ends = np.cumsum(np.bincount(self._instances, minlength=len(calls)))
        numbers = np.empty(len(self._sources), np.uint32)
        least: list[Numbers] = [np.empty(0, np.uint32)]
        total = 0
        asked = np.zeros(len(calls), bool)
        for number, call in enumerate(calls):
            poll()
            edges = by_instance[ends[number - 1] if number else 0 : ends[number]]
            if call.brokers is not None and len(edges):
                own, first = number_rows(list(self._columns_of(edges, call.brokers)))
                numbers[edges] = own + np.uint32(total)
                least.append(edges[first])
                total += len(first)
                asked[number] = True
        all_least = np.concatenate(least)
        order = np.argsort(all_least)
        rank = np.empty(total, np.uint32)
        rank[order] = np.arange(total, dtype=np.uint32)
        numbers[~asked[self._instances]] = 0
        self._keys: Numbers = rank[numbers] if total else numbers
        self._keys[~asked[self._instances]] = NONE
        self._least = all_least[order]  # of each key, an edge from a state of least depth that is reached, or NONE

    def _columns_of(self, edges: Numbers, brokers: Sequence[int]) -> Iterator[Numbers]:
        ends = (self._sources[edges], self._targets[edges])
        acked, acked_after = (self._held[-1][states] for states in ends)
        is_same = acked == acked_after
        for each in (acked, acked_after):
            yield np.where(is_same, np.uint32(NONE), each)
        for broker in brokers:
            for states in ends:
                yield self._held[broker][states]

    def view(self, state: int) -> tuple[int, ...]:
        """The numbers of what brokers hold in a state, broker by broker, and of what was acknowledged."""
        return tuple([column[state] for column in self._columns])

    def out(self, state: int, chance: Random) -> tuple[list[int], list[int]]:
        """The edges of a state and their keys, from any of them on."""
        begin, end = self._first[state : state + 2].tolist()
        turn = begin + int(chance.random() * (end - begin))
        return [*range(turn, end), *range(begin, turn)], [*self.key[turn:end], *self.key[begin:turn]]

    # Ways.

    def find_ways(self, blocked: Sequence[int], seed: int) -> None:
        """Find a shortest way to each state without the steps of some keys: its last edge, one of them by chance."""
        is_blocked = np.isin(np.arange(len(self._least)), blocked)
        chance = np.random.default_rng(seed)
        self._last = np.full(self.size, NONE, np.uint32)
        self._last[0] = _FIRST
        level = np.zeros(1, np.int64)
        while len(level):
            poll()
            edges = self._out_of(level)
            edges = edges[self._last[self._targets[edges]] == NONE]
            if len(blocked):
                keys = self._keys[edges]
                edges = edges[(keys == NONE) | ~is_blocked[np.where(keys == NONE, 0, keys)]]
            edges = chance.permutation(edges)
            targets = self._targets[edges]
            self._last[targets] = edges
            level = np.unique(targets).astype(np.int64)
        if len(blocked):
            edges = np.flatnonzero((self._keys != NONE) & (self._last[self._sources] != NONE))
            self._least[:] = NONE
            np.minimum.at(self._least, self._keys[edges], edges.astype(np.uint32))
        self.least: list[int] = self._least.tolist()

    def _out_of(self, states: Positions) -> Positions:
        """The edges of some states."""
        first = self._first[states]
        counts = self._first[states + 1] - first
        return np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())

    def way(self, state: int) -> list[int]:
        """The edges of the way to a state."""
        edges = []
        while (edge := int(self._last[state])) != _FIRST:
            edges.append(edge)
            state = self.source[edge]
        return edges[::-1]


def number_rows(columns: Sequence[npt.NDArray[Any]], factor: int = _GOLDEN) -> tuple[Numbers, Positions]:
    """Number rows that differ: return the number of each row, and the first row of each number."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        hashes ^= column
        hashes *= np.uint64(factor)
        hashes ^= hashes >> np.uint64(32)
    _, first, numbers = np.unique(hashes, return_index=True, return_inverse=True)
    if all(np.array_equal(column, column[first][numbers]) for column in columns):
        return numbers.astype(np.uint32), first
    return number_rows(columns, factor + 2)
