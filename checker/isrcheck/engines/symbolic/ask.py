"""Asking z3 with a clock: a question ends at an answer, at the time limit, or at Ctrl-C."""

import threading
import time
from collections.abc import Callable

import z3

from isrcheck.budget import current
from isrcheck.engines.interrupt import Wish

SECONDS_BETWEEN_LOOKS = 0.2


class Stopped(Exception):
    """A search ends before it was through; `reason` is a phrase, as in `Exploration.cut`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def make_solver() -> z3.Solver:
    """A fresh solver for bit-vectors, which leaves Ctrl-C to Python: z3's own handler would keep it from `Wish`."""
    solver = z3.SolverFor("QF_BV")
    solver.set("ctrl_c", False)
    return solver


class Clock:
    """The time that a search may take in all, and the user's wish to end it.

    `tick` hears the depth and the seconds so far while z3 thinks.
    """

    def __init__(self, seconds: float | None, tick: Callable[[int, float], None] = lambda _, __: None) -> None:
        self.seconds, self.tick = seconds, tick
        self.depth = 0  # of the search that asks
        self.started = time.monotonic()
        self.wish = Wish()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def look(self) -> None:
        """Raises Stopped if the time is up or the user wants to end."""
        if self.wish.made:
            raise Stopped("by the user")
        if self.seconds is not None and self.elapsed >= self.seconds:
            raise Stopped(f"after {self.seconds:g} seconds")
        over = current().reason()
        if over is not None:
            raise Stopped(over)

    def satisfiable(self, solver: z3.Solver) -> bool:
        """Whether what was added to a solver can be. Raises Stopped, also where z3 says `unknown`.

        z3 works in a thread of its own, so that this one hears signals; it is told to stop and waited for.
        """
        self.look()
        answer: list[z3.CheckSatResult] = []
        failure: list[BaseException] = []

        def work() -> None:
            try:
                answer.append(solver.check())
            except BaseException as error:
                failure.append(error)

        thread = threading.Thread(target=work, name="z3", daemon=True)
        thread.start()
        try:
            self._wait(thread)
        except BaseException:
            while thread.is_alive():
                solver.interrupt()
                thread.join(SECONDS_BETWEEN_LOOKS)
            raise
        if failure:
            raise failure[0]
        if answer[0] == z3.unknown:
            self.look()
            raise Stopped(f"because z3 answered unknown ({solver.reason_unknown()})")
        return bool(answer[0] == z3.sat)

    def _wait(self, thread: threading.Thread) -> None:
        thread.join(0.002)
        while thread.is_alive():
            thread.join(SECONDS_BETWEEN_LOOKS)
            if thread.is_alive():
                self.look()
                self.tick(self.depth, self.elapsed)
