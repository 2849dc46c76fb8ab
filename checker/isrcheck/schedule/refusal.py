"""Why a step cannot happen in a state: which guard said no, in the author's own words."""

from collections.abc import Iterable
from dataclasses import dataclass
from traceback import extract_tb

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.lang.declare import NotEnabled
from isrcheck.lang.instance import running, undo
from isrcheck.place import Place, source_lines


@dataclass(frozen=True)
class Refusal:
    """One instance that cannot happen: its call, the condition that is false and where it is written.

    `guard` says so in words where no condition is false and the step would leave a bound.
    """

    call: str
    guard: str
    place: str
    line: int  # of the action's own text: a step refused further down has come nearer

    def __str__(self) -> str:
        return f"{self.guard} ({self.place})" if self.place else self.guard


class Asker(ReferenceStepper):
    """The reference, which also says why not."""

    def nearest_refusal(self, states: Iterable[State], instances: Iterable[int]) -> Refusal | None:
        """The refusal whose guard stands furthest down, among these instances in these states; the first of equals."""
        wanted = sorted(instances)
        found = [no for state in states for i in wanted if (no := self.refusal(state, i)) is not None]
        return max(found, key=lambda no: no.line, default=None)

    def refusal(self, state: State, instance: int) -> Refusal | None:
        """Why an instance cannot happen in a state; None if it can."""
        with running(self.model.sizes):
            loaded = self._load(self._own, state)
            method, arguments = self._calls[instance]
            try:
                method(*arguments)
            except NotEnabled as no:
                return _refused(self.call(instance), no)
            except Exception:  # a bound, or a fault of the model: below, `step` says which
                pass
            finally:
                undo(self._written)
                self._own.__dict__.update(loaded)
        if self.step(state, instance) is not None:
            return None
        return Refusal(self.call(instance), "it would leave the bounds of the constants", "", 1 << 30)


def _refused(call: str, no: NotEnabled) -> Refusal:
    """The refusal of a `require`: the innermost frame is its own, the one before it is the author's."""
    frames = extract_tb(no.__traceback__)
    frame, action = frames[-2], frames[1]
    line, column = frame.lineno or 0, frame.colno or 0
    text = _text(frame.filename, (line, column), (frame.end_lineno or line, frame.end_colno or 0))
    return Refusal(call, text, str(Place(frame.filename, line, column)), action.lineno or 0)


def _text(file: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text of a call between two places, on one line; columns count bytes."""
    lines = [line.encode() for line in source_lines(file)[start[0] - 1 : end[0]]]
    if not lines:
        return "require(...)"
    lines[-1] = lines[-1][: end[1]]
    lines[0] = lines[0][start[1] :]
    return " ".join(b" ".join(lines).decode().split())
