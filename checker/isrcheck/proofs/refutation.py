"""Refutations, by searches of small instances, of properties and lemmas that are to be proved for any size.

A counterexample to an obligation is a trace of one step.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from isrcheck.engines.contract import FoundFault, Limits, Request
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.engines.registry import engine
from isrcheck.errors import AssumptionFalse, ModelError
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.subject import State, Subject
from isrcheck.passes import bind
from isrcheck.passes.constants import literal
from isrcheck.process.budget import phase
from isrcheck.proofs.counterexample import Counterexample
from isrcheck.proofs.obligations import Refutable
from isrcheck.run.replay import drawing_of, replay, replay_fault, step_of_state
from isrcheck.run.trace import INDUCTION, Trace, TraceStep, encode
from isrcheck.wrap import first_paragraph

AT_ONCE = Limits(states=2_000)  # before a proof: half a second with KIP-320's thirty lemmas
FIRST = Limits(states=200_000, seconds=20.0)  # once no solver refutes an obligation at once
THOROUGH = Limits(states=200_000, seconds=10.0)  # of each instance, where a proof does not go through


def violations(
    ir: ModelIR, names: Sequence[str], choices: Iterable[Mapping[str, Any]], limits: Limits, model_name: str
) -> dict[str, Trace]:
    """The violations by name, shortest first, in the first instance that has any. Raises OutOfBudget."""
    engine_name = _engine_for(limits)
    for constants in choices:
        phase("searching small instances")
        with suppress(FoundFault, ModelError):  # that a text goes wrong is an obligation of its own
            model = bind(ir.with_lemmas(names), dict(constants), slots=False)
            asked = tuple(p.name for p in model.properties if p.name in names)
            search = engine(engine_name).search(model, Request(properties=asked, limits=limits))
            if search.interrupted:
                raise KeyboardInterrupt
            paths = sorted(search.paths.items(), key=lambda pair: len(pair[1]))
            if paths:
                return {name: replay(model, name, path, model_name, engine_name) for name, path in paths}
    return {}


def refuse_reached_fault(ir: ModelIR, names: Sequence[str], constants: Mapping[str, Any], limits: Limits) -> None:
    """Refuse a model of which a search with these constants meets an error, as `check` does. Raises ModelError.

    Constants with which the model cannot be searched refuse nothing: others are proved of.
    """
    phase("searching small instances")
    engine_name = _engine_for(limits)
    try:
        model = bind(ir, dict(constants), slots=False)
    except (AssumptionFalse, ModelError):
        return
    request = Request(properties=tuple(p.name for p in model.properties if p.name in names), limits=limits)
    try:
        searched = engine(engine_name).search(model, request)
    except FoundFault as fault:
        raise replay_fault(model, fault, engine_name) from None
    except ModelError:
        engine("reference").search(model, request)  # raises in the words of the author's text
        raise
    if searched.interrupted:
        raise KeyboardInterrupt


def _engine_for(limits: Limits) -> str:
    return "evaluator" if limits is AT_ONCE else "native"


def refutation(trace: Trace, is_lemma: bool) -> str:
    """Say which obligation the last step of a trace shows to be false."""
    action, name = trace.steps[-1].action, trace.name
    if is_lemma:
        obligation = f"keep {name} by {action}" if action else f"start {name}"
    else:
        obligation = f"{name} by {action}" if action else f"{name} initially"
    sizes = ", ".join(f"{constant}={literal(value)}" for constant, value in trace.constants.items())
    count = len(trace.steps) - 1
    after = f"after {count} step{'s' if count > 1 else ''}" if count else "in the initial state"
    return f"the obligation {obligation!r} is false: search finds that {name} is violated {after} with {sizes}"


FAULT = "that the text of every action has a meaning"


def induction_trace(ir: ModelIR, example: Counterexample, broken: Refutable, model_name: str) -> Trace:
    """The state before, and the step and the state after unless the text goes wrong; of a start the initial state."""
    subject = example.subject
    reference = ReferenceStepper(bind(ir, subject.constants, slots=False))
    steps = [_show_state(reference, subject, example.before)]
    if example.position is not None and example.after is not None:
        arguments = {name: encode(value) for name, value in subject.arguments(example.position).items()}
        after = _show_state(reference, subject, example.after)
        steps.append(replace(after, action=broken.by, arguments=arguments))
    method = next((m for m in (*ir.properties, *ir.lemmas) if m.name == broken.of), None)
    return Trace(
        model=model_name,
        constants={name: encode(value) for name, value in subject.constants.items()},
        name=broken.of or FAULT,
        kind=INVARIANT if example.position is None else INDUCTION,
        sentence=_sentence(example, method),
        place=str(method.at) if method else "",
        steps=tuple(steps),
        actions={a.name: first_paragraph(a.doc) for a in ir.actions if a.name in {step.action for step in steps}},
        drawing=drawing_of(reference.model),
    )


def _sentence(example: Counterexample, method: Method | None) -> str:
    subject = example.subject
    sizes = ", ".join(f"{name}={literal(value)}" for name, value in subject.constants.items())
    if example.position is None:
        return f"{first_paragraph(method.doc) if method else ''} False initially with {sizes}."
    call = subject.call(example.position).partition(" ")[2]
    what = first_paragraph(method.doc) if method else f"The text of {call} goes wrong in this state."
    return f"{what} A counterexample to induction with {sizes}: its first state is not known to be reachable."


def _show_state(reference: ReferenceStepper, subject: Subject, state: State) -> TraceStep:
    """A state in the model's values, with what a drawing asks of it."""
    with with_sort_sizes(subject.sizes):
        return step_of_state(reference, reference.state_of(vars(subject.load(state))))
