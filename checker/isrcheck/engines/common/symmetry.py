"""The gate of symmetry reduction: the text of a model proves that exchanging members maps steps to steps.

Every expression of the language does so, except a sequence made over members without an order of their own, and a
member by its name (`passes/symmetry.py`). Initial states are values: all of them are exchanged. The first states of a
search are looked at besides, which checks the lowering.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

from isrcheck.engines.common.evaluate import nodes_of
from isrcheck.engines.evaluator import ScalarStepper, State, compile_values
from isrcheck.engines.explore import reachable_states
from isrcheck.errors import UsageError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.symmetry import orders_of
from isrcheck.process.budget import poll_by_timer

STATES_CHECKED = 500
Step = tuple[int, State | None]


def symmetric(model: BoundModel, properties: tuple[str, ...]) -> BoundModel:
    """The model as it is searched with symmetry, where an order of members hides no error.

    Raises UsageError if its text says that symmetry reduction may change these properties' verdicts.
    """
    if not any(sort.symmetric for sort in model.ir.sorts):
        raise UsageError(f"--symmetry: {model.ir.name} declares no sort as symmetric: leave the option out.")
    orders = orders_of(model.ir, properties)
    for at, reason in orders.reasons:
        raise UsageError(f"--symmetry: {at}: {reason}")
    return replace(model, any_order=frozenset(orders.ending_early))


def check_graph(system: ScalarSystem, properties: tuple[str, ...]) -> None:
    """Check the first states of the graph alike. Every engine that searches with symmetry does. Raises UsageError."""
    with poll_by_timer():
        for reason in _reasons_in_graph(system, properties):
            raise UsageError(f"--symmetry: {reason}")


def _reasons_in_graph(system: ScalarSystem, properties: tuple[str, ...]) -> Iterator[str]:
    stepper = ScalarStepper(system)
    states = list(islice(reachable_states(stepper), STATES_CHECKED))

    @cache  # most states that an exchange leads to are among the first ones
    def steps_of(state: State) -> list[Step]:
        return list(stepper.steps(state))

    asked = [p for p in system.properties if p.name in properties]
    of_steps = [p.name for p in asked if p.kind.is_of_steps]
    of_states = [p for p in asked if not p.kind.is_of_steps]
    judges = [compile_values(nodes_of(p.conditions[0])) for p in of_states]

    @cache
    def judge(state: State) -> list[int | None]:
        """The properties' answers; None where one is an error, of whichever member."""
        values = [compiled(state) for compiled in judges]
        return [None if any(faults) else int(answer) for answer, *faults in values]

    for symmetry in system.symmetries:
        for position, swap in enumerate(symmetry.swaps):
            exchange = cache(_exchange(compile_values(list(swap))))
            who = f"members {position} and {position + 1} of {symmetry.sort}"
            if {exchange(first) for first in stepper.initials} != {*stepper.initials}:
                yield f"the initial state tells {who} apart."
            for state in states:
                other = exchange(state)
                sides = (state, steps_of(state)), (other, steps_of(other))
                yield from _differences(stepper, of_steps, *sides, exchange, who)
                for name, before, after in zip([p.name for p in of_states], judge(state), judge(other), strict=True):
                    if before != after:
                        yield f"the property {name} tells {who} apart."


def _exchange(exchange: Callable[[State], tuple[int, ...]]) -> Callable[[State], State]:
    return lambda state: tuple(map(int, exchange(state)))


def _differences(
    stepper: ScalarStepper,
    of_steps: Iterable[str],
    one: tuple[State, list[Step]],
    exchanged: tuple[State, list[Step]],
    exchange: Callable[[State], State],
    who: str,
) -> Iterator[str]:
    (state, here), (other, there) = one, exchanged
    mapped = sorted((stepper.action_of[i], after and exchange(after)) for i, after in here if after)
    if mapped != sorted((stepper.action_of[i], after) for i, after in there if after):
        yield f"some action tells {who} apart."
    for name in of_steps:
        broken = [exchange(t) for i, t in here if t and not stepper.step_holds(name, state, i, t)]
        if sorted(broken) != sorted(t for i, t in there if t and not stepper.step_holds(name, other, i, t)):
            yield f"the property {name} tells {who} apart."
