"""Last pass: actions and properties over scalars. The way back is `decode`: from a state to the model's own values."""

from collections.abc import Iterator, Sequence
from typing import Any

from isrcheck.budget import progress
from isrcheck.errors import ModelError, refusing_recursion
from isrcheck.ir.codec import codec
from isrcheck.ir.model import Property
from isrcheck.ir.nodes import Expression, Statement
from isrcheck.ir.property_kinds import Reads
from isrcheck.ir.scalar import Condition, Instance, Scalar, ScalarProperty, ScalarSystem
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.evaluate import Evaluator, TakenStep
from isrcheck.passes.fold import Nodes
from isrcheck.passes.inline import Inliner
from isrcheck.passes.symmetry import symmetries
from isrcheck.passes.update import Executor, GuardClaims, changed, read_state
from isrcheck.passes.values.kinds import Value
from isrcheck.passes.values.shapes import Shapes

MOST_WORK = 100_000_000  # nodes and their arguments; some 350,000 a second are made, so this is 5 minutes
_FEW_INSTANCES = 1_000  # with which nothing needs to be estimated
Body = tuple[Statement, ...]
Choices = tuple[tuple[int, tuple[Any, ...]], ...]


def scalarize(model: BoundModel, inliner: Inliner, choices: Choices, shapes: Shapes) -> ScalarSystem:
    """The scalar transition system of a model whose parameters are chosen.

    Symbolic constants are scalars after those of the variables, at position 0 initially; nothing is symmetric then.
    """
    layout = layout_of(model) + shapes.symbolic.scalars
    initial = tuple(
        part for name, domain in model.domains.items() for part in codec(domain).flatten(model.initial[name])
    )
    guards = GuardClaims(shapes)
    instances = instances_of(model, inliner, choices, shapes, guards)
    properties = tuple(_properties(model, inliner, choices, shapes, len(layout)))
    return ScalarSystem(
        scalars=layout,
        initial=initial + (0,) * len(shapes.symbolic.scalars),
        actions=tuple(action.name for action in model.ir.actions),
        instances=instances,
        properties=(*properties, *guards.properties()),
        symmetries=tuple(symmetries(model, shapes)) if not shapes.symbolic.scalars else (),
    )


def layout_of(model: BoundModel) -> tuple[Scalar, ...]:
    """The scalars of a model's variables."""
    return tuple(s for name, domain in model.domains.items() for s in codec(domain).scalars(name))


def decode(model: BoundModel, state: Sequence[int]) -> dict[str, Any]:
    """The model's variables from a state's scalars."""
    source = iter(state)
    return {name: codec(domain).unflatten(source) for name, domain in model.domains.items()}


def _arguments(model: BoundModel, shapes: Shapes, action: int, arguments: tuple[Any, ...]) -> dict[str, Value]:
    """The parameters of an instance as constants."""
    parameters = model.parameters(action)
    pairs = zip(parameters, arguments, strict=True)
    return {name: shapes.constant(domain, value) for (name, domain), value in pairs}


def instances_of(
    model: BoundModel, inliner: Inliner, choices: Choices, shapes: Shapes, guards: GuardClaims | None = None
) -> tuple[Instance, ...]:
    """The instances of these choices, made of the nodes of one system; what they claim of guards is added."""
    bodies = []
    for action_text in model.ir.actions:
        with refusing_recursion(action_text.at):
            bodies.append(inliner.method(action_text))
    if len(choices) > _FEW_INSTANCES and not shapes.symbolic.scalars:
        _refuse_endless_work(model, bodies, choices)
    state, before = read_state(model, shapes)
    found = []
    for done, (action, arguments) in enumerate(choices):
        progress("lowering", done, len(choices), "instances")
        executor = Executor(model, shapes, state, _arguments(model, shapes, action, arguments))
        with refusing_recursion(model.ir.actions[action].at):
            effect = executor.run(bodies[action], model.ir.actions[action].at)
        if guards is not None and model.ir.actions[action].name in model.watched:
            guards.add(model.ir.actions[action].name, executor.guards)
        updates = changed(effect, before)
        found.append(Instance(action, arguments, effect.guard, effect.pruned, updates, effect.faults))
    return tuple(found)


def _refuse_endless_work(model: BoundModel, bodies: list[Body], choices: Choices) -> None:
    """Raises ModelError, from two samples of each action, where lowering all of them would hardly come to an end."""
    total = 0
    for position, method in enumerate(model.ir.actions):
        own = [arguments for action, arguments in choices if action == position]
        samples = (own[len(own) * third // 3] for third in (1, 2) if own)
        work = max((_work_of(model, position, bodies[position], arguments) for arguments in samples), default=0)
        total += work * len(own)
        if total > MOST_WORK:
            raise ModelError(
                method.at,
                f"{method.name}() has {len(own):,} choices of parameters, and each would be written out as some "
                f"{work:,} expressions: all actions up to it as {total:,}; {MOST_WORK:,} are the most.",
                "Use smaller constants.",
            )


def _work_of(model: BoundModel, action: int, body: Body, arguments: tuple[Any, ...]) -> int:
    shapes = Shapes(Nodes())
    executor = Executor(model, shapes, read_state(model, shapes)[0], _arguments(model, shapes, action, arguments))
    before = shapes.n.work
    executor.run(body, model.ir.actions[action].at)
    return shapes.n.work - before


def _properties(
    model: BoundModel, inliner: Inliner, choices: Choices, shapes: Shapes, scalars_: int
) -> Iterator[ScalarProperty]:
    for done, method in enumerate(model.properties):
        progress("lowering", done, len(model.properties), "properties")
        with refusing_recursion(method.at):
            body, lower = inliner.condition(method), LOWERINGS[method.kind.reads]
            conditions = lower(model, body, choices, shapes, method, scalars_)
        yield ScalarProperty(method.name, method.kind, conditions)


def _of_states(
    model: BoundModel, body: Expression, choices: Choices, shapes: Shapes, method: Property, size: int
) -> tuple[Condition, ...]:
    state, _ = read_state(model, shapes)
    return (_condition(Evaluator(model, shapes, state), body),)


def _of_steps(
    model: BoundModel, body: Expression, choices: Choices, shapes: Shapes, method: Property, size: int
) -> tuple[Condition, ...]:
    state, _ = read_state(model, shapes)
    before, _ = read_state(model, shapes, size)
    steps: tuple[TakenStep | None, ...] = (None,) * len(choices)
    if method.taken:
        steps = tuple(
            TakenStep(model.ir.actions[action].name, _arguments(model, shapes, action, arguments))
            for action, arguments in choices
        )
    conditions: list[Condition] = []
    for taken in steps:
        if not conditions or method.taken:
            evaluator = Evaluator(model, shapes, state)
            evaluator.before, evaluator.taken = before, taken
            conditions.append(_condition(evaluator, body))
        else:
            conditions.append(conditions[0])
    return tuple(conditions)


# By what a property reads: its conditions, of a state, or for each choice of an action's parameters of a step.
LOWERINGS = {Reads.STATE: _of_states, Reads.STEP: _of_steps}


def _condition(evaluator: Evaluator, body: Expression) -> Condition:
    node = evaluator.truth(body, {})
    return Condition(node, tuple(evaluator.faults))
