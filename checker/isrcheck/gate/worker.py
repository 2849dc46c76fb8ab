"""A process of its own for each cell, so that whatever happens to it is a result as well.

The process ends with its parent, and is killed if it takes far longer than its search may.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from isrcheck.api import check
from isrcheck.engines.contract import DEADLOCK
from isrcheck.engines.interrupt import SIGNALS
from isrcheck.engines.registry import WITHOUT_GRAPH
from isrcheck.errors import IsrcheckError
from isrcheck.gate.cells import GateCell
from isrcheck.gate.result import Ended, Ran, Result
from isrcheck.own_process import die_with_parent, how_it_ended
from isrcheck.run.outcome import Outcome

SEARCHES = 4  # for what is asked and for the whole graph, each with a look for what is idle
LOOK_SECONDS = 10.0  # of search for what is idle, where a spec asks for nothing else that needs the whole graph
STARTUP_SECONDS = 300.0  # that reading, compiling and replaying may take besides the search


class CellProcess:
    """One cell under way. Wait for `connection`, then take the `result`."""

    def __init__(self, cell: GateCell) -> None:
        context = multiprocessing.get_context("fork")
        self.cell = cell
        self._verdict: Result | None = None  # before the search for vacuity is done
        self.began = time.monotonic()
        self.connection, theirs = context.Pipe(duplex=False)
        held, self._watched = os.pipe()
        self.process = context.Process(target=_in_a_process, args=(cell, theirs, held, self._watched), daemon=True)
        with warnings.catch_warnings():
            # The parent may have threads, a spinner's or a test runner's; the child uses none of their locks.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()
        os.close(held)

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self.began

    @property
    def is_overdue(self) -> bool:
        """Whether it has taken more than its search and all else may."""
        return self.seconds > SEARCHES * (self.cell.limits.seconds or 0) + STARTUP_SECONDS

    def result(self) -> Result | None:
        """What it answered, or why it did not; None where there is a verdict, and the search for vacuity goes on.

        Such a verdict is the result if its process ends without another answer.
        """
        try:
            is_last, answer = pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self.process.join()
            is_last, answer = True, self._verdict or _without_answer(self.process.exitcode)
        if not isinstance(answer, Ran | Ended):
            is_last, answer = True, Ended(70, "a fault of isrcheck: its process answered something else than a result.")
        if not is_last:
            self._verdict = answer
            return None
        self.kill()
        result: Result = answer
        return result

    def overdue(self) -> Result:
        """The result of one that took too long, which is ended."""
        self.kill()
        sentence = f"undetermined: start-up and search were not done after {self.seconds:,.0f} seconds."
        return self._verdict or Ended(20, sentence)

    def kill(self) -> None:
        """End it, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.connection.close()
        if self._watched >= 0:
            os.close(self._watched)
            self._watched = -1


def _without_answer(code: int | None) -> Ended:
    """The result of a process that gave none: nothing of ours ends it, so that the model's file did, or somebody."""
    if code is not None and code >= 0:
        return Ended(75, f"its process {how_it_ended(code)}: a file that is checked may not end the process.")
    return Ended(20, f"undetermined: its process {how_it_ended(code)}.")


def _in_a_process(cell: GateCell, answers: Connection, held: int, watched: int) -> None:
    """The new process: it answers, or dies with whoever waits for the answer."""
    os.close(watched)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # they are for the parent, which ends this one
    threading.Thread(target=die_with_parent, args=(held,), daemon=True).start()

    def send(result: Result, is_last: bool) -> None:
        answers.send_bytes(pickle.dumps((is_last, result)))

    send(result_of(cell, lambda verdict: send(verdict, False)), True)
    answers.close()


def result_of(cell: GateCell, tell: Callable[[Ran], object] = lambda _: None) -> Result:
    """The result of a cell, found in this process. Nothing is raised. `tell` hears a verdict before its vacuity."""
    try:
        return _ran(cell, tell)
    except IsrcheckError as error:
        return Ended(error.exit_code, str(error))
    except MemoryError:
        return Ended(20, "undetermined: there was not enough memory, and no limit of memory ended the search in time.")
    except Exception as error:  # whatever it is, it must not look like a verdict, and the other cells go on
        return Ended(70, f"a fault of isrcheck, no verdict: {type(error).__name__}: {error}")


def _ran(cell: GateCell, tell: Callable[[Ran], object]) -> Ran:
    """The run with what is asked, and another where that one ended before it saw the whole graph, if that is needed."""

    def tell_complete(verdict: Outcome) -> None:
        if verdict.cut is None:
            tell(Ran(verdict, verdict))

    outcome = _check(cell, cell.properties, cell.deadlock, cell.limits.seconds, tell_complete)
    if outcome.cut is None:
        return Ran(outcome, outcome)
    if cell.engine in WITHOUT_GRAPH:
        return Ran(outcome, None)
    needed = bool(cell.counts or cell.never or cell.idle or cell.strict)
    if not (needed or cell.strict is None) or any(p.exit == 20 for p in outcome.properties):
        return Ran(outcome, None)
    # The first search had nothing left to look for before the graph was whole.
    seen = _check(cell, (), False, cell.limits.seconds if needed else _at_most(LOOK_SECONDS, cell.limits.seconds))
    return Ran(outcome, seen) if seen.cut is None else Ran(outcome, None, seen)


def _check(
    cell: GateCell,
    properties: tuple[str, ...],
    deadlock: bool,
    seconds: float | None,
    tell: Callable[[Outcome], object] = lambda _: None,
) -> Outcome:
    options: dict[str, Any] = {"constants": cell.constants, "engine": cell.engine, "symmetry": cell.symmetry}
    limits = cell.limits
    return check(
        cell.model,
        properties=[name for name in properties if name != DEADLOCK],
        deadlock=deadlock,
        vacuity=cell.strict is not False or bool(cell.idle),
        vacuity_seconds=None if cell.strict or cell.idle else LOOK_SECONDS,
        max_states=limits.states,
        max_depth=limits.depth,
        max_seconds=seconds,
        max_memory=limits.memory,
        on_verdict=tell,
        **options,
    )


def _at_most(seconds: float, limit: float | None) -> float:
    return seconds if limit is None else min(seconds, limit)
