"""What a search within constraints finds, in a few lines; they are given as properties of the model."""

from collections import deque
from dataclasses import dataclass, field

from isrcheck.engines.contract import Searched
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.passes.bind import BoundModel


@dataclass
class Naive:
    distinct: set[State] = field(default_factory=set)
    outside: set[State] = field(default_factory=set)
    generated: int = 1
    depth: int = 0
    pruned: int = 0
    violated: set[str] = field(default_factory=set)


class TooLarge(Exception):
    """More states than are compared."""


def search(model: BoundModel, of_states: set[str], of_steps: set[str], most: int) -> Naive:
    """TLC's rules: what is outside is checked and not counted, and no step leads on from it.

    Raises ModelError, and TooLarge beyond this many states.
    """
    stepper, found = ReferenceStepper(model), Naive()
    asked = [p for p in model.properties if p.name not in of_states | of_steps]

    def judge(before: State | None, instance: int, after: State) -> None:
        for p in asked:
            if p.kind.is_of_steps:
                if before is not None and not stepper.step_holds(p.name, before, instance, after):
                    found.violated.add(p.name)
            elif p.kind.is_target(stepper.holds(p.name, after)):
                found.violated.add(p.name)

    def arrive(before: State | None, instance: int, after: State, depth: int) -> None:
        judge(before, instance, after)
        is_kept = before is None or all(stepper.step_holds(name, before, instance, after) for name in of_steps)
        if before != after and not (is_kept and all(stepper.holds(name, after) for name in of_states)):
            found.outside.add(after)
        elif after not in found.distinct:
            found.distinct.add(after)
            found.depth = max(found.depth, depth)
            waiting.append((after, depth))

    waiting: deque[tuple[State, int]] = deque()
    arrive(None, 0, stepper.initial, 1)
    while waiting:
        if len(found.distinct) + len(found.outside) > most:
            raise TooLarge
        state, depth = waiting.popleft()
        for instance, after in stepper.steps(state):
            if after is None:
                found.pruned += 1
                continue
            found.generated += 1
            arrive(state, instance, after, depth + 1)
    return found


def agrees(naive: Naive, searched: Searched) -> bool:
    one = (len(naive.distinct), len(naive.outside), naive.generated, naive.depth, naive.pruned, naive.violated)
    two = (searched.distinct, searched.outside, searched.generated, searched.depth, searched.pruned)
    assert one == (*two, set(searched.paths))
    return True
