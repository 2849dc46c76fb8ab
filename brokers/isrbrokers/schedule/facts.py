"""Facts of the model and of the cluster: the same names on both sides, in the cluster's own numbers.

Brokers count leader and partition epochs from 0, and the model from 1, since there it begins before it has a leader.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from isrbrokers.schedule.course import Course
from isrmodel.kraft.state import Acks

Fact = tuple[str, str]  # of whom, and what
Facts = Mapping[Fact, Any]

HW = "high watermark"
UP = "up"
NOTHING = "nothing"  # is observed of a broker that does not hold the partition
RECORD = "controller"
PRODUCER = "producer"
ACKED = "acknowledged offsets"


def broker_subject(number: int) -> str:
    """The subject of a broker's facts."""
    return f"broker {number}"


def is_fenced(number: int) -> str:
    """Whether the controller has fenced a broker."""
    return f"{broker_subject(number)} is fenced"


@dataclass(frozen=True)
class Difference:
    """A fact that is one way on the cluster and another way in the model."""

    of: str
    what: str
    observed: Any
    modelled: Any

    def __str__(self) -> str:
        return f"{self.of}, {self.what}: {in_words(self.observed)} observed; {in_words(self.modelled)} in the model"


def differences(observed: Facts, modelled: Facts) -> list[Difference]:
    """The facts of the model that are otherwise on the cluster."""
    return [
        Difference(*fact, observed.get(fact, NOTHING), value)
        for fact, value in modelled.items()
        if observed.get(fact, NOTHING) != value
    ]


def in_words(value: Any) -> str:
    """A value of a fact in words."""
    if isinstance(value, frozenset | tuple):
        return ", ".join(map(str, sorted(value) if isinstance(value, frozenset) else value)) or "none"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return str(value)


def of_state(course: Course, shift: int = 0) -> dict[Fact, Any]:
    """The facts of a model's state; `shift`: partition epochs that the cluster spent beside the schedule."""
    values = course.values
    if not values["version"]:
        return {}
    return {
        **dict(_on_record(course, values, shift)),
        **dict(_of_brokers(course, values, shift)),
        **_of_producer(values),
    }


def _of_producer(values: Mapping[str, Any]) -> dict[Fact, Any]:
    if values["acks"] is Acks.NONE:
        return {}
    return {(PRODUCER, ACKED): tuple(sorted(record.offset for record in values["acked"]))}


def _on_record(course: Course, values: Mapping[str, Any], shift: int) -> Iterator[tuple[Fact, Any]]:
    now, numbers = values["now"], course.numbers
    yield (RECORD, "partition epoch"), values["version"] - 1 + shift
    yield (RECORD, "leader"), numbers.get(now.leader)
    yield (RECORD, "leader epoch"), now.epoch - 1
    for what, members in (("ISR", now.isr), ("ELR", now.elr), ("last leader", now.last_known)):
        yield (RECORD, what), frozenset(numbers[r] for r in members)
    for replica, number in numbers.items():
        if replica in values["fenced"] or replica not in values["leaving"]:  # who leaves is fenced as soon as it may be
            yield (RECORD, is_fenced(number)), replica in values["fenced"]


def _of_brokers(course: Course, values: Mapping[str, Any], shift: int) -> Iterator[tuple[Fact, Any]]:
    for replica, number in course.numbers.items():
        if replica in values["leaving"] - values["down"]:
            continue  # it stops as soon as it may
        yield (broker_subject(number), UP), replica not in values["down"]
        version = values["seen"][replica]
        if replica not in values["down"] and version and course.holds(replica, version):
            for what, value in _of_replica(course, values, replica):
                yield (broker_subject(number), what), value + shift if what == "partition epoch" else value


def _of_replica(course: Course, values: Mapping[str, Any], replica: Any) -> Iterator[tuple[str, Any]]:
    known, numbers = values["known"][replica], course.numbers
    yield "partition epoch", values["seen"][replica] - 1
    yield "leader epoch", known.epoch - 1
    yield "leader", numbers.get(known.leader)
    yield "leader epochs of its records", tuple(epoch - 1 for epoch in values["log"][replica])
    yield HW, values["hw"][replica]
    if known.leader != replica:
        return
    yield "ISR", frozenset(numbers[r] for r in known.isr)
    maximal = course.memory.stepper.ask("maximal_isr", course.state, leader=replica)
    yield "maximal ISR", frozenset(numbers[r] for r in maximal)
    for follower in known.isr - {replica}:
        heard = values["heard"][replica][follower]
        yield f"log end of broker {numbers[follower]} that it knows", None if heard is None else heard.offset
