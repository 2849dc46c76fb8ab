"""The gate of symmetry reduction: a sequence made over a symmetric sort puts its members into an order, and on the
first states of a search exchanging two members must map steps to steps and keep every property's answer.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from isrcheck.engines.common.evaluate import nodes_of
from isrcheck.engines.evaluator import ScalarStepper, State, compile_values
from isrcheck.engines.explore import reached
from isrcheck.errors import UsageError
from isrcheck.ir.domains import SortDomain
from isrcheck.ir.nodes import Comprehension, Everything, Gathering
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.ir.traversal import walk
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import alarmed

STATES_CHECKED = 500
Step = tuple[int, State | None]


def check_text(model: BoundModel, properties: tuple[str, ...]) -> None:
    """Raises UsageError if a model's text says that symmetry reduction may change these properties' verdicts."""
    if not any(sort.symmetric for sort in model.ir.sorts):
        raise UsageError(f"--symmetry: {model.ir.name} declares no sort as symmetric: leave the option out.")
    for reason in _reasons_in_text(model, properties):
        raise UsageError(f"--symmetry: {reason}")


def check_graph(system: ScalarSystem, properties: tuple[str, ...]) -> None:
    """The same of the first states of its graph. Every engine asks it that searches with symmetry."""
    with alarmed():
        for reason in _reasons_in_graph(system, properties):
            raise UsageError(f"--symmetry: {reason}")


def _reasons_in_text(model: BoundModel, properties: tuple[str, ...]) -> Iterator[str]:
    ir = model.ir
    asked = [p for p in ir.properties if p.name in properties]
    for method in (*ir.actions, *asked, *ir.helpers.values()):
        for part in walk(method.body):
            if isinstance(part, Comprehension) and part.gathering is Gathering.SEQUENCE:
                for clause in part.clauses:
                    domain = clause.source.domain if isinstance(clause.source, Everything) else None
                    if isinstance(domain, SortDomain) and domain.symmetric:
                        yield f"{part.at}: {method.name} puts the members of {domain.name} into an order."


def _reasons_in_graph(system: ScalarSystem, properties: tuple[str, ...]) -> Iterator[str]:
    stepper = ScalarStepper(system)
    states = list(islice(reached(stepper), STATES_CHECKED))
    steps = [list(stepper.steps(state)) for state in states]
    asked = [p for p in system.properties if p.name in properties]
    of_steps = [p.name for p in asked if p.kind.is_of_steps]
    of_states = [p for p in asked if not p.kind.is_of_steps]
    judged = [(p.name, node) for p in of_states for node in nodes_of(p.conditions[0])]
    judge = compile_values([node for _, node in judged])
    verdicts = [judge(state) for state in states]
    for symmetry in system.symmetries:
        for position, swap in enumerate(symmetry.swaps):
            exchange = _exchange(compile_values(list(swap)))
            who = f"members {position} and {position + 1} of {symmetry.sort}"
            if {exchange(first) for first in stepper.initials} != {*stepper.initials}:
                yield f"the initial state tells {who} apart."
            for state, here, verdict in zip(states, steps, verdicts, strict=True):
                yield from _differences(stepper, of_steps, state, here, exchange, who)
                for (name, _), before, after in zip(judged, verdict, judge(exchange(state)), strict=True):
                    if before != after:
                        yield f"the property {name} tells {who} apart."


def _exchange(compiled: Callable[[State], tuple[int, ...]]) -> Callable[[State], State]:
    return lambda state: tuple(map(int, compiled(state)))


def _differences(
    stepper: ScalarStepper,
    of_steps: Iterable[str],
    state: State,
    here: list[Step],
    exchange: Callable[[State], State],
    who: str,
) -> Iterator[str]:
    other = exchange(state)
    there = list(stepper.steps(other))
    mapped = sorted((stepper.action_of[i], after and exchange(after)) for i, after in here if after)
    if mapped != sorted((stepper.action_of[i], after) for i, after in there if after):
        yield f"some action tells {who} apart."
    for name in of_steps:
        broken = [exchange(t) for i, t in here if t and not stepper.step_holds(name, state, i, t)]
        if sorted(broken) != sorted(t for i, t in there if t and not stepper.step_holds(name, other, i, t)):
            yield f"the property {name} tells {who} apart."
