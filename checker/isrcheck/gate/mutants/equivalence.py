"""Whether a mutant takes the same steps as its original: asked of every state, in plain Python, where they are few."""

from collections.abc import Sequence
from dataclasses import replace

from isrcheck.engines.evaluator import ScalarStepper, State
from isrcheck.ir.scalar import Instance, ScalarSystem
from isrcheck.passes.vary import is_same_instance

MOST = 20_000  # states that are listed; beyond, counts and digest must do


def all_states(system: ScalarSystem) -> list[State]:
    """Every reachable state. The system has been searched before, and has no faults on the way."""
    stepper = ScalarStepper(system)
    seen = {stepper.initial}
    found = [stepper.initial]
    for state in found:
        for _, after in stepper.steps(state):
            if after is not None and after not in seen:
                seen.add(after)
                found.append(after)
    return found


def are_equivalent(one: ScalarSystem, other: ScalarSystem, states: Sequence[State]) -> bool:
    """Whether in each of these states both take, refuse and prune the same steps.

    If the states are all that are reachable in one of the systems, then the two graphs are the same.
    """
    pairs = zip(one.instances, other.instances, strict=True)
    differing = [pair for pair in pairs if not is_same_instance(*pair)]
    first, second = (_steppers(one, [pair[side] for pair in differing]) for side in (0, 1))
    return all(list(first.steps(state)) == list(second.steps(state)) for state in states)


def _steppers(system: ScalarSystem, instances: list[Instance]) -> ScalarStepper:
    return ScalarStepper(replace(system, instances=tuple(instances)))
