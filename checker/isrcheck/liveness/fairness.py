"""The fairness of steps: of fair actions, and of the environments that a run chooses."""

from collections.abc import Iterator, Sequence

from isrcheck.engines.common.behaviours import FairnessCondition
from isrcheck.engines.reference.stepper import blame
from isrcheck.errors import UsageError, nearest, quantity
from isrcheck.ir.model import Method
from isrcheck.ir.show import show
from isrcheck.lang.declare import Taken
from isrcheck.lang.instance import blank, with_sort_sizes
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.choices import MOST_INSTANCES, MOST_LISTED, Choice, ground


def fairness_conditions(model: BoundModel, environments: Sequence[str]) -> tuple[FairnessCondition, ...]:
    """The fairness conditions, by positions among all choices of parameters. Raises UsageError or ModelError."""
    return tuple(each for method in fair_methods(model, environments) for each in conditions_of(model, method))


def fair_methods(model: BoundModel, environments: Sequence[str]) -> Iterator[Method]:
    """The fair actions, and these environments."""
    yield from (action for action in model.ir.actions if action.fair)
    yield from (environment(model, name) for name in environments)


def conditions_of(model: BoundModel, method: Method) -> Iterator[FairnessCondition]:
    kind, _, together = method.fair.partition("-")
    positions = _positions(model, method)
    is_strong, every = kind == "strong", ground(model)
    if not together:
        _refuse_many(method, len(positions))
        for position in positions:
            name = f"{kind} fairness of {_call_text(model, every[position])}"
            yield FairnessCondition(name, is_strong, frozenset({position}))
    elif chosen := frozenset(positions):
        yield FairnessCondition(f"{kind} fairness of {method.name}", is_strong, chosen)


def _positions(model: BoundModel, method: Method) -> Sequence[int]:
    """The positions of an action's choices, or of an environment's. Raises UsageError for too many."""
    every = ground(model)
    is_action = method in model.ir.actions
    place = model.ir.actions.index(method) if is_action else 0
    count = every.size(place) if is_action else len(every)
    if count > MOST_LISTED:
        about = "speaks of" if is_action else "is asked of"
        sentence = f"{method.name} {about} {quantity(count, 'choice')} of parameters; {MOST_LISTED:,} are the most"
        raise UsageError(f"{sentence}: use smaller constants.")
    return range(every.first[place], every.first[place + 1]) if is_action else list(_environment_choices(model, method))


def environment(model: BoundModel, name: str) -> Method:
    """Find an environment of the model by name. Raises UsageError."""
    known = {method.name: method for method in model.ir.environments}
    if name not in known:
        says = nearest(name, known) if known else " Write def NAME(self, taken: Taken) -> bool, marked @fairness."
        raise UsageError(f"{model.ir.name} has no fairness {name}.{says}")
    return known[name]


def _call_text(model: BoundModel, choice: Choice) -> str:
    """The call of an action instance as text, for instance fetch(leader=r0)."""
    action, arguments = choice
    method = model.ir.actions[action]
    given = (f"{p.name}={show(value)}" for p, value in zip(method.parameters, arguments, strict=True))
    return f"{method.name}({', '.join(given)})"


def _environment_choices(model: BoundModel, method: Method) -> Iterator[int]:
    instance = blank(model.ir.cls, model.constants)
    with with_sort_sizes(model.sizes):
        for position, (action, arguments) in enumerate(ground(model)):
            taken = model.ir.actions[action]
            names = (parameter.name for parameter in taken.parameters)
            try:
                if getattr(instance, method.name)(Taken(taken.name, dict(zip(names, arguments, strict=True)))):
                    yield position
            except Exception as error:
                raise blame(error, method.at, method.name) from None


def _refuse_many(method: Method, count: int) -> None:
    if count > MOST_INSTANCES:
        sentence = f"{method.name} speaks of {quantity(count, 'choice')} of parameters, each with a fairness of its own"
        raise UsageError(f'{sentence}: write fair="{method.fair}-any", or use smaller constants.')
