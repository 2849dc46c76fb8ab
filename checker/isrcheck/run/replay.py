"""Replays a path on the reference: the only way in which a violation becomes a trace that is shown."""

from contextlib import suppress
from dataclasses import replace

from isrcheck.engines.contract import DEADLOCK, FoundFault, Path
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.engines.reference_witness import WitnessStepper
from isrcheck.errors import Disagreement, IsrcheckError, ModelError
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.model import Property
from isrcheck.lang.drawing import Drawing
from isrcheck.passes.bind import BoundModel
from isrcheck.run.trace import RUN, Trace, TraceStep, Value, encode
from isrcheck.run.truncations import truncation_of


def replay(model: BoundModel, name: str, path: Path, model_name: str, engine: str) -> Trace:
    """The trace of a path that an engine found for a property (or for a deadlock).

    Raises Disagreement, with both answers, if the reference does not go that way or does not see what the engine saw.
    """
    stepper = ReferenceStepper(model)
    states = states_along(stepper, path, name, engine)
    _confirm(stepper, name, path, states, engine)
    return _trace(stepper, name, path, states, model_name)


def retrace(model: BoundModel, path: Path, model_name: str, engine: str) -> Trace:
    """The trace of a path that shows nothing but itself: of kind "run", without a property.

    Raises Disagreement if the reference does not go that way.
    """
    stepper = ReferenceStepper(model)
    states = states_along(stepper, path, "the end of a run", engine)
    return replace(_trace(stepper, "", path, states, model_name), kind=RUN, sentence="")


def states_along(stepper: ReferenceStepper, path: Path, name: str, engine: str) -> list[tuple[object, ...]]:
    """The states of a path. Raises Disagreement if the reference does not go that way."""
    states = [stepper.initial]
    for instance in path:
        after = stepper.step(states[-1], instance)
        if after is None:
            raise Disagreement(
                f"the {engine} engine takes {stepper.call(instance)} as step {len(states)} on the way to {name}; "
                f"the reference says that it cannot happen there. This is a fault of isrcheck; no verdict is given."
            )
        states.append(after)
    return states


def replay_fault(model: BoundModel, fault: FoundFault, engine: str) -> IsrcheckError:
    """The error that the author's text raises after these steps, in an action's instance or in a property.

    It is a Disagreement if the text raises nothing there, or cannot go that way.
    """
    stepper = ReferenceStepper(model)
    states = [stepper.initial]
    try:
        for position in fault.path:
            after = stepper.step(states[-1], position)
            if after is None:
                break
            states.append(after)
        else:
            if fault.instance is not None:
                stepper.step(states[-1], fault.instance)
            elif fault.property is not None and stepper.roles[fault.property].kind.is_of_steps:
                stepper.step_holds(fault.property, states[-2], fault.path[-1], states[-1])
            elif fault.property is not None:
                stepper.holds(fault.property, states[-1])
    except ModelError as error:
        return error
    what = stepper.call(fault.instance) if fault.instance is not None else fault.property
    return Disagreement(
        f"the {engine} engine says that {what} has no value after {len(fault.path)} steps; the reference finds "
        f"nothing wrong there. This is a fault of isrcheck; no verdict is given."
    )


def _confirm(stepper: ReferenceStepper, name: str, path: Path, states: list[tuple[object, ...]], engine: str) -> None:
    """Raises Disagreement unless the reference sees at the end what the engine saw."""
    if name == DEADLOCK:
        seen = not any(True for _ in stepper.steps(states[-1]))
    elif stepper.roles[name].kind.is_of_steps:
        seen = stepper.roles[name].kind.is_target(stepper.step_holds(name, states[-2], path[-1], states[-1]))
    else:
        seen = stepper.roles[name].kind.is_target(stepper.holds(name, states[-1]))
    if not seen:
        raise Disagreement(
            f"the {engine} engine decides {name} after {len(path)} steps; the reference took the same steps and says "
            f"the opposite. This is a fault of isrcheck; no verdict is given."
        )


def _trace(
    stepper: ReferenceStepper, name: str, path: Path, states: list[tuple[object, ...]], model_name: str
) -> Trace:
    sentences = action_sentences(stepper.model)
    method: Property | None = stepper.roles.get(name)
    steps = steps_of(stepper, path, states)
    return Trace(
        model=model_name,
        constants={n: encode(v) for n, v in stepper.model.constants.items()},
        name=name,
        kind=method.kind if method else kinds.DEADLOCK,
        sentence=method.doc if method else "A state in which no step is possible.",
        place=str(method.at) if method else "",
        steps=steps,
        actions={s.action: sentences[s.action] for s in steps if s.action},
        drawing=drawing_of(stepper.model),
        witness=_witness(stepper.model, name, path, states) if method else {},
    )


def _witness(model: BoundModel, name: str, path: Path, states: list[tuple[object, ...]]) -> dict[str, Value]:
    """For whom the property is false in the last state. It is an aid: whatever it cannot tell, it leaves out."""
    stepper = WitnessStepper(model)
    if stepper.roles[name].kind.holds_by_target:
        return {}
    before, instance = (states[-2], path[-1]) if path else (None, None)
    with suppress(Exception):
        found = stepper.witness(name, before, instance, states[-1])
        return {n: encode(v) for n, v in found.items()}
    return {}


def steps_of(stepper: ReferenceStepper, path: Path, states: list[tuple[object, ...]]) -> tuple[TraceStep, ...]:
    """The states of a path as steps of a trace; the first is where the path begins."""
    steps = [told(stepper, None, states[0])]
    for instance, before, after in zip(path, states, states[1:], strict=False):
        steps.append(told(stepper, instance, after, (before, steps[-1])))
    return tuple(steps)


def told(
    stepper: ReferenceStepper,
    instance: int | None,
    state: tuple[object, ...],
    before: tuple[tuple[object, ...], TraceStep] | None = None,
) -> TraceStep:
    """A state as a step of a trace, with the instance that led there; None for the initial state.

    `before` is the state before with its step; without it nothing is said of what the step cuts off.
    """
    drawing = drawing_of(stepper.model)
    asked = [name for name in drawing.names() if name in stepper.model.ir.helpers] if drawing else []
    seen = {n: encode(stepper.ask(n, state)) for n in asked}
    step = TraceStep("", {}, {n: encode(v) for n, v in stepper.values(state).items()}, seen)
    return step if instance is None else taken(stepper, instance, step, before)


def taken(
    stepper: ReferenceStepper, instance: int, state: TraceStep, before: tuple[tuple[object, ...], TraceStep] | None
) -> TraceStep:
    """A state with the instance that led there from the state before."""
    arguments = {n: encode(v) for n, v in stepper.arguments(instance).items()}
    step = replace(state, action=stepper.taken(instance).action, arguments=arguments)
    drawing = drawing_of(stepper.model)
    if drawing is None or before is None:
        return step
    with suppress(ModelError):  # a reason that has no answer is not said
        return replace(step, truncation=truncation_of(stepper, drawing, before, instance, step))
    return step


def drawing_of(model: BoundModel) -> Drawing | None:
    """How a model says that it is drawn."""
    drawing: Drawing | None = getattr(model.ir.cls, "drawing", None)
    return drawing


def action_sentences(model: BoundModel) -> dict[str, str]:
    """What each action means: the first paragraph of its docstring."""
    return {a.name: " ".join(a.doc.split("\n\n")[0].split()) for a in model.ir.actions}
