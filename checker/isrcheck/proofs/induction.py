"""A counterexample to an obligation for any size, as a trace of one step."""

from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.subject import State, Subject
from isrcheck.passes import bind
from isrcheck.passes.constants import literal
from isrcheck.proofs.counterexample import Counterexample
from isrcheck.proofs.obligations import Refutable
from isrcheck.run.replay import drawing_of, step_of_state
from isrcheck.run.trace import INDUCTION, Trace, TraceStep, encode
from isrcheck.wrap import first_paragraph

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
