"""A state as it looks to somebody who has come there by some way: its drawing, and what was lost on the way."""

from collections.abc import Iterable
from dataclasses import dataclass

from isrcheck.engines.reference import State
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import Painter, Scene
from isrcheck.evidence.forms.svg import step_svgs
from isrcheck.run.replay import action_sentences, drawing_of, taken, told
from isrcheck.run.trace import RUN, Trace, TraceStep, encode
from isrcheck.wrap import plain


@dataclass(frozen=True)
class Footstep:
    """A state, the step that led there, and the painter that remembers what was committed before."""

    state: State
    told: TraceStep
    row: SceneRow
    painter: Painter
    before: "Footstep | None" = None

    @property
    def losses(self) -> list[str]:
        """A sentence for each record that is lost here."""
        return [plain(str(loss)) for loss in self.row.losses]


class Walker:
    """Makes footsteps in one model. `states` are those that may be met, as far as they are known beforehand."""

    def __init__(self, subject: ExploredModel, states: Iterable[State] = ()) -> None:
        self.subject = subject
        self.known: dict[State, TraceStep] = {}
        first = self._told(subject.stepper.initial)
        model = subject.model
        self.trace = Trace(
            model=subject.name,
            constants={n: encode(v) for n, v in model.constants.items()},
            name="",
            kind=RUN,
            sentence="",
            place="",
            steps=(first, *(self._told(state) for state in states)),
            actions=action_sentences(model),
            drawing=drawing_of(model),
        )
        painter = Painter(self.trace)
        self.start = Footstep(subject.stepper.initial, first, painter.row(first, None), painter)

    def _told(self, state: State) -> TraceStep:
        if state not in self.known:
            self.known[state] = told(self.subject.stepper, None, state)
        return self.known[state]

    def onward(self, before: Footstep, instance: int, state: State) -> Footstep:
        """The footstep after one, by an instance that leads to this state."""
        step = taken(self.subject.stepper, instance, self._told(state), (before.state, before.told))
        painter = before.painter.fork()
        return Footstep(state, step, painter.row(step, before.told), painter, before)

    def pictures(self, rows: Iterable[SceneRow]) -> Iterable[str]:
        """The drawing of each row, all of one size."""
        lanes = self.start.painter.lanes
        return step_svgs(Scene("", "", "", self.subject.name, "", "", False, lanes, tuple(rows), (), ""))
