"""Paths replayed on the reference, the only way to a trace that is shown; and the way back."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, permutations, product
from typing import TYPE_CHECKING, Any

from isrcheck.engines.contract import DEADLOCK, FoundFault, Path, Request
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceRefinement, ReferenceStepper
from isrcheck.engines.reference.why import WitnessStepper
from isrcheck.errors import Disagreement, IsrcheckError, ModelError, UsageError
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import ModelIR, Property
from isrcheck.ir.show import show
from isrcheck.lang.declare import Sort, member
from isrcheck.lang.drawing import Cells, Drawing, Sentence, Truncation
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.run.parts import Choice, Choices, PropertyChoices
from isrcheck.run.trace import RUN, Trace, TraceStep, Value, encode, show_encoded
from isrcheck.run.wording import at_lane, fill_template
from isrcheck.wrap import first_paragraph

if TYPE_CHECKING:  # it imports z3
    from isrcheck.engines.symbolic.engine import ChoiceFindings

FAULT = "This is a fault of isrcheck; no verdict is given."


def replay(model: BoundModel, name: str, path: Path, model_name: str, engine: str) -> Trace:
    """The trace of a path found for a property or deadlock. Raises Disagreement."""
    stepper = ReferenceStepper(model)
    states = states_along(stepper, path, name, engine)
    if not decides(stepper, name, path, states):
        raise Disagreement(
            f"the {engine} engine decides {name} after {len(path)} steps; the reference took the same steps and says "
            f"the opposite. {FAULT}"
        )
    return _trace(stepper, name, path, states, model_name)


def replay_choices(
    ir: ModelIR, model_name: str, request: Request, ranges: dict[str, ValueRange], findings: "ChoiceFindings"
) -> tuple[Choices, dict[str, Trace]]:
    """Replay each violation at its constants: the choices by property, and a trace of each. Raises Disagreement."""
    # A violation at one choice decides; a reachability property needs every choice.
    of = {p.name: p.kind for p in ir.properties} | {DEADLOCK: kinds.DEADLOCK}
    listed, traces = [], {}
    for name in (*request.properties, *([DEADLOCK] if request.deadlock else [])):
        ways = [
            (way, replay(bind(ir, way.constants), name, way.path, model_name, "symbolic"))
            for way in findings.violations.get(name, [])
        ]
        shown = ways[:1] if of[name].is_violation and not request.all_choices else ways
        encoded = [{n: encode(way.constants[n]) for n in ranges} for way, _ in shown]
        choices = tuple(Choice(c, way.rank, t.length) for c, (way, t) in zip(encoded, shown, strict=True))
        listed.append(PropertyChoices(name, of[name], name in findings.every, choices))
        if ways and (of[name].is_violation or name in findings.every):
            traces[name] = ways[0][1]
    written = {name: str(choice) for name, choice in ranges.items()}
    steps = max(findings.result.depth - 1, 0)
    return Choices(written, request.all_choices, steps, tuple(listed)), traces


def retrace(model: BoundModel, path: Path, model_name: str, engine: str) -> Trace:
    """The trace of a path of kind "run", without a property. Raises Disagreement."""
    stepper = ReferenceStepper(model)
    states = states_along(stepper, path, "the end of a run", engine)
    return replace(_trace(stepper, "", path, states, model_name), name="", kind=RUN, sentence="")


def states_along(stepper: ReferenceStepper, path: Path, name: str, engine: str) -> list[State]:
    """The states of a path. Raises Disagreement if the reference goes another way.

    Of several initial states it is the first from which the path decides the property: those are what engines look for.
    """
    known = name in stepper.roles or name == DEADLOCK
    for first in stepper.initials[:-1]:
        with suppress(Disagreement, ModelError):
            states = states_from(stepper, first, path, name, engine)
            if not known or decides(stepper, name, path, states):
                return states
    return states_from(stepper, stepper.initials[-1], path, name, engine)


def states_from(stepper: ReferenceStepper, first: State, path: Path, name: str, engine: str) -> list[State]:
    states = [first]
    for instance in path:
        after = stepper.step(states[-1], instance)
        if after is None:
            raise Disagreement(
                f"the {engine} engine takes {stepper.call(instance)} as step {len(states)} on the way to {name}; "
                f"the reference says that it cannot happen there. {FAULT}"
            )
        states.append(after)
    return states


def replay_fault(model: BoundModel, fault: FoundFault, engine: str) -> IsrcheckError:
    """The error that the author's text raises after these steps; else a Disagreement."""
    stepper = ReferenceStepper(model)
    what = str(fault.property) if fault.instance is None else stepper.call(fault.instance)
    try:
        states = states_along(stepper, fault.path, what, engine)
        if fault.instance is not None:
            stepper.keeps(None, states[-1])
            after = stepper.step(states[-1], fault.instance)
            if after is not None:
                stepper.keeps((states[-1], fault.instance), after)
        elif fault.property in stepper.roles:
            decides(stepper, str(fault.property), fault.path, states)
        else:
            ask_formula(stepper, what, fault.path, engine)
    except (ModelError, Disagreement) as error:
        return error
    return Disagreement(
        f"the {engine} engine says that {what} has no value after {len(fault.path)} steps; the reference finds "
        f"nothing wrong there. {FAULT}"
    )


