"""The model's side of a schedule that is played: the step that is done next, and what then happens by itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from isrbrokers.schedule import kraft
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.why import AskingStepper
from isrcheck.errors import UsageError
from isrcheck.schedule.pair import nearest_refusal
from isrcheck.schedule.steps import ScheduleVocabulary, Step
from isrcheck.schedule.walk import Walk


@dataclass(frozen=True)
class Move:
    """One action of the model with its arguments, in which brokers are numbers."""

    action: str
    given: Mapping[str, Any]
    call: str
    taker: str  # the replica that it names first

    def __str__(self) -> str:
        return self.call


@dataclass(frozen=True)
class Stage:
    """One move that is done to the cluster, those that follow by themselves, and the state that they lead to."""

    move: Move
    follow: tuple[Move, ...]
    state: State
    before: State


class NotForced(UsageError):
    """A schedule that a cluster cannot be made to follow; `at` is the step's number."""

    def __init__(self, at: int, step: Step, why: str) -> None:
        super().__init__(f"step {at}, {step.line}, cannot be forced on a cluster: {why}.")
        self.at = at


@dataclass
class ModelAnswers:
    """Answers of the model about its states, computed once for all courses of a schedule."""

    vocabulary: ScheduleVocabulary
    known: dict[State, dict[int, State]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stepper = AskingStepper(self.vocabulary.model)
        self.moves = {
            instance: (self.stepper.step_taken(instance).action, self.stepper.arguments(instance))
            for instance in range(len(self.vocabulary.instances))
        }

    def steps_enabled(self, state: State) -> dict[int, State]:
        """The instances that can happen, with where they lead."""
        if state not in self.known:
            self.known[state] = {i: after for i, after in self.stepper.steps(state) if after is not None}
        return self.known[state]


class Course:
    """A behaviour of the model that a cluster would show, made step by step.

    Of several brokers that may be elected, Kafka takes the first in the assignment: `order`, numbers of brokers.
    """

    def __init__(self, memory: ModelAnswers, steps: Sequence[Step], order: Sequence[int]) -> None:
        self.memory, self.order, self.steps = memory, tuple(order), steps
        self.numbers = kraft.brokers(memory.vocabulary.model.constants["replicas"])
        self.state = memory.stepper.initial
        self.learns_freely = all(step.action != kraft.LEARN for step in steps)
        self.unclaimed: list[tuple[str, dict[str, Any]]] = []  # what happened by itself and no step has named yet
        self.silent: dict[Any, int] = {}  # since which step a broker that is not fenced sends no heartbeat
        self.at = 0

    @property
    def values(self) -> dict[str, Any]:
        """The state's variables and the model's constants."""
        return {**self.memory.vocabulary.model.constants, **self.memory.stepper.values(self.state)}

    def next(self) -> Iterator[Stage]:
        """The stages of the next step: none if it has happened by itself. Raises NotForced."""
        step = self.steps[self.at]
        self.at += 1
        if (why := kraft.why_never(step.action)) is not None:
            raise self._not_forced(why)
        enabled = [i for i in self.memory.steps_enabled(self.state) if i in step.instances]
        if enabled:
            yield self._stage(min(enabled, key=self._preference))
        elif not self._has_happened(step):
            for instance in self._detour(step):
                yield self._stage(instance)

    def holders(self) -> frozenset[Any]:
        """Whom the assignment on record has."""
        version = self.memory.stepper.values(self.state)["version"]
        return frozenset(r for r in self.numbers if self.holds(r, version))

    def holds(self, replica: Any, version: int) -> bool:
        """Whether a partition epoch gives the replica a log."""
        return bool(self.memory.stepper.ask("is_assigned", self.state, broker=replica, version=version))

    def lower(self, broker: int, hw: int) -> None:
        """A follower was told an older high watermark than the model's."""
        values = self.memory.stepper.values(self.state)
        known = {member: hw if number == broker else values["hw"][member] for member, number in self.numbers.items()}
        self.state = self.memory.stepper.state_of({**values, "hw": known})

    def _stage(self, instance: int) -> Stage:
        action, given = self.memory.moves[instance]
        before = self.state
        self._check(instance, action, given)
        self._take(instance)
        follow = tuple(self._follow(action, given))
        return Stage(self._move(instance), follow, self.state, before)

    def _take(self, instance: int) -> None:
        self.state = self.memory.steps_enabled(self.state)[instance]

    def _move(self, instance: int) -> Move:
        action, given = self.memory.moves[instance]
        numbers = {name: self.numbers.get(value, value) for name, value in given.items()}
        return Move(action, numbers, self.memory.stepper.call(instance), str(next(iter(given.values()))))

    def _preference(self, instance: int) -> tuple[int, int, int]:
        """Rank an instance among those with the arguments given: first in the assignment, newest metadata, least."""
        given = self.memory.moves[instance][1]
        return self._place(given.get("chosen")), -given.get("version", 0), instance

    def _place(self, broker: Any) -> int:
        return self.order.index(self.numbers[broker]) if broker is not None else 0

    # What brokers do by themselves

    def _follow(self, action: str, given: Mapping[str, Any]) -> Iterator[Move]:
        if action == "fetch":
            leader, follower = given["leader"], given["follower"]
            if not kraft.goes_unasked(leader, follower, self.values):
                yield from self._by_itself("ask_add", leader=leader, follower=follower)
        for leader in self.numbers:
            granted = list(self._by_itself("grant", leader=leader))
            yield from granted
            if granted:
                yield from self._by_itself(kraft.LEARN, broker=leader, version=self.values["version"])
            yield from self._by_itself("refuse_ineligible", leader=leader)
        if self.learns_freely:
            for broker in self.numbers:
                yield from self._by_itself(kraft.LEARN, broker=broker, version=self.values["version"])

    def _by_itself(self, action: str, **wanted: Any) -> Iterator[Move]:
        fitting = [i for i in self.memory.steps_enabled(self.state) if self._is(i, action, wanted)]
        if fitting:
            instance = min(fitting, key=self._preference)
            self._take(instance)
            self.unclaimed.append(self.memory.moves[instance])
            yield self._move(instance)

    def _is(self, instance: int, action: str, wanted: Mapping[str, Any]) -> bool:
        name, given = self.memory.moves[instance]
        return name == action and all(given[n] == value for n, value in wanted.items())

    def _has_happened(self, step: Step) -> bool:
        """Whether an internal action that a step names was taken before, by itself or as part of another."""
        values = self.values
        for action, given in (self.memory.moves[i] for i in step.instances):
            if (action, given) in self.unclaimed:
                self.unclaimed.remove((action, given))
                return True
            broker = given.get("broker")
            if action == kraft.LEARN and broker not in values["down"] and values["seen"][broker] >= given["version"]:
                return True
            if action == "unfence" and broker not in values["fenced"] | values["down"]:
                return True
        return False

    def _detour(self, step: Step) -> Iterable[int]:
        """The fewest internal actions that are done to a cluster, with which a step can be taken."""
        internal = frozenset(i for i, (action, _) in self.memory.moves.items() if action in kraft.BACK)
        walk = Walk(self.memory.stepper, [step], internal, {}, start=self.state).run()
        if walk.taken:
            return walk.ways[0].path
        refusal = nearest_refusal(self.memory.stepper, [self.state], step.instances)
        raise self._not_forced(
            f"the model cannot take it after what brokers do by themselves: {refusal or 'no instance of it'}"
        )

    # What cannot be forced

    def _not_forced(self, why: str) -> NotForced:
        return NotForced(self.at, self.steps[self.at - 1], why)

    def _check(self, instance: int, action: str, given: Mapping[str, Any]) -> None:
        why = kraft.why_not_here(action, given, self.values) or self._why_not_chosen(instance, action, given)
        if why is None and action == "fence":
            why = self._why_not_fenced(given["broker"])
        if why is not None:
            raise self._not_forced(why)
        self._note_silence(action, given)

    def _why_not_chosen(self, instance: int, action: str, given: Mapping[str, Any]) -> str | None:
        chosen = given.get("chosen")
        if chosen is None:
            return None
        others = {n: value for n, value in given.items() if n != "chosen"}
        fitting = [i for i in self.memory.steps_enabled(self.state) if self._is(i, action, others)]
        able = [self.memory.moves[i][1]["chosen"] for i in fitting]
        expected = min(self.holders() if action == "elect" else able, key=self._place)
        if chosen == expected:
            return None
        why = "a preferred election elects" if action == "elect" else "the controller elects"
        return f"{why} {expected}, which is the first in the assignment"

    def _why_not_fenced(self, broker: Any) -> str | None:
        since = self.silent.get(broker, self.at)
        earlier = [other for other, at in self.silent.items() if at < since]
        return f"{earlier[0]} has been silent for longer, so its session ends first" if earlier else None

    def _note_silence(self, action: str, given: Mapping[str, Any]) -> None:
        values = self.values
        stopped = {"kill": ("broker",), "lose_power": ("broker",), "lose_rack": ("one", "other"), "stop": ("broker",)}
        for name in stopped.get(action, ()):
            if given[name] not in values["fenced"] | values["leaving"]:
                self.silent[given[name]] = self.at
        if action == "fence":
            self.silent.pop(given["broker"], None)


@dataclass(frozen=True)
class Plan:
    """Facts about a schedule before it is played."""

    order: tuple[int, ...]  # the assignment
    leader: int  # the first
    stages: int
    starts_in_silence: int  # the most brokers that are started while one that has stopped is not yet fenced
    stops_at_once: bool  # whether a broker stops without leaving the ISR first

    @property
    def session_seconds(self) -> int:
        """broker.session.timeout.ms: a start takes 6 to 30 s on two cores, and who is slow is not dead."""
        return 9 + 45 * self.starts_in_silence


def plan(memory: ModelAnswers, steps: Sequence[Step]) -> Plan:
    """The first assignment with which all elections come out as the schedule has them. Raises NotForced."""
    furthest: NotForced | None = None
    for order in permutations(range(1, memory.vocabulary.model.constants["replicas"] + 1)):
        try:
            return _plan_of(Course(memory, steps, order))
        except NotForced as error:
            furthest = error if furthest is None or error.at > furthest.at else furthest
    assert furthest is not None
    raise furthest


def _plan_of(course: Course) -> Plan:
    stages, starts, most, at_once = list[Stage](), 0, 0, False
    for _ in course.steps:
        for stage in course.next():
            stages.append(stage)
            starts = starts + (stage.move.action == "register") if course.silent else 0
            most = max(most, starts)
            leaving = course.memory.stepper.values(stage.before)["leaving"]
            named = [r for r, number in course.numbers.items() if number == stage.move.given.get("broker")]
            at_once |= stage.move.action == "stop" and named[0] not in leaving
    leaders = [stage.move.given["leader"] for stage in stages if stage.move.action == "begin"]
    return Plan(course.order, leaders[0] if leaders else 1, len(stages), most, at_once)
