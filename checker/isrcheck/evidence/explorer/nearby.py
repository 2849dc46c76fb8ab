"""The states that go into a file: all of them if they are few, else those nearest to where one begins."""

from collections import deque
from dataclasses import dataclass, field

from isrcheck.engines.reference import State
from isrcheck.engines.reference_why import Answer
from isrcheck.errors import UsageError
from isrcheck.evidence.explorer.explored_model import ExploredModel


@dataclass
class Nearby:
    """States in the order found, what comes of every instance in each, and how each was first reached.

    `ways` has for each state but the first the position of the state before, and the instance.
    """

    states: list[State] = field(default_factory=list)
    index: dict[State, int] = field(default_factory=dict)
    ways: list[tuple[int, int] | None] = field(default_factory=list)
    answers: list[tuple[Answer, ...]] = field(default_factory=list)

    def add(self, state: State, way: tuple[int, int] | None) -> None:
        """A state, unless it is known."""
        if state not in self.index:
            self.index[state] = len(self.states)
            self.states.append(state)
            self.ways.append(way)

    @property
    def whole(self) -> bool:
        """Whether no step leads out of these states."""
        return all(a in self.index for answers in self.answers for a in answers if isinstance(a, tuple))


def nearby(subject: ExploredModel, limit: int) -> Nearby:
    """The states of the trace, if there is one, or the initial one; and those nearest to them up to the limit.

    Raises UsageError if the trace alone has more states.
    """
    found = Nearby()
    stepper, state = subject.stepper, subject.stepper.initial
    found.add(state, None)
    for instance in (*(subject.trace or ()), *subject.follows):
        after = stepper.step(state, instance)
        assert after is not None
        found.add(after, (found.index[state], instance))
        state = after
    if len(found.states) > limit:
        count = len(found.states)
        raise UsageError(f"the trace alone has {count:,} states, and --max-states is {limit:,}: give {count} or more.")
    waiting = deque(range(len(found.states)))
    while waiting:
        position = waiting.popleft()
        found.answers.append(stepper.answers(found.states[position]))
        for instance, answer in enumerate(found.answers[-1]):
            if isinstance(answer, tuple) and len(found.states) < limit and answer not in found.index:
                found.add(answer, (position, instance))
                waiting.append(len(found.states) - 1)
    return found