def ask_formula(stepper: ReferenceStepper, condition: str, path: Path, engine: str) -> None:
    """Asks a temporal property, by one of its conditions, at the end of a path from any initial state."""
    name = condition.partition(" ")[0]
    for first in stepper.initials:
        with suppress(Disagreement):
            stepper.formula_answers(name, states_from(stepper, first, path, name, engine)[-1])


def decides(stepper: ReferenceStepper, name: str, path: Path, states: list[State]) -> bool:
    """Whether the last state or step is a target of the property, or a deadlock."""
    if name == DEADLOCK:
        return not any(True for _ in stepper.steps(states[-1]))
    kind = stepper.roles[name].kind
    if kind.is_of_steps:
        return kind.is_target(stepper.step_holds(name, states[-2], path[-1], states[-1]))
    return kind.is_target(stepper.holds(name, states[-1]))


def _trace(stepper: ReferenceStepper, name: str, path: Path, states: list[State], model_name: str) -> Trace:
    method: Property | None = stepper.roles.get(name)
    trace = trace_along(stepper, method, path, states, model_name)
    if method is None:
        return trace
    if refined := stepper.refinement(name):
        trace = replace(trace, steps=tuple(beside(refined, trace.steps, states)))
    return replace(trace, witness=_witness(stepper.model, name, path, states))


def trace_along(
    stepper: ReferenceStepper, method: Property | None, path: Path, states: list[State], model_name: str
) -> Trace:
    """Build the trace of a property, or of a deadlock, from its states."""
    sentences = action_sentences(stepper.model)
    steps = steps_of(stepper, path, states)
    return Trace(
        model=model_name,
        constants={n: encode(v) for n, v in stepper.model.constants.items()},
        name=method.name if method else DEADLOCK,
        kind=method.kind if method else kinds.DEADLOCK,
        sentence=(method.doc or method.name) if method else "A state in which no step is possible.",
        place=str(method.at) if method else "",
        steps=steps,
        actions={s.action: sentences[s.action] for s in steps if s.action},
        drawing=drawing_of(stepper.model),
        defaults=names_at_default(stepper.model),
    )


def beside(refined: ReferenceRefinement, steps: Iterable[TraceStep], states: Sequence[State]) -> Iterator[TraceStep]:
    """The steps, each with what it is in the abstract model."""
    for before, after, step in zip([None, *states], states, steps, strict=False):
        taken = "" if before is None else refined.name_step(before, after)
        state = {n: encode(v) for n, v in refined.values(after).items()}
        yield replace(step, abstract={"model": refined.name, "taken": taken, "state": state})


