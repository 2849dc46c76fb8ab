"""The brokers' part of a model: the graph that the native engine explored, walked until every step of it was taken.

A step is what happens, and what its brokers hold before and after it: what others hold, or the controller knows, makes
no other step of it. The first leader is r0, since brokers are interchangeable.
"""

import random
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from isrbrokers.classes.broker_views import BrokerViews
from isrcheck import Limits, UsageError
from isrcheck.engines.contract import Request
from isrcheck.engines.registry import StateGraph, engine
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import bind
from isrcheck.plugin import ModelIR, OutOfBudget, show

# The actions that are a broker's, each with the methods of Kafka that decide it.
DECIDED_BY = {
    "learn": "Partition.makeLeader, makeFollower",
    "write": "Partition.appendRecordsToLeader",
    "fetch": "Partition.fetchRecords, ReplicaFetcherThread.processPartitionData",
    "lose_response": "Partition.fetchRecords",
    "truncate": "Partition.fetchRecords, AbstractFetcherThread.truncateOnFetchResponse",
    "ask_add": "Partition.maybeExpandIsr",
    "ask_drop": "Partition.maybeShrinkIsr",
    "refuse_ineligible": "Partition.handleAlterPartitionError",
    "stop": "UnifiedLog.close, create",
    "kill": "UnifiedLog.create",
    "lose_power": "UnifiedLog.create",
    "register": "Partition.makeLeader, makeFollower",
    "refused write": "Partition.appendRecordsToLeader",
    "refused fetch": "Partition.fetchRecords",
}
_OF_BROKERS = ("broker", "leader", "follower")  # parameters that name who takes the step
_OF_FAULTS = {"fences": 1, "elections": 1, "kills": 1, "shrinks": 1}
MOST_STATES = 400_000  # some gigabyte of steps


class Step(NamedTuple):
    """A step of a walk: what happens, the states before and after it, and the line for the harness, if it is asked."""

    edge: int
    before: int
    after: int
    action: str
    line: str | None
    key: int  # the same for steps that differ in nothing that brokers hold


@dataclass(frozen=True)
class BrokerSetting:
    """A partition to ask about, and what may go wrong."""

    constants: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.constants)

    @property
    def value(self) -> dict[str, str]:
        """The constants by name."""
        return dict(self.constants)


def broker_settings(given: Mapping[str, str], *, quick: bool = False) -> list[BrokerSetting]:
    """The partitions to ask about: two replicas with every fault, three with fencings and elections.

    Constants that are given leave only the settings that they fit; those of faults take the place of ours. Quick ones
    have fewer faults at once.
    """
    faults = {name: str(number) for name, number in _OF_FAULTS.items()}
    few = {"fences": "1", "elections": "1"}
    every = [
        {"replicas": "2", "min_isr": "2", **faults},
        {"replicas": "2", "min_isr": "1", "fences": "1", "elections": "2", "shrinks": "1"},
        {"replicas": "2", "min_isr": "2", "fences": "1", "power_losses": "1", "clean_stops": "1"},
        {"replicas": "2", "min_isr": "1", "fences": "1", "shrinks": "1", "max_records": "2"},
        {"replicas": "3", "min_isr": "2", **few},
        {"replicas": "3", "min_isr": "1", "fences": "1"},
    ]
    some = [
        {"replicas": "2", "min_isr": "1", **few},
        {"replicas": "2", "min_isr": "2", "fences": "1", "kills": "1"},
        {"replicas": "2", "min_isr": "1", "power_losses": "1"},
        {"replicas": "2", "min_isr": "1", "fences": "1", "shrinks": "1"},
        {"replicas": "3", "min_isr": "2", "fences": "1"},
    ]
    fixed = {name: value for name, value in given.items() if name in ("replicas", "min_isr")}
    fitting = [each for each in (some if quick else every) if fixed.items() <= each.items()]
    more = {name: value for name, value in given.items() if name not in fixed}
    if more.keys() & {*_OF_FAULTS, "power_losses", "clean_stops", "max_records"}:
        fitting = [{"replicas": each["replicas"], "min_isr": each["min_isr"]} for each in fitting]
    merged = [tuple({**each, **more}.items()) for each in fitting]
    return [BrokerSetting(each) for each in dict.fromkeys(merged)]


