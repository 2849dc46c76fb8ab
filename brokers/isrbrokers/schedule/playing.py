"""A schedule, played: each step is done to the cluster, and then both sides are asked until they say the same."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from isrbrokers.process import ClusterError
from isrbrokers.schedule.course import Course, Move, Stage
from isrbrokers.schedule.facts import HW, Difference, Fact, broker_subject, differences, of_state

TOGETHER, PARTS, UNDETERMINED = "together", "parts", "undetermined"
_EXIT = {TOGETHER: 0, PARTS: 12, UNDETERMINED: 20}


class System(Protocol):
    """Something that is played on, and looked at."""

    shift: int

    def do(self, move: Move, limits: Mapping[int, int]) -> None:
        """Take an action; each broker that is up may read up to a partition epoch. Raises ClusterError."""

    def after(self) -> None:
        """The action has had its effect."""

    def facts(self) -> Mapping[Fact, Any]:
        """The facts that can be seen now. Raises ClusterError."""


@dataclass(frozen=True)
class Patience:
    """How long is waited for an effect, and between two looks; two alike are needed, since a broker may go on."""

    seconds: float = 30
    start_seconds: float = 60  # more: the agent changes classes of Kafka's when they are first used
    session_seconds: float = 9  # more: until a broker that is silent is fenced
    pause: float = 0.25

    def of(self, move: Move) -> float:
        """The most that is waited after a move."""
        more = {"begin": self.start_seconds, "register": self.start_seconds, "fence": self.session_seconds}
        return self.seconds + more.get(move.action, 0)


@dataclass(frozen=True)
class Played:
    """One step as it was played."""

    sentence: str
    stages: tuple[Stage, ...]  # none: it had happened by itself
    verdict: str
    facts: Mapping[Fact, Any]  # what was seen last
    differences: tuple[Difference, ...] = ()
    because: str = ""
    seconds: float = 0.0

    @property
    def follow(self) -> tuple[Move, ...]:
        """The moves that brokers took by themselves."""
        return tuple(move for stage in self.stages for move in stage.follow)


def exit_of(played: Sequence[Played]) -> int:
    """0 if both went together to the end, 12 if they part, 20 if that is not known."""
    return _EXIT[played[-1].verdict] if played else 0


def play(course: Course, system: System, patience: Patience, say: Callable[[Played], None]) -> Iterator[Played]:
    """The steps in order, up to the first after which the two are not the same. Raises NotForced."""
    for step in course.steps:
        one = _one(str(step.line), course, system, patience)
        say(one)
        yield one
        if one.verdict != TOGETHER:
            return


def _one(sentence: str, course: Course, system: System, patience: Patience) -> Played:
    stages: list[Stage] = []
    began = time.monotonic()
    facts: Mapping[Fact, Any] = {}
    apart: list[Difference] = []
    try:
        for stage in course.next():
            stages.append(stage)
            low = _watermarks(course, stage)
            system.do(stage.move, _limits(course))
            facts, apart = _wait(course, system, low, patience.of(stage.move), patience.pause)
            if apart:
                break
            system.after()
        facts = facts or system.facts()
    except ClusterError as error:
        lasted = time.monotonic() - began
        return Played(sentence, tuple(stages), UNDETERMINED, facts, because=str(error), seconds=lasted)
    verdict = PARTS if apart else TOGETHER
    return Played(sentence, tuple(stages), verdict, facts, tuple(apart), seconds=time.monotonic() - began)


def _limits(course: Course) -> dict[int, int]:
    """The partition epoch up to which each broker that is up has read; all read the first, and do nothing by it."""
    values = course.values
    known = {number: values["seen"][r] for r, number in course.numbers.items() if r not in values["down"]}
    return {number: max(version, 1) - 1 for number, version in known.items()}


def _watermarks(course: Course, stage: Stage) -> dict[int, int]:
    """How low a follower's high watermark may be instead of the model's.

    An answer with records tells what it was when the leader read its log, before it noted the fetch. A broker that
    starts takes it from its checkpoint.
    """
    given, values = stage.move.given, course.memory.stepper.values
    if stage.move.action == "register":
        return {given["broker"]: 0}
    if stage.move.action != "fetch":
        return {}
    replicas = {number: replica for replica, number in course.numbers.items()}
    leaders_hw = values(stage.before)["hw"][replicas[given["leader"]]]
    end = len(values(stage.state)["log"][replicas[given["follower"]]])
    return {given["follower"]: min(leaders_hw, end)}


def _wait(
    course: Course, system: System, low: Mapping[int, int], seconds: float, pause: float
) -> tuple[Mapping[Fact, Any], list[Difference]]:
    until = time.monotonic() + seconds
    last: Mapping[Fact, Any] | None = None
    while True:
        facts = system.facts()
        apart = differences(facts, of_state(course, system.shift))
        lower = [difference for difference in apart if _may_be_lower(difference, low)]
        late = time.monotonic() > until
        if len(lower) == len(apart) and (facts == last or late):
            for difference in lower:
                course.lower(_number(difference), difference.observed)
            return facts, []
        if late:
            return facts, [difference for difference in apart if difference not in lower]
        last = facts
        time.sleep(pause)


def _number(difference: Difference) -> int:
    return int(difference.of.removeprefix(broker_subject(0)[:-1]))


def _may_be_lower(difference: Difference, low: Mapping[int, int]) -> bool:
    if difference.what != HW or not isinstance(difference.observed, int) or _number(difference) not in low:
        return False
    return bool(low[_number(difference)] <= difference.observed < difference.modelled)
