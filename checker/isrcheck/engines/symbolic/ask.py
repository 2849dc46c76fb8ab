"""Asking z3 with a clock: a question ends at an answer, at the time limit, or at Ctrl-C."""

import time
from collections.abc import Callable

import z3

from isrcheck.budget import current
from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.interrupt import StopRequest, run_in_background


def make_solver() -> z3.Solver:
    """A fresh solver for bit-vectors, which leaves Ctrl-C to Python: z3's own handler would hide it."""
    solver = z3.SolverFor("QF_BV")
    solver.set("ctrl_c", False)
    return solver


class SearchClock:
    """The time that a search may take in all, and the user's stop request.

    `tick` hears the depth and the seconds so far while z3 thinks.
    """

    def __init__(self, seconds: float | None, tick: Callable[[int, float], None] = lambda _, __: None) -> None:
        self.seconds, self.tick = seconds, tick
        self.depth = 0  # of the search that asks
        self.started = time.monotonic()
        self.stop = StopRequest()

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    def look(self) -> None:
        """Raises Stopped if the time is up or the user wants to end."""
        if self.stop.requested:
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
        answer = check_aside(solver, self._heed)
        if answer == z3.unknown:
            self.look()
            raise Stopped(f"because z3 answered unknown ({solver.reason_unknown()})")
        return bool(answer == z3.sat)

    def _heed(self) -> None:
        self.look()
        self.tick(self.depth, self.elapsed)


def check_aside(solver: z3.Solver, poll: Callable[[], object] = lambda: None) -> z3.CheckSatResult:
    """What a solver says. Signals are heard meanwhile; what they or `poll` raise ends it."""
    return run_in_background(solver.check, poll, solver.interrupt)
