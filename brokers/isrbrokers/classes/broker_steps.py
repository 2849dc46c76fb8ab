"""The brokers' part of a model: the graph that the native engine explored, walked until every step of it was taken.

A step is what happens, and what its brokers hold before and after it: what others hold, or the controller knows, makes
no other step of it. The first leader is r0, since brokers are interchangeable.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from isrbrokers.classes.broker_views import NONE, BrokerViews, View
from isrcheck import Limits, UsageError
from isrcheck.engines.contract import Request
from isrcheck.engines.registry import engine
from isrcheck.ir.scalar import Instance
from isrcheck.passes import lower
from isrcheck.passes.bind import bind
from isrcheck.plugin import ModelIR, OutOfBudget, poll, replace, show

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
MOST_STATES = 12_000_000  # 9,584,611 with 71 million steps take 2.8 GB
_STATES_AHEAD = 40  # from which a walk looks for a new step: a look costs less than a call of Kafka's classes


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
        from isrbrokers.classes.broker_graph import BrokerGraph, Call  # here: it needs NumPy

        self.setting = setting
        model = bind(ir, setting.value)
        system = lower(model)
        self._views = BrokerViews(model, system)
        self._parameters = {action.name: [p.name for p in action.parameters] for action in model.ir.actions}
        system = replace(
            system, instances=tuple(each for each in system.instances if self._is_walked(system.actions, each))
        )
        self._names = [system.actions[each.action] for each in system.instances]
        self._arguments = [self._name_arguments(system.actions, each) for each in system.instances]
        calls = [
            Call(name, self._brokers_of(name, given)) for name, given in zip(self._names, self._arguments, strict=True)
        ]
        with engine("native").graph(system, (), Request(limits=Limits(states=MOST_STATES))) as graph:
            if graph.exploration.cut is not None and graph.exploration.distinct < MOST_STATES:
                raise OutOfBudget(graph.exploration.cut)
            if graph.exploration.cut is not None:
                raise UsageError(
                    f"{setting} has more than {MOST_STATES:,} states, too many to walk: fewer faults have fewer."
                )
            self._graph = BrokerGraph(graph, self._views.masks, calls)
        self._views.bits = self._graph.bits
        self.states = self._graph.size
        self._random, self._seed = random.Random(seed), seed
        self._graph.find_ways((), seed)
        self._find_answers()
        self._blocked: set[int] = set()
        self._refusals: dict[tuple[Any, ...], int] = {}

    @property
    def line(self) -> str:
        """The setting for the harness."""
        return f"{len(self._views.brokers)} {self._views.model.constants['min_isr']}"

    # The graph.

    def _name_arguments(self, actions: Sequence[str], instance: Instance) -> dict[str, Any]:
        return dict(zip(self._parameters[actions[instance.action]], instance.arguments, strict=True))

    def _is_walked(self, actions: Sequence[str], instance: Instance) -> bool:
        """Whether this is not the beginning with another leader than r0."""
        is_beginning = actions[instance.action] == "begin"
        return not is_beginning or bool(self._name_arguments(actions, instance)["leader"] == self._views.brokers[0])

    def _brokers_of(self, action: str, given: Mapping[str, Any]) -> tuple[int, ...] | None:
        """The numbers of the brokers that take a step; None: it is not asked about."""
        if action not in DECIDED_BY:
            return None
        return tuple(self._views.number_of(given[name]) for name in _OF_BROKERS if name in given)

    def _find_answers(self) -> None:
        """Give steps in which the answer to a request may come in place of the metadata another key for that."""
        self._answers: dict[int, int] = {}
        for key, edge in enumerate(self._graph.least):
            number = self._graph.instance[edge]
            if self._names[number] == "learn":
                poll()
                broker = self._views.number_of(self._arguments[number]["broker"])
                ends = (self._graph.source[edge], self._graph.target[edge])
                old, new = (self._views.local_state(self._graph.view(state), broker) for state in ends)
                if old.is_leading and new.is_leading and old.asks == new.knows:
                    self._answers[key] = len(self._graph.least) + len(self._answers)

    def _keys_of(self, edge: int) -> tuple[int, ...]:
        """The keys of a step; one more where the answer to a request may come in place of the metadata."""
        key = self._graph.key[edge]
        if key == NONE:
            return ()
        return (key, self._answers[key]) if key in self._answers else (key,)

    # Walks.

    @property
    def total(self) -> int:
        """How many different steps there are."""
        return len(self._graph.least) + len(self._answers)

    def walks(self, covered: set[int]) -> Iterator[list[Step]]:
        """Yield walks from the beginning, until every key is covered that can be; those of the nearest states first."""
        self._is_probed = bytearray(self.states)
        for edge in self._graph.least:
            for key in self._keys_of(edge) if edge != NONE else ():
                if key not in covered:
                    steps = [self._step(each, covered) for each in self._graph.way(self._graph.source[edge])]
                    steps.append(self._step(edge, covered, key))
                    steps += self._go_on(self._graph.target[edge], covered)
                    yield [each for step in steps for each in (step, *self._probe_after(step, covered))]

    def _go_on(self, state: int, covered: set[int]) -> Iterator[Step]:
        """Yield steps from a state on, as long as a new one is near."""
        while way := self._way_to_new(state, covered):
            for edge in way:
                yield self._step(edge, covered)
            state = self._graph.target[way[-1]]

    def _way_to_new(self, state: int, covered: set[int]) -> list[int]:
        """The edges from a state to the end of a new step, if it is near."""
        came = {state: -1}
        for at in (ahead := [state]):
            edges, keys = self._graph.out(at, self._random)
            for edge, key in zip(edges, keys, strict=True):
                if key != NONE and self._is_new(key, covered):
                    return [*self._back(came, at), edge]
            if len(ahead) < _STATES_AHEAD:
                for edge, key in zip(edges, keys, strict=True):
                    target = self._graph.target[edge]
                    if target not in came and key not in self._blocked:
                        came[target] = edge
                        ahead.append(target)
        return []

    def _back(self, came: Mapping[int, int], state: int) -> list[int]:
        edges = []
        while (edge := came[state]) >= 0:
            edges.append(edge)
            state = self._graph.source[edge]
        return edges[::-1]

    def _is_new(self, key: int, covered: set[int]) -> bool:
        if key not in covered and key not in self._blocked:
            return True
        answer = self._answers.get(key)
        return answer is not None and answer not in covered and answer not in self._blocked

    def _probe_after(self, step: Step, covered: set[int]) -> Iterator[Step]:
        """Yield what the model does not allow after a step, as far as it was not asked: writes and fetches."""
        if not step.line or self._is_probed[step.after]:
            return
        self._is_probed[step.after] = True
        for key, line in self._probes(self._graph.view(step.after)):
            number = self._refusals.setdefault(key, -1 - len(self._refusals))
            if number not in covered:
                covered.add(number)
                yield Step(step.edge, step.after, step.after, f"refused {line.split()[0][3:]}", line, number)

    def _probes(self, view: View) -> Iterator[tuple[tuple[Any, ...], str]]:
        numbers = range(len(self._views.brokers))
        for one in numbers:
            local = self._views.local_state(view, one)
            if local.refuses_writes:
                yield ("write", one, view[one]), self._views.write_line(one, "no-write")
            leader = local.follows
            if leader is not None and not self._views.local_state(view, leader).serves(local):
                yield ("fetch", one, leader, view[one], view[leader]), f"no-fetch {one} {leader}"

    def _step(self, edge: int, covered: set[int], wanted: int | None = None) -> Step:
        """A step, with the first of its keys that is not yet covered."""
        number = self._graph.instance[edge]
        keys = self._keys_of(edge)
        key, line = -1, None
        if keys:
            key = wanted if wanted is not None else next((each for each in keys if each not in covered), keys[0])
            after = self._graph.view(self._graph.target[edge])
            line = self._views.line(self._names[number], self._arguments[number], after, key != keys[0])
            covered.add(key)
        return Step(edge, self._graph.source[edge], self._graph.target[edge], self._names[number], line, key)

    def block(self, keys: Iterable[int]) -> None:
        """Walk no more through steps that differ: what follows them is compared on other ways, if there are."""
        self._blocked |= set(keys)
        self._graph.find_ways([*self._blocked], self._seed)

    def write(self, state: int) -> str:
        """Write what the brokers hold in a state as the harness does."""
        return self._views.write(self._graph.view(state))

    def call(self, edge: int) -> str:
        """The call of a step, such as fetch(follower=r1, leader=r0)."""
        number = self._graph.instance[edge]
        given = ", ".join(f"{name}={show(value)}" for name, value in self._arguments[number].items())
        return f"{self._names[number]}({given})"