def _witness(model: BoundModel, name: str, path: Path, states: list[State]) -> dict[str, Value]:
    """The values for which the property is false in the last state; empty where the reference cannot tell."""
    stepper = WitnessStepper(model)
    if stepper.roles[name].kind.holds_by_target:
        return {}
    before, instance = (states[-2], path[-1]) if path else (None, None)
    with suppress(Exception):
        witness = stepper.witness(name, before, instance, states[-1])
        return {n: encode(v) for n, v in witness.items()}
    return {}


def steps_of(stepper: ReferenceStepper, path: Path, states: list[State]) -> tuple[TraceStep, ...]:
    steps = [step_of_state(stepper, states[0])]
    for instance, before, after in zip(path, states, states[1:], strict=False):
        steps.append(step_after(stepper, instance, step_of_state(stepper, after), (before, steps[-1])))
    return tuple(steps)


def step_of_state(stepper: ReferenceStepper, state: State) -> TraceStep:
    drawing = drawing_of(stepper.model)
    asked = [name for name in drawing.names() if name in stepper.model.ir.helpers] if drawing else []
    answers = {n: encode(stepper.ask(n, state)) for n in asked}
    return TraceStep("", {}, _encode_state(stepper, state), answers)


def step_after(
    stepper: ReferenceStepper, instance: int, state: TraceStep, before: tuple[State, TraceStep]
) -> TraceStep:
    """Add to the step of a state the instance that led there."""
    arguments = {n: encode(v) for n, v in stepper.arguments(instance).items()}
    step = replace(state, action=stepper.step_taken(instance).action, arguments=arguments)
    step = replace(step, renumbered=_canonical_changes(stepper, before[0], instance))
    with suppress(ModelError):  # a reason that has no answer is not said
        return replace(step, truncation=_truncation(stepper, before, instance, step))
    return step


def _canonical_changes(stepper: ReferenceStepper, before: State, instance: int) -> str:
    """The values that a canonical form replaced after a step, "renumber() replaces read = 3", or ""."""
    form = stepper.model.ir.canonical
    raw = None if form is None else stepper.as_written.step(before, instance)
    if form is None or raw is None:
        return ""
    values, after = stepper.values(raw), stepper.values(stepper.canonical(raw))
    replaced = [f"{name} = {show(value)}" for name, value in values.items() if value != after[name]]
    return f"{form.name}() replaces {', '.join(replaced)}" if replaced else ""


def _truncation(stepper: ReferenceStepper, before: tuple[State, TraceStep], instance: int, after: TraceStep) -> str:
    """The lane whose log a step made shorter, "r1 truncates to ...", or "". Raises ModelError."""
    drawing = drawing_of(stepper.model)
    helpers = stepper.model.ir.helpers
    words = drawing.words if drawing else ()
    arguments = stepper.arguments(instance)

    def ask(name: str) -> Value:
        return encode(stepper.ask(name, before[0], **arguments))

    for truncation in (w for w in words if isinstance(w, Truncation) and w.action == after.action):
        lane = show_encoded(after.arguments.get(truncation.lane, truncation.lane))
        logs = [w for w in words if isinstance(w, Cells)]
        if not any(_length(log, lane, after) < _length(log, lane, before[1]) for log in logs):
            continue
        if truncation.given and not ask(truncation.given):
            continue
        policy = first_paragraph(helpers[truncation.policy].doc).removesuffix(".") if truncation.policy else ""
        caption = truncation.caption or policy[:1].lower() + policy[1:]
        for name in re.findall(r"\{(\w+)\}", caption):
            if name in helpers and name not in arguments:
                caption = caption.replace(f"{{{name}}}", show_encoded(ask(name)))
        end = f"offset {show_encoded(ask(truncation.policy))}, " if truncation.policy else ""
        return f"{lane} truncates to {end}{fill_template(caption, after, before[1], ())}"
    return ""


