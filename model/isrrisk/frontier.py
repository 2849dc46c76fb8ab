"""The frontier of one search: the least numbers of faults that lose something, and the most that lose nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from isrcheck import Trace
from isrrisk.budget import FaultBudget, Vector, by_number, in_words, minimal
from isrrisk.question import LOSSES
from isrrisk.setting import Setting


@dataclass(frozen=True, repr=False)
class LeastLoss:
    """One least number of faults that breaks a property, and the shortest way there."""

    name: str  # of the property
    faults: Vector
    trace: Trace

    @property
    def steps(self) -> int:
        return self.trace.length - 1  # its length counts states

    def __repr__(self) -> str:
        return f"<LeastLoss {self.name}: {in_words(self.faults)}, {self.steps} steps>"


@dataclass(frozen=True)
class Survival:
    """One greatest number of faults within which a property holds in every reachable state."""

    name: str  # of the property
    faults: Vector


@dataclass(frozen=True, repr=False)
class Frontier:
    """Losses and survivals of a setting within a budget.

    Unless `cut` is None, what is missing was not looked for to the end; `undecided` names the properties of which some
    number of faults has neither a replayed violation nor a complete search.
    """

    setting: Setting
    budget: FaultBudget
    losses: list[LeastLoss]
    survivals: list[Survival]
    undecided: list[str]
    cut: str | None
    states: int
    pruned: int
    seconds: float
    interrupted: bool = False  # by the user
    from_cache: bool = False  # of an earlier search for the same question

    @property
    def is_complete(self) -> bool:
        """Whether every property was decided for every number of faults."""
        return self.cut is None and not self.undecided

    def __repr__(self) -> str:
        losses = ", ".join(f"{loss.name} after {in_words(loss.faults)}" for loss in self.losses)
        survives = "survives everything searched" if self.is_complete and not self.pruned else "nothing lost so far"
        return f"<Frontier {self.setting.description()}: {losses or survives}>"


def least(losses: Iterable[LeastLoss]) -> list[LeastLoss]:
    """The losses by property, without those that contain another one of the same property."""
    losses = list(losses)
    chosen = []
    for name in LOSSES:
        by_faults = {_without_zeros(loss.faults): loss for loss in reversed(losses) if loss.name == name}
        chosen += sorted((by_faults[each] for each in minimal(by_faults)), key=lambda loss: by_number(loss.faults))
    return chosen


def _without_zeros(faults: Vector) -> Vector:
    return tuple((name, number) for name, number in faults if number)


def counts(faults: Vector) -> dict[str, Any]:
    """The faults that happened, by kind."""
    return dict(_without_zeros(faults))
