"""The reference and the scalar evaluator on one model, state by state, step by step and property by property."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from msgspec import structs

from isrcheck.engines.common.growth import run_with_growth
from isrcheck.engines.contract import Limits, Request, Searched
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel, decode

ERROR = "an error in the model"
Scalars = tuple[int, ...]
Step = tuple[int, Scalars | None]  # an instance, and the state after it; None if a bound prunes it


@dataclass(frozen=True, slots=True)
class Seen:
    """What both engines saw alike."""

    distinct: int
    depth: int
    pruned: int
    steps: int  # transitions compared one by one
    fired: frozenset[str]  # actions that led somewhere else
    found: frozenset[str]  # properties violated, claims met
    undecided: int  # answers that were an error of the model in both
    cut: bool  # whether only the first states were compared


def bound_model(cls: type[Model], **constants: Any) -> BoundModel:
    return bind(read_model(cls), constants)


def compare(cls: type[Model], most_states: int = 100_000, **constants: Any) -> Seen:
    """Fails at the first difference between the two engines on a model."""
    model = bound_model(cls, **constants)
    return run_with_growth(model, lambda: _compared(model, most_states))


def _compared(model: BoundModel, most_states: int) -> Seen:
    reference, scalar = ReferenceStepper(model), ScalarStepper(lower(model))
    assert reference.initial == _state_of(reference, model, scalar.initial)
    seen = _walk(model, reference, scalar, most_states)
    properties = tuple(p.name for p in model.properties)
    limits = Limits(states=most_states)
    for request in (
        Request(limits=limits),
        Request(properties=properties, deadlock=True, limits=limits),
        Request(properties=properties, stop_at_first=True, limits=limits),
    ):
        one, two = (_explored(model, stepper, request) for stepper in (reference, scalar))
        assert one == two, request
    if seen.undecided:
        for name in properties:
            request = Request(properties=(name,), limits=limits)
            assert _explored(model, reference, request) == _explored(model, scalar, request), name
    return seen


def results(found: Searched) -> dict[str, Any]:
    """Everything that an exploration says except how long it took."""
    return {name: value for name, value in structs.asdict(found).items() if name != "seconds"}


def _explored(model: BoundModel, stepper: Any, request: Request) -> dict[str, Any] | str:
    kinds = {p.name: p.kind for p in model.properties}
    try:
        return results(Explorer(stepper, kinds, request).run())
    except ModelError:
        return ERROR


def _answer(ask: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return ask(*arguments)
    except ModelError:
        return ERROR


def _state_of(reference: ReferenceStepper, model: BoundModel, scalars: Scalars) -> Any:
    values = decode(model, scalars)
    return reference.state_of(values)


def _walk(model: BoundModel, reference: ReferenceStepper, scalar: ScalarStepper, most: int) -> Seen:
    """Breadth first through both at once; a state from which either raises leads nowhere."""
    levels: list[dict[Scalars, Any]] = [{scalar.initial: reference.initial}]
    known = dict(levels[0])
    fired, found = set[str](), set[str]()
    pruned = steps = undecided = 0
    while levels[-1] and len(known) < most:
        following: dict[Scalars, Any] = {}
        for scalars, state in levels[-1].items():
            assert decode(model, scalars) == reference.values(state)
            holds = partial(reference.holds, state=state), partial(scalar.holds, state=scalars)
            undecided += _compare_answers(model, False, *holds, found)
            taken = _answer(_steps, reference, state)
            assert taken == _answer(_scalar_steps, scalar, scalars), reference.values(state)
            if taken == ERROR:
                one_by_one = (_steps(reference, state, [each]) for each in range(len(reference.instances)))
                before = _before_error(chain.from_iterable(one_by_one))
                assert [*before] == [*_before_error(scalar.steps(scalars))], reference.values(state)
                undecided += 1
                continue
            for (instance, after), (_, successor) in zip(taken, reference.steps(state), strict=True):
                if after is None or successor is None:
                    pruned += 1
                    continue
                steps += 1
                fired |= {reference.actions[reference.action_of[instance]]} if after != scalars else set()
                step = partial(reference.step_holds, before=state, instance=instance, after=successor)
                scalar_step = partial(scalar.step_holds, before=scalars, instance=instance, after=after)
                undecided += _compare_answers(model, True, step, scalar_step, found)
                if after not in known:
                    following[after] = known[after] = successor
                    assert reference.values(successor) == decode(model, after)
        levels.append(following)
    depth = len(levels) - (not levels[-1])
    return Seen(len(known), depth, pruned, steps, frozenset(fired), frozenset(found), undecided, bool(levels[-1]))


def _steps(reference: ReferenceStepper, state: Any, only: list[int] | None = None) -> list[Step]:
    steps = reference.steps(state, only)
    return [(i, None if after is None else tuple(reference.scalars(after))) for i, after in steps]


def _before_error(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps up to the first instance that raises."""
    with suppress(ModelError):
        yield from steps


def _scalar_steps(scalar: ScalarStepper, state: Scalars) -> list[Step]:
    return list(scalar.steps(state))


def _compare_answers(
    model: BoundModel, of_steps: bool, reference: Callable[[str], bool], scalar: Callable[[str], bool], found: set[str]
) -> int:
    """How many properties neither engine can answer; what is decided is added to those found."""
    errors = 0
    for p in model.properties:
        if p.kind.is_of_steps is of_steps:
            answer = _answer(reference, p.name)
            assert answer == _answer(scalar, p.name), (p.name, reference)
            errors += answer == ERROR
            if answer is p.kind.holds_by_target:
                found.add(p.name)
    return errors


def median(numbers: Sequence[int]) -> int:
    """The middle number, or the lower of two."""
    return sorted(numbers)[(len(numbers) - 1) // 2] if numbers else 0


def percentile(numbers: Sequence[int], percent: int) -> int:
    """The number below which this many of a hundred lie."""
    return sorted(numbers)[min(len(numbers) - 1, len(numbers) * percent // 100)] if numbers else 0