def _length(cells: Cells, lane: str, step: TraceStep) -> int:
    log = at_lane(cells, lane, step)
    return log if isinstance(log, int) else len(log) if isinstance(log, list) else 0


def drawing_of(model: BoundModel) -> Drawing | None:
    """The drawing of a model, with the sentences of its actions; None if it has neither."""
    drawing: Drawing | None = getattr(model.ir.cls, "drawing", None)
    sentences = [Sentence(action.name, action.sentence) for action in model.ir.actions if action.sentence]
    return Drawing(*(drawing.words if drawing else ()), *sentences) if drawing or sentences else None


def names_at_default(model: BoundModel) -> tuple[str, ...]:
    """The constants that a run need not name."""
    return tuple(c.name for c in model.ir.constants if model.constants.get(c.name) == c.default)


def action_sentences(model: BoundModel) -> dict[str, str]:
    return {a.name: first_paragraph(a.doc) for a in model.ir.actions}


def trace_path(model: BoundModel, trace: Trace, file: str) -> Path:
    """The positions of the trace's instances. Raises UsageError if it does not replay."""
    stepper = ReferenceStepper(model)
    known = {
        _key(stepper.step_taken(i).action, {n: encode(v) for n, v in stepper.arguments(i).items()}): i
        for i in range(len(stepper.instances))
    }
    if trace.steps[0].action:
        raise _stops(file, 0, "it begins with a step and not with a state")
    path: list[int] = []
    state = next((s for s in stepper.initials if _encode_state(stepper, s) == trace.steps[0].state), stepper.initial)
    for number, step in enumerate(trace.steps):
        if number:
            position = known.get(_key(step.action, step.arguments))
            if position is None:
                raise _stops(file, number, f"{model.ir.name} has no step {_call(step)} with these constants")
            path.append(position)
            try:
                after = stepper.step(state, position)
            except ModelError as error:
                raise _stops(file, number, error.sentence.removesuffix(".")) from None
            if after is None:
                raise _stops(file, number, f"{_call(step)} cannot happen there")
            state = after
        if _encode_state(stepper, state) != step.state:
            raise _stops(file, number, "the model's state is another one")
    return tuple(path)


def _encode_state(stepper: ReferenceStepper, state: State) -> dict[str, Value]:
    return {n: encode(v) for n, v in stepper.values(state).items()}


def path_to_verdict(model: BoundModel, trace: Trace, file: str) -> Path:
    """Return the path of a trace that decides its property; a lasso is walked, and not asked whether it is fair.

    Raises UsageError if it does not.
    """
    if trace.loop is not None and trace.name in {p.name for p in model.ir.temporal}:
        return trace_path(model, trace, file)
    if trace.name != DEADLOCK and trace.name not in {p.name for p in model.ir.properties}:
        raise UsageError(f"{file} does not replay: {model.ir.name} has no property {trace.name}.")
    path = trace_path(model, trace, file)
    try:
        replay(model, trace.name, path, trace.model, "trace's")
    except (Disagreement, IndexError):  # a step property, and no step
        raise _stops(file, trace.length - 1, f"{trace.name} is not decided there") from None
    return path


def _stops(file: str, number: int, why: str) -> UsageError:
    where = f"at step {number}" if number else "in the initial state"
    return UsageError(
        f"{file} does not replay: {where}, {why}. It is of another model or version, or was changed: "
        "make it again with isrcheck check --trace-dir."
    )


def _call(step: TraceStep) -> str:
    given = (f"{n}={json.dumps(v) if isinstance(v, dict | list) else v}" for n, v in step.arguments.items())
    return f"{step.action}({', '.join(given)})"


def _key(action: str, arguments: dict[str, Value]) -> str:
    return json.dumps([action, arguments], sort_keys=True)


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
