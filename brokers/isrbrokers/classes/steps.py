"""The controller's part of a model: its steps from every state that they lead to, and lines that ask Kafka the same.

A state is what the controller has on record. Whatever a broker may ask for is tried in each, so that no broker is
needed; epochs count from the state on. Brokers are interchangeable: of states that differ in their names alone one is
asked about, in every order of the assignment.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, NamedTuple

from isrcheck import UsageError
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import ReadConstant, walk
from isrcheck.passes.bind import bind
from isrcheck.plugin import ModelIR
from isrmodel.kraft.reachable import Reachable
from isrmodel.kraft.state import Change, Image, Request
from isrmodel.kraft.timed import KraftTimed
from isrmodel.vocabulary import Replica

# The actions that are the controller's, each with the methods of Kafka that decide it.
DECIDED_BY = {
    "fence": "ReplicationControlManager.handleBrokerFenced",
    "unfence": "ReplicationControlManager.handleBrokerUnfenced",
    "leave": "ReplicationControlManager.handleBrokerInControlledShutdown",
    "register": "ReplicationControlManager.{registering}",
    "elect": "ReplicationControlManager.electLeaders",
    "grant": "ReplicationControlManager.alterPartition",
    "report_dir": "ReplicationControlManager.handleAssignReplicasToDirs",
    "reassign": "ReplicationControlManager.alterPartitionReassignments",
}
ACTION_OF = {event: event for event in DECIDED_BY} | {
    "clean": "register",
    "dirty": "register",
    "old": "grant",
    "zombie": "grant",
    "other": "grant",
    "late": "grant",
    "stale": "grant",
    "report": "report_dir",
}
# With a spare broker nobody leaves: there states would be five times as many, and who leaves is as who is fenced.
_OF_BROKERS = ("fence", "unfence", "elect", "report", "leave")
REFUSED, INELIGIBLE = "refused", "ineligible"
_BEGIN = ("leave_out", "begin")


class Outcome(NamedTuple):
    """The record after a step: numbers and masks of brokers, -1 for no leader; epochs and records are counted."""

    leader: int
    epochs: int
    isr: int
    elr: int
    last_known: int
    records: int
    assigned: int
    adding: int
    removing: int


Answer = Outcome | str  # a refusal, or the name of an exception


class OnRecord(NamedTuple):
    """The controller's knowledge of the partition and of brokers; leader epoch and partition epoch are 1."""

    image: Image
    fenced: frozenset[Replica]
    leaving: frozenset[Replica]
    assigned: frozenset[Replica]
    adding: Replica | None
    removing: Replica | None


class Question(NamedTuple):
    """One step, or a request that is refused: where, what happens, and what the model says of it."""

    at: OnRecord
    event: str
    call: tuple[Any, ...]  # of whom, and what is asked for
    line: str  # for the harness
    expected: frozenset[Answer]


@dataclass(frozen=True)
class Setting:
    """A partition to ask about."""

    replicas: int
    min_isr: int
    elr: bool
    unclean: bool
    spares: int = 0  # with one, partitions move between brokers

    def __str__(self) -> str:
        spare = ", one of them spare" if self.spares else ""
        return (
            f"{self.replicas} brokers{spare}, min ISR {self.min_isr}, ELR {'on' if self.elr else 'off'}, "
            f"unclean election {'on' if self.unclean else 'off'}"
        )

    @property
    def line(self) -> str:
        """The setting for the harness."""
        return f"{int(self.elr)} {self.min_isr} {int(self.unclean)}"

    def constants(self, given: Mapping[str, str]) -> dict[str, str]:
        """The constants of a model: each fault may happen, once."""
        budgets = dict.fromkeys(("fences", "elections", "clean_stops", "kills", "dir_reports"), "1")
        own = {"replicas": self.replicas, "min_isr": self.min_isr, "spares": self.spares}
        more = {"elr": str(self.elr).lower(), "unclean": str(self.unclean).lower()}
        # A replica that is removed counts as a change until the next state.
        moves = {"reassignments": str(self.replicas) if self.spares else "0"}
        return {**budgets, **{name: str(n) for name, n in own.items()}, **more, **moves, **given}


def refuse_other_models(name: str, ir: ModelIR) -> None:
    """Refuse a model whose controller is not that of the kraft family. Raises UsageError."""
    if not issubclass(ir.cls, Reachable) or issubclass(ir.cls, KraftTimed):
        raise UsageError(
            f"{name} is not of the kraft family, whose controller can be asked: name a model like kraft-4.3."
        )


def switches(ir: ModelIR) -> list[str]:
    """The constants of two values that the controller's actions read, directly or in what they call."""
    nodes = (node for method in methods_called(ir, DECIDED_BY) for node in walk(method.body))
    read = {node.name for node in nodes if isinstance(node, ReadConstant)}
    return [each.name for each in ir.constants if each.name in read and isinstance(each.default, bool)]


def methods_called(ir: ModelIR, names: Iterable[str]) -> list[Method]:
    """Some methods of a model, and all that they call."""
    methods = {**{each.name: each for each in (*ir.actions, *ir.properties)}, **ir.helpers}
    known: dict[str, Method] = {}
    rest = [*names]
    while rest:
        name = rest.pop()
        if name not in known:
            known[name] = methods[name]
            rest += methods[name].calls
    return [*known.values()]


