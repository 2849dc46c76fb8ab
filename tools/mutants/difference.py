"""The first state, in the order of the search, of which two engines say different things."""

from collections.abc import Callable
from typing import Any

from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import IsrcheckError
from isrcheck.ir.show import show
from isrcheck.passes import BoundModel, lower
from isrcheck.passes.bind import decode

MOST = 2_000
Scalars = tuple[int, ...]


def first_difference(model: BoundModel) -> str:
    """One paragraph: the state, what was asked there, what CPython said and what the lowered model says."""
    try:
        return _first_difference(model) or "the lowered model agrees with CPython in every state: machine code differs."
    except Exception as error:
        return f"the first differing state was not found: {error!r}"


def _first_difference(model: BoundModel) -> str:
    reference, scalar = ReferenceStepper(model), ScalarStepper(lower(model))
    waiting: list[tuple[Any, Scalars]] = [(reference.initial, scalar.initial)]
    known = {scalar.initial}
    for state, scalars in waiting:
        here = ", ".join(f"{name}={show(value)}" for name, value in reference.values(state).items())
        if reference.values(state) != decode(model, scalars):
            return f"in {here}: the lowered model has {decode(model, scalars)}"
        asked = [p.name for p in model.properties if not p.kind.is_of_steps]
        for name in asked:
            one, two = _answer(reference.holds, name, state), _answer(scalar.holds, name, scalars)
            if one != two:
                return f"in {here}: {name} is {one} to CPython and {two} to the lowered model"
        one, two = _answer(_steps, reference, state), _answer(_steps, scalar, scalars)
        if one != two:
            ours, theirs = (_name_steps(reference, each) for each in (one, two))
            return f"in {here}: CPython steps to {ours}, the lowered model to {theirs}"
        if isinstance(one, str):
            continue
        for (instance, after), (_, successor) in zip(one, reference.steps(state), strict=True):
            step = _step_difference(model, reference, scalar, (state, instance, successor), (scalars, after))
            if step:
                return f"in {here}: {step}"
            if after is not None and after not in known and len(known) < MOST:
                known.add(after)
                waiting.append((successor, after))
    return ""


def _step_difference(
    model: BoundModel, reference: ReferenceStepper, scalar: ScalarStepper, step: Any, ends: tuple[Scalars, Any]
) -> str:
    state, instance, successor = step
    if successor is None:
        return ""
    for p in model.properties:
        if p.kind.is_of_steps:
            one = _answer(reference.step_holds, p.name, state, instance, successor)
            two = _answer(scalar.step_holds, p.name, ends[0], instance, ends[1])
            if one != two:
                call = reference.call(instance)
                return f"after {call}, {p.name} is {one} to CPython and {two} to the lowered model"
    return ""


def _name_steps(reference: ReferenceStepper, steps: Any) -> str:
    return steps if isinstance(steps, str) else str([(reference.call(i), after) for i, after in steps])


def _steps(stepper: Any, state: Any) -> list[tuple[int, Scalars | None]]:
    return [(i, None if after is None else tuple(stepper.scalars(after))) for i, after in stepper.steps(state)]


def _answer(ask: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return ask(*arguments)
    except IsrcheckError as error:
        return f"an error ({type(error).__name__})"
