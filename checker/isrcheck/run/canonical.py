"""The canonical form of a model, checked before a run believes it: whatever is renumbered, and when, goes on alike.

Every state is looked at that steps and renumbering lead to, in any order, within the bounds. What is not so is an error
in the model, which the reference tells; a run that cannot look at all of them decides nothing.
"""

from collections.abc import Iterator

from isrcheck.engines.contract import FoundFault, NotStarted, Path, Request
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.engines.registry import Engine
from isrcheck.errors import Disagreement, IsrcheckError, ModelError
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import Reads
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.canonical import GOES_ON_ALIKE, CheckedForm, FormUse
from isrcheck.passes.lowering import without_idle_form
from isrcheck.process.budget import phase, poll, poll_by_timer
from isrcheck.run.replay import FAULT, replay_fault, states_from

_REMEDY = "A canonical form rewrites what nothing tells apart."


def check_form(model: BoundModel, request: Request, engine: Engine) -> tuple[BoundModel, NotStarted | None]:
    """Check the canonical form: the model to search, and the cut if limits ended the check.

    Raises ModelError or Disagreement.
    """
    applied = without_idle_form(replace(model, form=CheckedForm(FormUse.APPLIED)))
    if applied.ir.canonical is None:
        return applied, None
    form = CheckedForm(FormUse.CHECKED, (*request.properties, *request.temporal), bool(request.temporal))
    own = replace(model, ir=replace(model.ir, actions=(*model.ir.actions, applied.ir.canonical)), form=form)
    phase("checking the canonical form")
    if engine.name == "reference":
        return _check_on_reference(own, applied, request)
    asked = Request(
        properties=(GOES_ON_ALIKE,), workers=request.workers, limits=request.limits, progress=request.progress
    )
    try:
        result = engine.search(own, replace(asked, stop_at_first=True))
    except FoundFault as fault:
        raise replay_fault(own, fault, engine.name) from None
    if GOES_ON_ALIKE in result.paths:
        raise _error_after(own, result.paths[GOES_ON_ALIKE], engine.name)
    if result.cut is not None:
        return applied, NotStarted(cut=_cut(model, result.cut), interrupted=result.interrupted)
    return _with_note(applied, result.distinct), None


def without_steps(model: BoundModel) -> BoundModel:
    """The model whose properties of steps do not apply, or without a form that changes nothing.

    A property of steps compares two states, and the form rewrites the second alone.
    """
    steps = [each for each in model.properties if each.kind.reads is Reads.STEP]
    if not steps:
        return model
    applied = without_idle_form(replace(model, form=CheckedForm(FormUse.APPLIED)))
    if applied.ir.canonical is None:
        return replace(applied, form=model.form)
    reason = f"it is asked of steps, and the canonical form {_name(model)}() rewrites the state after a step."
    whys = {each.name: f"a {each.kind.title}, {reason}" for each in steps}
    return replace(model, not_asked={**model.not_asked, **whys})


def _cut(model: BoundModel, reason: str) -> str:
    return f"{reason} in the check of {_name(model)}()"


def _with_note(model: BoundModel, states: int) -> BoundModel:
    name = _name(model)
    note = f"{name}() is the canonical form: it was compared with the state itself in each of {states:,} states that "
    note += f"steps and {name}() lead to in any order, within the bounds."
    return replace(model, notes=(*model.notes, note))


def _name(model: BoundModel) -> str:
    assert model.ir.canonical is not None
    return model.ir.canonical.name


def _check_on_reference(
    model: BoundModel, applied: BoundModel, request: Request
) -> tuple[BoundModel, NotStarted | None]:
    """Compare every state with its form on the reference."""
    stepper, number = ReferenceStepper(model), 0
    with poll_by_timer():
        for state in reachable_states(stepper):
            poll()
            if number == request.limits.states:
                return applied, NotStarted(cut=_cut(model, f"after {number:,} states"))
            number += 1
            if wrong := next(_differences(stepper, state), None):
                raise _error(stepper, state, wrong)
    return _with_note(applied, number), None


def _error_after(model: BoundModel, path: Path, engine: str) -> IsrcheckError:
    """The error that the reference meets at the end of a path; a Disagreement if it meets none."""
    stepper = ReferenceStepper(model)
    for first in stepper.initials:
        try:
            state = states_from(stepper, first, path, _name(model), engine)[-1]
        except Disagreement:
            continue
        if wrong := next(_differences(stepper, state), None):
            return _error(stepper, state, wrong)
    sentence = f"the {engine} engine finds after {len(path)} steps that {_name(model)}() is not a canonical form"
    return Disagreement(f"{sentence}; the reference does not. {FAULT}")


def _error(stepper: ReferenceStepper, state: State, wrong: str) -> ModelError:
    form = stepper.model.ir.canonical
    assert form is not None
    sentence = f"{form.name}() is not a canonical form of the state {_show_state(stepper, state)}: {wrong}."
    return ModelError(form.at, sentence, _REMEDY)


def _show_state(stepper: ReferenceStepper, state: State) -> str:
    return ", ".join(f"{name}={show(value)}" for name, value in stepper.values(state).items())


def _differences(stepper: ReferenceStepper, state: State) -> Iterator[str]:
    """How the state and its canonical form go on, where that is not alike, as phrases. Raises ModelError."""
    own = len(stepper.instances) - 1
    form = _form_of(stepper, state)
    if form is None:
        yield "it puts a variable above its bound"
        return
    what = f"its form {_show_state(stepper, form)}"
    if _form_of(stepper, form) != form:
        yield f"{what} has another form, {_show_state(stepper, _form_of(stepper, form) or form)}"
    here, there = ({i: t for i, t in stepper.steps(s) if i != own} for s in (state, form))
    for instance in sorted(here.keys() ^ there.keys()):
        can = "can" if instance in here else "cannot"
        yield f"{stepper.call(instance)} {can} happen there, and in {what} it {'cannot' if can == 'can' else 'can'}"
    for instance, after in here.items():
        if after is not None and instance in there:
            yield from _of_step(stepper, instance, (state, after), (form, there[instance]), what)
    yield from _of_properties(stepper, state, form, what)


def _form_of(stepper: ReferenceStepper, state: State) -> State | None:
    return stepper.step(state, len(stepper.instances) - 1)


def _of_step(
    stepper: ReferenceStepper, instance: int, step: tuple[State, State], other: tuple[State, State | None], what: str
) -> Iterator[str]:
    call, (state, after), (form, then) = stepper.call(instance), step, other
    if then is None:
        yield f"a bound stops {call} in {what} alone"
        return
    one, two = _form_of(stepper, after), _form_of(stepper, then)
    if one is None or two is None:
        return  # said of that state itself
    if one != two:
        yield f"after {call} its form is {_show_state(stepper, one)}, and from {what} it is {_show_state(stepper, two)}"
    if stepper.model.form.is_of_behaviours and after != state and one == form:
        yield f"{call} changes it and not its form, so that no temporal property could see that it is taken"


def _of_properties(stepper: ReferenceStepper, state: State, form: State, what: str) -> Iterator[str]:
    ir, names = stepper.model.ir, stepper.model.form.properties
    for method in (each for each in ir.properties if each.name in names):
        if stepper.holds(method.name, state) != stepper.holds(method.name, form):
            yield f"{method.name} is not the same there as in {what}"
    for formula in (each for each in ir.temporal if each.name in names):
        if stepper.formula_answers(formula.name, state) != stepper.formula_answers(formula.name, form):
            yield f"what {formula.name} asks is not the same there as in {what}"