class ControllerSteps:
    """The steps of a model's controller with one setting, by the model's own text."""

    def __init__(self, ir: ModelIR, setting: Setting, given: Mapping[str, str]) -> None:
        self.setting, self._ir, self._given = setting, ir, given
        self.stepper = _bound(ir, setting.constants(given))
        self._initial = self.stepper.values(self.stepper.initial)
        self.brokers: list[Replica] = sorted(self._initial["session"], key=repr)
        self._number = {broker: number for number, broker in enumerate(self.brokers)}
        self._positions = _positions(self.stepper)
        self._assignments: dict[tuple[Any, int], frozenset[Replica]] = {}
        self._first_names: dict[OnRecord, OnRecord] = {}
        self.distance: dict[OnRecord, int] = {}  # in steps from the partition's first record

    def questions(self) -> Iterator[Question]:
        """Every step from every state that these steps lead to, those of few steps first."""
        rest = deque(self._starts())
        self.distance = dict.fromkeys(rest, 0)
        while rest:
            at = rest.popleft()
            for question, reached in self._questions_of(at):
                yield question
                for after in sorted(reached - self.distance.keys(), key=repr):
                    self.distance[after] = self.distance[at] + 1
                    rest.append(after)

    def _starts(self) -> list[OnRecord]:
        """The first records that the model may begin with, for every size of the first ISR."""
        starts: dict[OnRecord, None] = {}
        held = self.setting.replicas - self.setting.spares
        for initial_isr in sorted({0, 1, held - 1}):
            given = {**self._given, "initial_isr": str(initial_isr)}
            stepper = _bound(self._ir, self.setting.constants(given))
            positions = [p for action in _BEGIN for each in _positions(stepper)[action].values() for p in each]
            rest, known = [stepper.initial], {stepper.initial}
            while rest:
                state = rest.pop()
                if stepper.values(state)["version"] > 0:
                    starts[self._first_of_names(self._on_record(stepper.values(state), state))] = None
                    continue
                after = {after for _, after in stepper.steps(state, positions) if after is not None}
                rest += after - known
                known |= after
        return sorted(starts, key=repr)

    def _questions_of(self, at: OnRecord) -> Iterator[tuple[Question, set[OnRecord]]]:
        for event, key, more, call in self._events(at):
            state = self._state(at, **more)
            answers: set[Answer] = set()
            reached: set[OnRecord] = set()
            for _, next_state in self.stepper.steps(state, self._positions[ACTION_OF[event]].get(key, ())):
                if next_state is not None:
                    values = self.stepper.values(next_state)
                    after = self._on_record(values, next_state)
                    reached.add(self._first_of_names(after))
                    answers.add(self._outcome(at, values, after))
            if not answers and ACTION_OF[event] == "grant":
                considered = self.stepper.ask("is_considered", state, leader=key[0])
                answers = {INELIGIBLE if considered else REFUSED}
            if answers:
                yield Question(at, event, call, self._line(event, at, call), frozenset(answers)), reached

    def _events(self, at: OnRecord) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any], tuple[Any, ...]]]:
        """Yield what may happen: the event, the arguments of the action, the rest of the state, who and what."""
        for broker in self.brokers:
            one = frozenset({broker})
            for event in _OF_BROKERS[: -1 if self.setting.spares else None]:
                yield event, (broker,), {}, (broker, 0)
            yield "clean", (broker,), {"down": one}, (broker, 0)
            yield "dirty", (broker,), {"down": one, "dirty": one}, (broker, 0)
        yield from self._reassignments(at)
        yield from self._requests(at)

    def _reassignments(self, at: OnRecord) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any], tuple[Any, ...]]]:
        if self.setting.spares:
            for added in (None, *self.brokers):
                for removed in (None, *self.brokers):
                    yield "reassign", (added, removed), {}, (added, removed)

    def _requests(self, at: OnRecord) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any], tuple[Any, ...]]]:
        """Requests for an ISR: of the leader, those based on an older partition epoch, and of who does not lead."""
        leader, members = at.image.leader, at.image.isr
        for isr in subsets(self.brokers) if leader is not None else ():
            added = isr - members
            if leader in isr and isr != members and len(added) <= 1:
                one = next(iter(added), None)
                current = Request(1, at.image.epoch, isr, one, None if one is None else 1)
                yield "grant", (leader,), self._asks(leader, current), (None, isr)
                yield "old", (leader,), self._asks(leader, current._replace(base=0)), (None, isr)
                if one is not None:
                    yield "grant", (leader,), self._asks(leader, current._replace(session=0)), (one, isr)
        other = next(broker for broker in self.brokers if broker != leader)
        for event, epoch in (("zombie", at.image.epoch - 1), ("other", at.image.epoch)):
            request = Request(1, epoch, members | {other}, None, None)
            yield event, (other,), self._asks(other, request), (other, request.isr)

    def _asks(self, by: Replica, request: Request) -> dict[str, Any]:
        return {"request": {broker: request if broker == by else None for broker in self.brokers}}

    def _state(self, at: OnRecord, **more: Any) -> State:
        """A state of the model in which all brokers know what is on record, but for what is given."""
        absent = [b for b in self.brokers if b not in at.assigned or b == at.adding]
        changes = tuple(Change(None, broker, 1, 1) for broker in absent)
        if at.adding is not None or at.removing is not None:
            changes += (Change(at.adding, at.removing, 1, None),)
        values = {
            **self._initial,
            "version": 1,
            "now": at.image,
            "fenced": at.fenced,
            "leaving": at.leaving,
            "images": {**self._initial["images"], 1: at.image},
            "seen": dict.fromkeys(self.brokers, 1),
            "known": dict.fromkeys(self.brokers, at.image),
            "session": dict.fromkeys(self.brokers, 1),
            "changes": changes,
            **more,
        }
        return self.stepper.state_of(values)

    def _on_record(self, values: Mapping[str, Any], state: State) -> OnRecord:
        changes, version = values["changes"], values["version"]
        if (changes, version) not in self._assignments:
            self._assignments[changes, version] = self.stepper.ask("assignment", state, version=version)
        under_way = next((change for change in changes if change.done is None), None)
        image = values["now"]._replace(epoch=1)
        return OnRecord(
            image=image,
            fenced=values["fenced"],
            leaving=values["leaving"],
            assigned=self._assignments[changes, version],
            adding=under_way.adding if under_way else None,
            removing=under_way.removing if under_way else None,
        )

    def _outcome(self, at: OnRecord, values: Mapping[str, Any], after: OnRecord) -> Outcome:
        now = values["now"]
        return Outcome(
            leader=self._number_of(now.leader),
            epochs=now.epoch - at.image.epoch,
            isr=self._mask(now.isr),
            elr=self._mask(now.elr),
            last_known=self._mask(now.last_known),
            records=values["version"] - 1,
            assigned=self._mask(after.assigned),
            adding=self._mask({after.adding} - {None}),
            removing=self._mask({after.removing} - {None}),
        )

    def _line(self, event: str, at: OnRecord, call: tuple[Any, ...]) -> str:
        who, what = call
        masks = (at.image.isr, at.image.elr, at.image.last_known, at.fenced, at.leaving, at.assigned)
        argument = (
            self._mask(what) if isinstance(what, frozenset) else self._number_of(what) if event == "reassign" else 0
        )
        numbers = [len(self.brokers), self._number_of(who), argument, self._number_of(at.image.leader)]
        numbers += [*map(self._mask, masks), self._number_of(at.adding), self._number_of(at.removing)]
        return " ".join(map(str, (event, *numbers)))

    def _first_of_names(self, at: OnRecord) -> OnRecord:
        """The first of all states that differ from one in the brokers' names alone."""
        if at not in self._first_names:
            names = [dict(zip(self.brokers, order, strict=True)) for order in permutations(self.brokers)]
            self._first_names[at] = min((_rename(at, each) for each in names), key=self._order)
        return self._first_names[at]

    def _order(self, at: OnRecord) -> tuple[int, ...]:
        image = at.image
        masks = map(self._mask, (image.isr, image.elr, image.last_known, at.fenced, at.leaving, at.assigned))
        return (*map(self._number_of, (image.leader, at.adding, at.removing)), *masks)

    def _number_of(self, broker: Replica | None) -> int:
        return -1 if broker is None else self._number[broker]

    def _mask(self, members: Iterable[Any]) -> int:
        return sum(1 << self._number[each] for each in members)


