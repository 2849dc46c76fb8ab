"""An error that a search with symmetry reports, replayed: perhaps after the same steps of other members, where another
order lets `all` or `any` reach it.
"""

from collections.abc import Iterator
from itertools import islice, permutations, product
from typing import Any

from isrcheck.engines.contract import FoundFault
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import Disagreement, IsrcheckError, UsageError
from isrcheck.lang.declare import Sort, member
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import replay_fault

_MOST_ORDERS = 5_040  # of seven members, at some milliseconds each
Moves = dict[type[Sort], tuple[int, ...]]  # where each member of a sort goes


def replay_fault_of_orbit(model: BoundModel, fault: FoundFault, engine: str) -> IsrcheckError:
    """The error that the author's text raises after these steps, for some order of the members; else a UsageError."""
    for renamed in islice(_permute_fault(ReferenceStepper(model), fault), _MOST_ORDERS):
        error = replay_fault(model, renamed, engine)
        if not isinstance(error, Disagreement):
            return error
    sentence = f"--symmetry: {fault}, where all() or any() might reach what raises an error first"
    return UsageError(f"{sentence}: ask in front of it whether the value is there, or leave the option out.")


def _permute_fault(stepper: ReferenceStepper, fault: FoundFault) -> Iterator[FoundFault]:
    """Yield the same steps for every order of the members of symmetric sorts, the given one first."""
    instances = range(len(stepper.instances))
    calls = [(stepper.step_taken(each).action, tuple(stepper.arguments(each).values())) for each in instances]
    places = {call: place for place, call in enumerate(calls)}
    sizes = {sort: size for sort, size in stepper.model.sizes.items() if sort.symmetric}
    for orders in product(*(permutations(range(size)) for size in sizes.values())):
        moves = dict(zip(sizes, orders, strict=True))
        there = [places[action, _permute(given, moves)] for action, given in calls]
        instance = None if fault.instance is None else there[fault.instance]
        yield FoundFault(tuple(there[each] for each in fault.path), instance, fault.property)


def _permute(value: Any, moves: Moves) -> Any:
    """Replace the members of symmetric sorts in a model's value."""
    match value:
        case Sort() if type(value) in moves:
            return member(type(value), moves[type(value)][value.index])
        case frozenset():
            return frozenset(_permute(each, moves) for each in value)
        case tuple():
            parts = [_permute(each, moves) for each in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
