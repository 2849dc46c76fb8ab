"""A process of its own for each cell: whatever happens to it is a result."""

import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrcheck.api import check
from isrcheck.engines.contract import DEADLOCK, Options
from isrcheck.engines.registry import WITHOUT_GRAPH
from isrcheck.errors import IsrcheckError
from isrcheck.gate.cells import GateCell
from isrcheck.ir.frozen import replace
from isrcheck.process.supervised import Channel, how_it_ended, start
from isrcheck.run.outcome import Outcome

SEARCHES = 4  # the asked and the whole, with vacuity
LOOK_SECONDS = 10.0  # where nothing else needs the whole graph
STARTUP_SECONDS = 300.0  # for reading, compiling and replaying


@dataclass(frozen=True)
class Ended:
    """An error instead of a verdict."""

    exit: int  # of `check`; 20: worker lost
    sentence: str


@dataclass(frozen=True)
class Ran:
    """An outcome; `complete` is the one that saw every state, where that needs a search of its own."""

    outcome: Outcome
    complete: Outcome | None  # saw every state
    partial: Outcome | None = None  # was cut

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(each for each in (self.outcome, self.complete, self.partial) if each is not None)


@dataclass(frozen=True)
class LeftOut:
    why: str  # a phrase


Result = Ran | Ended | LeftOut


class CellProcess:
    """One cell under way. Wait for it with select, then take the `result`."""

    def __init__(self, cell: GateCell) -> None:
        self.cell = cell
        self._began = time.monotonic()
        self._verdict: Result | None = None  # before vacuity
        self._child = start(lambda channel: _answer(cell, channel))

    def fileno(self) -> int:
        return self._child.fileno()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def result(self) -> Result | None:
        """The answer of the process, or why it gave none; None as long as it runs."""
        is_over = self._child.code() is not None
        for message in self._child.messages():
            is_last, answer = _read(message)
            if is_last:
                self.kill()
                return answer
            self._verdict = answer
        if is_over or self._child.is_silent:
            return self._verdict or _without_answer(self._child.kill())
        if self.seconds > SEARCHES * (self.cell.limits.seconds or 0) + STARTUP_SECONDS:
            self.kill()
            sentence = f"undetermined: start-up and search were not done after {self.seconds:,.0f} seconds."
            return self._verdict or Ended(20, sentence)
        return None

    def kill(self) -> None:
        self._child.kill()


def _read(message: bytes) -> tuple[bool, Result]:
    try:
        is_last, answer = pickle.loads(message)
    except Exception:  # whatever the bytes are, or ask for
        is_last, answer = True, None
    if not isinstance(answer, Ran | Ended):
        return True, Ended(70, "a fault of isrcheck: its process answered something else than a result.")
    return is_last, answer


def _without_answer(code: int) -> Ended:
    """The result of a process that ended without an answer: the model's file ended it, or somebody killed it."""
    if code >= 0:
        return Ended(75, f"its process {how_it_ended(code)}: a file that is checked may not end the process.")
    return Ended(20, f"undetermined: its process {how_it_ended(code)}.")


def _answer(cell: GateCell, channel: Channel) -> None:

    def say(is_last: bool, result: Result) -> None:
        try:
            message = pickle.dumps((is_last, result))
        except Exception as error:  # the model's file is not to blame for what we cannot send
            message = pickle.dumps((True, _fault(error)))
        channel.say(message)

    say(True, result_of(cell, lambda verdict: say(False, verdict)))


def _fault(error: Exception) -> Ended:
    return Ended(70, f"a fault of isrcheck, no verdict: {type(error).__name__}: {error}")


def result_of(cell: GateCell, tell: Callable[[Ran], object] = lambda _: None) -> Result:
    """The result of a cell, found in this process. `tell` hears a verdict before its vacuity."""
    try:
        return _ran(cell, tell)
    except IsrcheckError as error:
        return Ended(error.exit_code, str(error))
    except MemoryError:
        return Ended(20, "undetermined: there was not enough memory, and no limit of memory ended the search in time.")
    except Exception as error:  # whatever it is, it must not look like a verdict, and the other cells go on
        return _fault(error)


def _ran(cell: GateCell, tell: Callable[[Ran], object]) -> Ran:
    """The run with what is asked, and another where the whole graph is needed and was not seen."""
    terms = cell.terms
    seconds = cell.limits.seconds

    def tell_complete(verdict: Outcome) -> None:
        if verdict.cut is None:
            tell(Ran(verdict, verdict))

    asked = [name for name in cell.properties if name != DEADLOCK]
    outcome = _check(cell, properties=asked, deadlock=cell.deadlock, on_verdict=tell_complete)
    if outcome.cut is None:
        return Ran(outcome, outcome)
    needed = bool(cell.counts or terms.never or terms.vacuous or terms.strict)
    is_looked = needed or terms.strict is None
    if cell.engine in WITHOUT_GRAPH or not is_looked or any(p.exit == 20 for p in outcome.properties):
        return Ran(outcome, None)
    if not needed:
        seconds = LOOK_SECONDS if seconds is None else min(LOOK_SECONDS, seconds)
    # The first search had nothing left to look for before the graph was whole.
    search = _check(replace(cell, limits=replace(cell.limits, seconds=seconds)), properties=[])
    return Ran(outcome, search) if search.cut is None else Ran(outcome, None, search)


def _check(cell: GateCell, deadlock: bool = False, **options: Any) -> Outcome:
    terms = cell.terms
    return check(
        cell.model,
        engine=cell.engine,
        limits=cell.limits,
        options=Options(deadlock=deadlock, symmetry=terms.symmetry, fairness=terms.fairness),
        vacuity=True if terms.strict or terms.vacuous else LOOK_SECONDS if terms.strict is None else False,
        controller_jars=Path(terms.controller_jars) if terms.controller_jars else None,
        controller_release=terms.controller_release or None,
        constants=cell.constants,
        progress=lambda _: None,  # who waits for this process shows how many are done
        **options,
    )
