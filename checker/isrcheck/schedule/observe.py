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
class Observable:
    """What is looked at in one variant: whether a property is decided, or, without a kind, the value at a place."""

    stepper: Stepper[Any]
    name: str
    kind: PropertyKind | None
    place: slice

    @property
    def lasts(self) -> bool:
        """Whether what was seen once counts for ever, as a violation does."""
        return self.kind is not None

    def sees(self, state: Hashable) -> Hashable:
        """What is seen of a state: a value as its scalars; None if nothing."""
        if self.kind is None:
            return tuple(self.stepper.scalars(state)[self.place])
        return None if self.kind.is_of_steps else self.kind.is_target(self.stepper.holds(self.name, state)) or None

    def sees_step(self, before: Hashable, instance: int, after: Hashable) -> Hashable:
        if self.kind is None or not self.kind.is_of_steps:
            return None
        return self.kind.is_target(self.stepper.step_holds(self.name, before, instance, after)) or None


def place_of(model: BoundModel, variable: str) -> slice:
    start = 0
    for name, domain in model.domains.items():
        size = len(list(codec(domain).scalars(name)))
        if name == variable:
            return slice(start, start + size)
        start += size
    raise KeyError(variable)


def check_observable(name: str, models: dict[str, BoundModel]) -> None:
    """Raises UsageError unless both variants have the property, and ask it; or the variable, with the same values."""
    variable = name.removeprefix(STATE)
    for model, bound in models.items():
        known = [p.name for p in bound.ir.properties]
        if name != variable:
            if variable not in bound.domains:
                raise UsageError(f"{model} has no variable {variable}.{nearest(variable, bound.domains)}")
        elif name not in known:
            remedy = nearest(name, known).strip()
            raise UsageError(f"{model} has no property {name}. {remedy} Or write {STATE}VARIABLE.")
        elif name in bound.not_asked:
            raise UsageError(f"{name} does not apply to {model} with these constants: {bound.not_asked[name]}")
    if name != variable and len({str(bound.domains[variable]) for bound in models.values()}) > 1:
        raise UsageError(f"{variable} has other values in {' than in '.join(models)}: give both the same constants.")


def observable(name: str, model: BoundModel, stepper: Stepper[Any]) -> Observable:
    if name.startswith(STATE):
        return Observable(stepper, name, None, place_of(model, name.removeprefix(STATE)))
    kind = next(p.kind for p in model.ir.properties if p.name == name)
    return Observable(stepper, name, kind, slice(0))
