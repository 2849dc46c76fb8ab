"""Instances of slots (ir/slots.py) as positions among all choices of parameters, the same in every engine."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TypeVar

from isrcheck.engines.common.evaluate import Values
from isrcheck.ir.codec import Computed, NeedsSlots
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel

R = TypeVar("R")


def position_of(system: ScalarSystem, instance: int, before: Values) -> int:
    """The position of an instance that can be taken, or goes wrong, in this state. Raises NeedsSlots if slots lack."""
    step = system.instances[instance]
    for fault in step.faults:
        if fault.grows and before.of(fault.condition):
            raise NeedsSlots(fault.grows)
    return instance if step.position is None else before.of(step.position)


class ActionOf(Computed[int]):
    """Actions by position, given the first position of each, and of the end."""

    def __init__(self, first: Sequence[int]) -> None:
        self._first = first

    def __len__(self) -> int:
        return self._first[-1]

    def at(self, position: int) -> int:
        return bisect_right(self._first, position) - 1


def run_with_growth(model: BoundModel, run: Callable[[], R]) -> R:
    """Run again, with more slots in the model, while a search needs them."""
    while True:
        try:
            return run()
        except NeedsSlots as needs:
            if not model.grow(needs.variable):
                raise