class BrokerSteps:
    """The steps of a model's brokers in one setting."""

    def __init__(self, ir: ModelIR, setting: BrokerSetting, seed: int = 0) -> None:
        self.setting = setting
        model = bind(ir, setting.value)
        system = lower(model)
        self._views = BrokerViews(model, system)
        with engine("native").graph(system, (), Request(limits=Limits(states=MOST_STATES))) as graph:
            if graph.exploration.cut is not None and graph.exploration.distinct < MOST_STATES:
                raise OutOfBudget(graph.exploration.cut)
            if graph.exploration.cut is not None:
                raise UsageError(f"{setting} has too many states to walk: {graph.exploration.cut}.")
            self._read(graph, system)
        self.states = len(self._view)
        self._order(random.Random(seed))
        self._blocked: set[int] = set()
        self._refusals: dict[tuple[Any, ...], int] = {}

    @property
    def line(self) -> str:
        """The setting for the harness."""
        return f"{len(self._views.brokers)} {self._views.model.constants['min_isr']}"

    # The graph.

    def _read(self, graph: StateGraph, system: ScalarSystem) -> None:
        self._view = array("I")
        for chunk in graph.states():
            for at in range(0, len(chunk), 8 * graph.words):
                self._view.append(self._views.number(chunk[at : at + 8 * graph.words]))
        self._source, self._target, self._instance = array("I"), array("I"), array("I")
        for sources, targets in graph.steps():
            for both, target in zip(array("Q", sources), array("Q", targets), strict=True):
                source, instance = divmod(both, graph.instances)
                self._source.append(source)
                self._target.append(target)
                self._instance.append(instance)
        self._calls = [(system.actions[each.action], each.arguments) for each in system.instances]
        parameters = {action.name: [p.name for p in action.parameters] for action in self._views.model.ir.actions}
        self._arguments = [dict(zip(parameters[name], values, strict=True)) for name, values in self._calls]

    def _order(self, randomly: random.Random) -> None:
        """Find the steps of each state, and a shortest way to it."""
        edges = sorted(range(len(self._source)), key=self._source.__getitem__)
        self._first = array("I", [0]) * (self.states + 1)
        for source in self._source:
            self._first[source + 1] += 1
        for state in range(self.states):
            self._first[state + 1] += self._first[state]
        self._edges = array("I")
        for state in range(self.states):
            own = edges[self._first[state] : self._first[state + 1]]
            randomly.shuffle(own)
            self._edges.extend(own)
        self._keys: dict[tuple[Any, ...], int] = {}
        self._keys_of_edge: dict[int, tuple[int, ...]] = {}
        self._least: list[int] = []  # of each key, an edge from a state of least depth
        self._find_ways(frozenset())
        for edge in (e for state in self._reached for e in self._out(state)):
            for key in self._keys_of(edge):
                if key == len(self._least):
                    self._least.append(edge)

    def _out(self, state: int) -> Sequence[int]:
        return self._edges[self._first[state] : self._first[state + 1]]

    def _find_ways(self, blocked: frozenset[int] | set[int]) -> None:
        """Find the states that are reached without some steps, in breadth-first order, and the last edge to each."""
        self._last = {0: -1}
        self._reached = [0]
        for state in self._reached:
            for edge in self._out(state):
                target = self._target[edge]
                if target not in self._last and self._may_be_walked(edge, blocked):
                    self._last[target] = edge
                    self._reached.append(target)

    def _may_be_walked(self, edge: int, blocked: frozenset[int] | set[int]) -> bool:
        name = self._calls[self._instance[edge]][0]
        if name == "begin":
            return bool(self._arguments[self._instance[edge]]["leader"] == self._views.brokers[0])
        return not blocked or not any(key in blocked for key in self._keys_of(edge)[:1])

    def _keys_of(self, edge: int) -> tuple[int, ...]:
        """The keys of a step; one more where the answer to a request may come in place of the metadata."""
        if edge not in self._keys_of_edge:
            self._keys_of_edge[edge] = tuple(
                self._keys.setdefault(each, len(self._keys)) for each in self._different(edge)
            )
        return self._keys_of_edge[edge]

    def _different(self, edge: int) -> Iterator[tuple[Any, ...]]:
        instance, views = self._instance[edge], self._views
        action, given = self._calls[instance][0], self._arguments[instance]
        if action in DECIDED_BY:
            before, after = self._view[self._source[edge]], self._view[self._target[edge]]
            brokers = [views.number_of(given[name]) for name in _OF_BROKERS if name in given]
            acks = (views.acks_of(before), views.acks_of(after))
            local = (views.numbers_of(before, brokers), views.numbers_of(after, brokers))
            for answer_first in (False, True)[: 1 + (action == "learn" and self._is_answer(before, after, brokers[0]))]:
                yield instance, local, acks if acks[0] != acks[1] else None, answer_first

    def _is_answer(self, before: int, after: int, broker: int) -> bool:
        """Whether what a leader learns is what it asked for, so that the answer may come first."""
        old, new = self._views.local_state(before, broker), self._views.local_state(after, broker)
        return old.is_leading and new.is_leading and old.asks == new.knows

    # Walks.

    @property
    def total(self) -> int:
        """How many different steps there are."""
        return len(self._least)

    def walks(self, covered: set[int]) -> Iterator[list[Step]]:
        """Yield walks from the beginning, until every key is covered that can be; those of the deepest states first."""
        for key in reversed(range(len(self._least))):
            edge = self._least[key]
            if key in covered or self._source[edge] not in self._last:
                continue
            steps = [self._step(each, covered) for each in self.way(self._source[edge])]
            steps.append(self._step(edge, covered, key))
            steps += self._go_on(self._target[edge], covered)
            yield [each for step in steps for each in (step, *self._probe_after(step, covered))]

    def _go_on(self, state: int, covered: set[int]) -> Iterator[Step]:
        """Yield new steps from a state on, as long as there are some."""
        while new := [edge for edge in self._out(state) if self._is_new(edge, covered)]:
            yield self._step(new[0], covered)
            state = self._target[new[0]]

    def _probe_after(self, step: Step, covered: set[int]) -> Iterator[Step]:
        """Yield what the model does not allow after a step, as far as it was not asked: writes and fetches."""
        view = self._view[step.after]
        for key, line in self._probes(view) if step.line else ():
            number = self._refusals.setdefault(key, -1 - len(self._refusals))
            if number not in covered:
                covered.add(number)
                yield Step(step.edge, step.after, step.after, f"refused {line.split()[0][3:]}", line, number)

    def _probes(self, view: int) -> Iterator[tuple[tuple[Any, ...], str]]:
        numbers = range(len(self._views.brokers))
        for one in numbers:
            local = self._views.local_state(view, one)
            if local.refuses_writes:
                yield ("write", self._views.numbers_of(view, [one])), self._views.write_line(one, "no-write")
            leader = local.follows
            if leader is not None and not self._views.local_state(view, leader).serves(local):
                yield ("fetch", self._views.numbers_of(view, [one, leader])), f"no-fetch {one} {leader}"

    def _is_new(self, edge: int, covered: set[int]) -> bool:
        return any(key not in covered and key not in self._blocked for key in self._keys_of(edge))

    def _step(self, edge: int, covered: set[int], wanted: int | None = None) -> Step:
        """A step, with the first of its keys that is not yet covered."""
        instance = self._instance[edge]
        keys = self._keys_of(edge)
        key, line = -1, None
        if keys:
            key = wanted if wanted is not None else next((each for each in keys if each not in covered), keys[0])
            action, given = self._calls[instance][0], self._arguments[instance]
            line = self._views.line(action, given, self._view[self._target[edge]], key != keys[0])
            covered.add(key)
        return Step(edge, self._source[edge], self._target[edge], self._calls[instance][0], line, key)

    def block(self, keys: Iterable[int]) -> None:
        """Walk no more through steps that differ: what follows them is compared on other ways, if there are."""
        self._blocked |= set(keys)
        self._find_ways(self._blocked)

    def way(self, state: int) -> list[int]:
        """The edges of a shortest way to a state."""
        edges = []
        while self._last[state] >= 0:
            edges.append(self._last[state])
            state = self._source[edges[-1]]
        return edges[::-1]

    def write(self, state: int) -> str:
        """Write what the brokers hold in a state as the harness does."""
        return self._views.write(self._view[state])

    def call(self, edge: int) -> str:
        """The call of a step, such as fetch(follower=r1, leader=r0)."""
        given = ", ".join(f"{name}={show(value)}" for name, value in self._arguments[self._instance[edge]].items())
        return f"{self._calls[self._instance[edge]][0]}({given})"
