"""Two variants under one schedule, step by step beside each other, and where they part."""

from collections.abc import Iterator
from dataclasses import dataclass

from isrcheck.run.replay import retrace
from isrcheck.run.trace import Trace, TraceStep, differences
from isrcheck.schedule.variant import ENGINE, PropertyRun, VariantRun
from isrcheck.schedule.walk import Way


@dataclass(frozen=True)
class StepEvent:
    """One step of one variant, and what it changed; `internal` if the schedule does not have it."""

    call: str
    internal: bool
    changes: tuple[str, ...]


@dataclass(frozen=True)
class PairSide:
    """One variant's run under the schedule, and what all its runs say of its properties.

    `shows` is the property that the run breaks, or None for a run that is shown for comparison.
    """

    run: VariantRun
    way: Way
    trace: Trace
    shows: PropertyRun | None

    @property
    def model(self) -> str:
        return self.run.model

    def places(self, number: int) -> tuple[int, ...]:
        """Positions in the trace of a step of the schedule and the internal actions after it; 0 is before the first."""
        first = (0,) if number == 0 else ()
        return first + tuple(place for place, taken in enumerate(self.way.taken, 1) if taken == number)

    def events(self, number: int) -> tuple[StepEvent, ...]:
        return tuple(self._event(place) for place in self.places(number) if place)

    def state(self, number: int) -> TraceStep | None:
        """Where it stands before the next step of the schedule; None if it does not get there."""
        places = self.places(number)
        return self.trace.steps[places[-1]] if places else None

    def _event(self, place: int) -> StepEvent:
        step, before = self.trace.steps[place], self.trace.steps[place - 1]
        found = (c for n, value in step.state.items() for c in differences(before.state[n], value, n))
        changes = tuple(f"{path}: {old} → {new}" for path, old, new in found)
        internal = self.way.taken[place - 1] == (self.way.taken[place - 2] if place > 1 else 0)
        return StepEvent(step.call, internal, changes)


@dataclass(frozen=True)
class Parting:
    """Where two runs part: the number of the schedule's step (0: before the first), and how, a sentence each."""

    step: int
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    left: PairSide
    right: PairSide
    steps: tuple[str, ...]

    @property
    def parting(self) -> Parting | None:
        """The first step after which they are in different states, or that only one can take; None if there is none."""
        for number in range(len(self.steps) + 1):
            one, two = self.left.state(number), self.right.state(number)
            if one is None or two is None:
                return Parting(number, tuple(self._stuck(number)))
            differing = tuple(self._differing(one, two))
            if differing:
                return Parting(number, differing)
        return None

    def _stuck(self, number: int) -> Iterator[str]:
        for side in (self.left, self.right):
            if side.state(number) is None:
                refusal = side.run.refusal
                why = f": {refusal}" if refusal else ": it has no such step"
                yield f"{side.model} cannot take {self.steps[number - 1]}{why}."

    def _differing(self, one: TraceStep, two: TraceStep) -> Iterator[str]:
        for name in (n for n in one.state if n in two.state):
            for path, left, right in differences(one.state[name], two.state[name], name):
                yield f"{path} is {left} in {self.left.model}, {right} in {self.right.model}"

    def verdicts(self) -> Iterator[tuple[str, str, str]]:
        """(property, verdict on the left, verdict on the right) of what breaks on a side, or is undecided there."""
        ones = {p.name: p.verdict for p in self.left.run.properties}
        twos = {p.name: p.verdict for p in self.right.run.properties}
        for name in dict.fromkeys((*ones, *twos)):
            left, right = ones.get(name, "n/a"), twos.get(name, "n/a")
            if not {left, right} <= {"kept", "cannot", "n/a"}:
                yield name, left, right

    @property
    def alike(self) -> int:
        twos = {p.name: p.verdict for p in self.right.run.properties}
        return sum(p.verdict == "kept" == twos.get(p.name) for p in self.left.run.properties)


def side_of(run: VariantRun, way: Way, shows: PropertyRun | None = None) -> PairSide:
    """A side that shows the run of a violation, or this way. Raises Disagreement if the reference does not go it."""
    if shows is not None and shows.trace is not None and shows.way is not None:
        return PairSide(run, shows.way, shows.trace, shows)
    return PairSide(run, way, retrace(run.bound, way.path, run.model, ENGINE), None)
