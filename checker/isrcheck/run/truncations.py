"""Why a step cuts a log: said by the model's drawing, with what the model's own methods answer before the step."""

import re

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.lang.drawing import Cells, Drawing, Truncation
from isrcheck.run.phrases import filled
from isrcheck.run.trace import TraceStep, encode, shown
from isrcheck.run.values import at_lane


def truncation_of(
    stepper: ReferenceStepper, drawing: Drawing, before: tuple[State, TraceStep], instance: int, after: TraceStep
) -> str:
    """The lane whose log a step made shorter and what it was cut to, as "r1 truncates to ...", or nothing.

    Raises ModelError if a method that is asked has no answer.
    """
    state, step = before
    arguments = stepper.arguments(instance)
    for word in (w for w in drawing.words if isinstance(w, Truncation) and w.action == after.action):
        lane = shown(after.arguments.get(word.lane, word.lane))
        if not _is_shorter(drawing, lane, step, after):
            continue
        if word.given and not stepper.ask(word.given, state, **arguments):
            continue
        text = word.text or _reason(stepper.model.ir.helpers[word.policy].doc)
        for name in re.findall(r"\{(\w+)\}", text):
            if name in stepper.model.ir.helpers and name not in arguments:
                text = text.replace(f"{{{name}}}", shown(encode(stepper.ask(name, state, **arguments))))
        end = f": {shown(encode(stepper.ask(word.policy, state, **arguments)))}" if word.policy else ""
        return f"{lane} truncates to {filled(text, after, step, ())}{end}"
    return ""


def _is_shorter(drawing: Drawing, lane: str, before: TraceStep, after: TraceStep) -> bool:
    return any(
        _length(word, lane, after) < _length(word, lane, before) for word in drawing.words if isinstance(word, Cells)
    )


def _length(word: Cells, lane: str, step: TraceStep) -> int:
    log = at_lane(word, lane, step)
    return log if isinstance(log, int) else len(log) if isinstance(log, list) else 0


def _reason(doc: str) -> str:
    """The first sentence of a policy, to stand within another."""
    text = " ".join(doc.split("\n\n")[0].split()).removesuffix(".")
    return text[:1].lower() + text[1:]
