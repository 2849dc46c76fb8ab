"""A model that the explorer shows: its states, steps and drawings."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

from isrcheck.engines.contract import Path
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.why import Answer, AskingStepper, Bound, Guard
from isrcheck.errors import ModelError
from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import Painter, Scene
from isrcheck.evidence.forms.svg import step_svgs
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import literal
from isrcheck.run.replay import action_sentences, drawing_of, step_after, step_of_state
from isrcheck.run.trace import RUN, Trace, TraceStep, encode, show_encoded
from isrcheck.wrap import first_paragraph, plain


@dataclass(frozen=True, eq=False)
class ExploredModel:
    """A model in the explorer, from its initial state or along a trace, with the properties to show."""

    model: BoundModel
    name: str
    properties: tuple[str, ...]
    trace: Path | None = None
    shows: str = ""  # what the trace shows
    follows: Path = ()  # what can follow it
    sign: str = "✗"  # or ✓, if reached
    cycle: tuple[int, str] | None = None  # of a trace without end: the state it returns to, and what it does for ever

    @cached_property
    def stepper(self) -> AskingStepper:
        return AskingStepper(self.model)

    def head(self) -> dict[str, Any]:
        ir = self.model.ir
        stepper = self.stepper
        sentences = action_sentences(self.model)
        return {
            "model": plain(self.name),
            "constants": {plain(n): plain(literal(v)) for n, v in self.model.constants.items()},
            "variables": [plain(n) for n in (*stepper.names, *self._abstract(stepper.initial))],
            "actions": [{"name": plain(n), "sentence": plain(sentences[n])} for n in stepper.actions],
            "instances": [self._instance(position) for position, _ in enumerate(stepper.instances)],
            "properties": [
                {
                    "name": plain(p.name),
                    "kind": p.kind.name,
                    "sentence": plain(first_paragraph(p.doc)),
                    "place": plain(str(p.at)),
                }
                for p in ir.properties
                if p.name in self.properties
            ],
            "trace": None if self.trace is None else list(self.trace),
            "follows": list(self.follows),
            "sign": self.sign,
            "shows": plain(self.shows),
            "loop": self.cycle and self.cycle[0],
            "forever": self.cycle and plain(self.cycle[1]),
        }

    def _instance(self, n: int) -> list[Any]:
        action = self.stepper.action_of[n]
        given = self.stepper.arguments(n)
        named = ", ".join(f"{n}={show(v)}" for n, v in given.items())
        address = ",".join(map(show, given.values()))
        return [action, plain(named), plain(address)]

    def values(self, state: State) -> list[str]:
        values = (*self.stepper.values(state).values(), *self._abstract(state).values())
        return [plain(show_encoded(encode(value))) for value in values]

    def _abstract(self, state: State) -> dict[str, Any]:
        """The variables of the models that it refines, with the models' names."""
        values: dict[str, Any] = {}
        for refined in filter(None, map(self.stepper.refinement, self.properties)):
            values |= {f"{refined.name}.{name}": value for name, value in refined.values(state).items()}
        return values

    def property_status(self, name: str, state: State, before: State | None, instance: int | None) -> str:
        """Return `holds`, `violated`, `met` or `not met`; empty for a step property in the initial state."""
        kind = self.stepper.roles[name].kind
        try:
            if kind.is_of_steps:
                if before is None or instance is None:
                    return ""
                return "holds" if self.stepper.step_holds(name, before, instance, state) else "violated"
            answer = self.stepper.holds(name, state)
        except ModelError as error:
            return error_sentence(error)
        if kind.holds_by_target:
            return "met" if answer else "not met"
        return "holds" if answer else "violated"


def refusals(answers: tuple[Answer, ...]) -> dict[tuple[tuple[str, str], ...], list[int]]:
    """Instances by why they cannot step."""
    grouped: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for n, answer in enumerate(answers):
        if not isinstance(answer, tuple):
            grouped.setdefault(tuple(refusal_of(answer).items()), []).append(n)
    return grouped


def refusal_of(answer: Guard | Bound | ModelError) -> dict[str, str]:
    match answer:
        case Guard():
            texts = {"text": answer.condition, "part": answer.conjunct, "place": str(answer.at)}
            values = ", ".join(f"{name} = {value}" for name, value in answer.values)
            return {name: plain(said) for name, said in {**texts, "values": values}.items()}
        case Bound():
            return {"text": plain(f"would leave the bound of {answer.variable}"), "part": "", "place": ""}
        case ModelError():
            return {"text": error_sentence(answer), "part": "", "place": "", "error": "yes"}


def error_sentence(error: ModelError) -> str:
    return plain(" ".join(f"{error.place}: {error.sentence} {error.remedy}".split()))


@dataclass(frozen=True)
class Visit:
    """A state with its row in a drawing, and the step that led there; in the first `before` and `instance` are None."""

    state: State
    trace_step: TraceStep
    row: SceneRow
    painter: Painter
    before: "Visit | None" = None
    instance: int | None = None

    @property
    def losses(self) -> list[str]:
        return [plain(str(loss)) for loss in self.row.losses]


class Walker:
    """Make visits to the states of one model; `states` are those that may be met."""

    def __init__(self, subject: ExploredModel, states: Iterable[State], start: State | None = None) -> None:
        self.subject = subject
        self._trace_step = cache(partial(step_of_state, subject.stepper))
        start = start or subject.stepper.initial
        first = self._trace_step(start)
        model = subject.model
        self.trace = Trace(
            subject.name,
            {n: encode(v) for n, v in model.constants.items()},
            *("", RUN, "", ""),  # it shows nothing but itself
            steps=(first, *(self._trace_step(state) for state in states)),
            actions=action_sentences(model),
            drawing=drawing_of(model),
        )
        painter = Painter(self.trace)
        row = painter.row(first, None)
        self.start = Visit(start, first, row, painter)

    def onward(self, before: Visit, instance: int, state: State) -> Visit:
        stepper = self.subject.stepper
        origin = before.state, before.trace_step
        trace_step = self._trace_step(state)
        step = step_after(stepper, instance, trace_step, origin)
        painter = before.painter.fork()
        row = painter.row(step, before.trace_step)
        return Visit(state, step, row, painter, before, instance)

    def property_statuses(self, step: Visit) -> list[str]:
        before = step.before.state if step.before else None
        return [self.subject.property_status(n, step.state, before, step.instance) for n in self.subject.properties]

    def pictures(self, rows: Iterable[SceneRow]) -> Iterable[str]:
        return step_svgs(Scene(self.trace, self.start.painter.lanes, tuple(rows)))
