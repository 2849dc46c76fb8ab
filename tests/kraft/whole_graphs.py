"""The whole graph of a model as a projection sees it: its states, and its steps without stuttering."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from isrcheck import Model
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.ir.codec import codec
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.choices import ground

State = Any  # a state by its variables' names
Allowed = Callable[[State, str, tuple[Any, ...]], bool]  # whether a step is taken: before, action, arguments
Shown = Any  # a state as the projection sees it, which can be hashed
Projection = Callable[[State], Shown]


@dataclass(frozen=True)
class Projected:
    """What a projection tells apart: the states, and the steps between two of them."""

    states: frozenset[Shown]
    steps: frozenset[tuple[Shown, Shown]]
    distinct: int  # states of the model itself


def projected(model: type[Model], constants: Mapping[str, Any], project: Projection, allowed: Allowed) -> Projected:
    """All that a model reaches from its initial state by the steps that are allowed."""
    bound = bind(read_model(model), constants)
    stepper = ScalarStepper(lower(bound))
    instances = [(bound.ir.actions[action].name, tuple(arguments)) for action, arguments in ground(bound)]
    codecs = [(name, codec(domain)) for name, domain in bound.domains.items()]

    def shown(state: tuple[int, ...]) -> State:
        scalars = iter(state)
        return SimpleNamespace(**{name: each.unflatten(scalars) for name, each in codecs})

    seen: dict[tuple[int, ...], Shown] = {stepper.initial: project(shown(stepper.initial))}
    waiting, steps = [stepper.initial], set()
    for state in waiting:
        before = shown(state)
        for instance, after in stepper.steps(state):
            if after is None or not allowed(before, *instances[instance]):
                continue
            if after not in seen:
                seen[after] = project(shown(after))
                waiting.append(after)
            if seen[after] != seen[state]:
                steps.add((seen[state], seen[after]))
    return Projected(frozenset(seen.values()), frozenset(steps), len(seen))
