"""On what two variants may be distinguished: a property, or the value of a variable."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.explore import Stepper
from isrcheck.errors import UsageError, nearest
from isrcheck.ir.codec import codec
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel

STATE = "state:"  # before the name of a variable


@dataclass(frozen=True)
class PropertyObservable:
    """Whether an invariant or a step property breaks, or a reachability property is met."""

    stepper: Stepper[Any]
    name: str
    kind: PropertyKind
    lasts: bool = True

    def sees(self, state: Hashable) -> Hashable:
        if self.kind.is_of_steps or not self.kind.is_target(self.stepper.holds(self.name, state)):
            return None
        return True

    def sees_step(self, before: Hashable, instance: int, after: Hashable) -> Hashable:
        if self.kind.is_of_steps and self.kind.is_target(self.stepper.step_holds(self.name, before, instance, after)):
            return True
        return None


@dataclass(frozen=True)
class VariableObservable:
    """The value of a variable, as its scalars."""

    stepper: Stepper[Any]
    place: slice
    lasts: bool = False

    def sees(self, state: Hashable) -> Hashable:
        return tuple(self.stepper.scalars(state)[self.place])

    def sees_step(self, before: Hashable, instance: int, after: Hashable) -> Hashable:
        return None


def place_of(model: BoundModel, variable: str) -> slice:
    """Where a variable's scalars are among those of a state."""
    start = 0
    for name, domain in model.domains.items():
        size = len(list(codec(domain).scalars(name)))
        if name == variable:
            return slice(start, start + size)
        start += size
    raise KeyError(variable)


def check_observable(name: str, models: dict[str, BoundModel]) -> None:
    """Raises UsageError unless both variants have the property, and ask it; or the variable, with the same values."""
    if name.startswith(STATE):
        _check_variable(name.removeprefix(STATE), models)
        return
    for model, bound in models.items():
        known = [p.name for p in bound.ir.properties]
        if name not in known:
            remedy = nearest(name, known).strip()
            raise UsageError(f"{model} has no property {name}. {remedy} Or write {STATE}VARIABLE.")
        if name in bound.not_asked:
            raise UsageError(f"{name} does not apply to {model} with these constants: {bound.not_asked[name]}")


def _check_variable(variable: str, models: dict[str, BoundModel]) -> None:
    for model, bound in models.items():
        if variable not in bound.domains:
            raise UsageError(f"{model} has no variable {variable}.{nearest(variable, bound.domains)}")
    if len({str(bound.domains[variable]) for bound in models.values()}) > 1:
        raise UsageError(f"{variable} has other values in {' than in '.join(models)}: give both the same constants.")


def observable(name: str, model: BoundModel, stepper: Stepper[Any]) -> PropertyObservable | VariableObservable:
    """What is looked at in one variant."""
    if name.startswith(STATE):
        return VariableObservable(stepper, place_of(model, name.removeprefix(STATE)))
    kind = next(p.kind for p in model.ir.properties if p.name == name)
    return PropertyObservable(stepper, name, kind)
