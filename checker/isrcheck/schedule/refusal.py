"""Why a step cannot happen in a state: which guard said no, in the author's own words."""

from collections.abc import Iterable
from dataclasses import dataclass

from isrcheck.engines.reference import State
from isrcheck.engines.reference_why import AskingStepper, Bound, Guard


@dataclass(frozen=True)
class Refusal:
    """One instance that cannot happen: its call, the condition that is false and where it is written.

    `guard` says so in words where no condition is false and the step would leave a bound.
    """

    call: str
    guard: str
    place: str

    def __str__(self) -> str:
        return f"{self.guard} ({self.place})" if self.place else self.guard


def nearest_refusal(stepper: AskingStepper, states: Iterable[State], instances: Iterable[int]) -> Refusal | None:
    """The refusal whose guard stands furthest down, among these instances in these states; the first of equals."""
    wanted = sorted(instances)
    nearest, furthest = None, -1
    for state in states:
        answers = stepper.answers(state)
        for instance in wanted:
            line = _line(answers[instance])
            if line > furthest:
                nearest, furthest = _refusal(stepper.call(instance), answers[instance]), line
    return nearest


BEYOND = 1 << 30  # a step that would leave a bound has passed every guard


def _line(answer: object) -> int:
    """How far down the action's text a step has come before it was refused; -1 if it can happen."""
    match answer:
        case Guard(reached=line):
            return line
        case Bound():
            return BEYOND
    return -1


def _refusal(call: str, answer: object) -> Refusal:
    match answer:
        case Guard(at=at, condition=condition):
            return Refusal(call, f"require({condition})", str(at))
    return Refusal(call, "it would leave the bounds of the constants", "")
