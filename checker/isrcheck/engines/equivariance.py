"""The gate of symmetry reduction: a sequence made over a symmetric sort puts its members into an order, and on the
first states of a search exchanging two members must map steps to steps and keep every property's answer.
"""

from collections.abc import Callable, Iterator
from itertools import chain, islice

from isrcheck.engines.evaluator import ScalarStepper, State, compile_values
from isrcheck.engines.explore import reached
from isrcheck.errors import UsageError
from isrcheck.ir.domains import SortDomain
from isrcheck.ir.nodes import Comprehension, Everything, Gathering
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.ir.traversal import walk
from isrcheck.passes.bind import BoundModel

STATES_CHECKED = 500


def check_symmetry(model: BoundModel, system: ScalarSystem, properties: tuple[str, ...]) -> None:
    """Raises UsageError unless symmetry reduction keeps these properties' verdicts."""
    if not any(sort.symmetric for sort in model.ir.sorts):
        raise UsageError(f"--symmetry: {model.ir.name} declares no sort as symmetric: leave the option out.")
    for reason in chain(_reasons_in_text(model, properties), _reasons_in_graph(system, properties)):
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
    kinds = {p.name: p.kind for p in system.properties if p.name in properties}
    for symmetry in system.symmetries:
        for position, swap in enumerate(symmetry.swaps):
            exchange = _exchange(compile_values(list(swap)))
            who = f"members {position} and {position + 1} of {symmetry.sort}"
            if exchange(stepper.initial) != stepper.initial:
                yield f"the initial state tells {who} apart."
            for state in states:
                yield from _differences(stepper, kinds, state, exchange, who)


def _exchange(compiled: Callable[[State], tuple[int, ...]]) -> Callable[[State], State]:
    return lambda state: tuple(map(int, compiled(state)))


def _differences(
    stepper: ScalarStepper, kinds: dict[str, PropertyKind], state: State, exchange: Callable[[State], State], who: str
) -> Iterator[str]:
    other = exchange(state)
    here, there = list(stepper.steps(state)), list(stepper.steps(other))
    mapped = sorted((stepper.action_of[i], after and exchange(after)) for i, after in here if after)
    if mapped != sorted((stepper.action_of[i], after) for i, after in there if after):
        yield f"some action tells {who} apart."
    for name, kind in kinds.items():
        if not kind.is_of_steps and stepper.holds(name, state) != stepper.holds(name, other):
            yield f"the property {name} tells {who} apart."
        if kind.is_of_steps:
            broken = [exchange(t) for i, t in here if t and not stepper.step_holds(name, state, i, t)]
            if sorted(broken) != sorted(t for i, t in there if t and not stepper.step_holds(name, other, i, t)):
                yield f"the property {name} tells {who} apart."