def _bound(ir: ModelIR, constants: Mapping[str, str]) -> ReferenceStepper:
    return ReferenceStepper(bind(ir, constants))


def _positions(stepper: ReferenceStepper) -> dict[str, dict[tuple[Any, ...], list[int]]]:
    """The instances of the controller's actions, by their arguments but for whom the controller chooses."""
    positions: dict[str, dict[tuple[Any, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for position in range(len(stepper.instances)):
        action, given = stepper.actions[stepper.action_of[position]], stepper.arguments(position)
        if action in DECIDED_BY or action in _BEGIN:
            key = tuple(value for name, value in given.items() if name != "chosen") or tuple(given.values())
            positions[action][key].append(position)
    return positions


def _rename(at: OnRecord, names: Mapping[Replica, Replica]) -> OnRecord:
    def of(members: frozenset[Replica]) -> frozenset[Replica]:
        return frozenset(names[each] for each in members)

    def one(broker: Replica | None) -> Replica | None:
        return None if broker is None else names[broker]

    now = at.image
    image = Image(one(now.leader), now.epoch, of(now.isr), of(now.elr), of(now.last_known))
    return OnRecord(image, of(at.fenced), of(at.leaving), of(at.assigned), one(at.adding), one(at.removing))


def subsets(brokers: Iterable[Replica]) -> list[frozenset[Replica]]:
    """All sets of some brokers, the small ones first."""
    listed = list(brokers)
    return [frozenset(some) for size in range(len(listed) + 1) for some in combinations(listed, size)]
