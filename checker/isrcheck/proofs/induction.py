"""A counterexample to an obligation for any size, as a trace of one step."""

from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.lang.drawing import Drawing
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.subject import State
from isrcheck.passes import bind
from isrcheck.passes.constants import literal
from isrcheck.proofs.counterexample import Counterexample
from isrcheck.proofs.obligations import Refutable
from isrcheck.run.trace import INDUCTION, Trace, TraceStep, encode
from isrcheck.wrap import first_paragraph

FAULT = "that the text of every action has a meaning"


def induction_trace(ir: ModelIR, example: Counterexample, broken: Refutable, model_name: str) -> Trace:
    """The state before, and the step and the state after unless the text goes wrong; of a start the initial state."""
    teller, subject = _ShownStates(ir, example), example.subject
    steps = [teller.step(example.before)]
    if example.position is not None and example.after is not None:
        arguments = {name: encode(value) for name, value in subject.arguments(example.position).items()}
        steps.append(teller.step(example.after, broken.by, arguments))
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
        drawing=teller.drawing,
    )


def _sentence(example: Counterexample, method: Method | None) -> str:
    subject = example.subject
    sizes = ", ".join(f"{name}={literal(value)}" for name, value in subject.constants.items())
    if example.position is None:
        return f"{first_paragraph(method.doc) if method else ''} False initially with {sizes}."
    call = subject.call(example.position).partition(" ")[2]
    what = first_paragraph(method.doc) if method else f"The text of {call} goes wrong in this state."
    return f"{what} A counterexample to induction with {sizes}: its first state is not known to be reachable."


class _ShownStates:
    """States in the model's values, with what a drawing asks of them."""

    def __init__(self, ir: ModelIR, example: Counterexample) -> None:
        self.subject = example.subject
        self.reference = ReferenceStepper(bind(ir, example.subject.constants, slots=False))
        self.drawing: Drawing | None = getattr(ir.cls, "drawing", None)
        self.asked = [name for name in (self.drawing.names() if self.drawing else ()) if name in ir.helpers]

    def step(self, state: State, action: str = "", arguments: dict[str, object] | None = None) -> TraceStep:
        with with_sort_sizes(self.subject.sizes):
            values = vars(self.subject.load(state))
            shown = {name: encode(values[name]) for name in self.subject.domains}
            frozen = self.reference.state_of(values)
        answers = {name: encode(self.reference.ask(name, frozen)) for name in self.asked}
        return TraceStep(action, dict(arguments or {}), shown, answers)
