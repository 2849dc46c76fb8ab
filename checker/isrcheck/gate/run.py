"""Cells run in parallel, longest first, within a budget of time; those that do not fit are left out by name."""

import select
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from isrcheck.gate.cells import GateCell
from isrcheck.gate.result import LeftOut, Result
from isrcheck.gate.times import estimate, key, longest_first, record, recorded
from isrcheck.gate.worker import CellProcess

_TELL_SECONDS = 0.2


@dataclass(frozen=True)
class GateTally:
    """How far the runs are."""

    done: int
    cells: int
    running: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Runs:
    """The result of every cell, in the order of the cells; `took` is seconds by the position of a cell."""

    cells: tuple[GateCell, ...]
    results: tuple[Result, ...]
    took: dict[int, float]
    seconds: float
    workers: int
    interrupted: bool


def run_cells(
    cells: Sequence[GateCell],
    workers: int,
    budget: float | None = None,
    tell: Callable[[GateTally], None] = lambda _: None,
) -> Runs:
    """Run every cell that fits into `budget` seconds."""
    return _Scheduler(tuple(cells), workers, budget, tell).run()


class _Scheduler:
    def __init__(
        self, cells: tuple[GateCell, ...], workers: int, budget: float | None, tell: Callable[[GateTally], None]
    ) -> None:
        self._cells = cells
        self._positions = {id(cell): n for n, cell in enumerate(cells)}
        self._workers = workers
        self._budget = budget
        self._tell = tell
        self._began = time.monotonic()
        self._results: dict[int, Result] = {}
        self._took: dict[int, float] = {}
        self._running: list[CellProcess] = []
        self._interrupted = False

    def run(self) -> Runs:
        known = recorded()
        waiting = self._fitting(longest_first(self._cells, known), known)
        try:
            self._run(waiting)
        except KeyboardInterrupt:
            self._interrupted = True
            self._leave_out([*(w.cell for w in self._running), *waiting], "the gate was interrupted")
        finally:
            for worker in self._running:
                worker.kill()
        record({key(self._cells[n]): seconds for n, seconds in self._took.items()})
        results = tuple(self._results[n] for n in range(len(self._cells)))
        return Runs(self._cells, results, self._took, self._seconds, self._workers, self._interrupted)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _fitting(self, ordered: list[GateCell], known: Mapping[str, float]) -> list[GateCell]:
        """The cells that are likely to be done in time, as many as there can be; the others are left out."""
        if self._budget is None:
            return ordered
        left, fitting = self._budget * self._workers, []
        for cell in reversed(ordered):
            needed = estimate(cell, known)
            if needed <= min(left, self._budget):
                left -= needed
                fitting.append(cell)
            else:
                self._leave_out([cell], f"it takes about {needed:,.1f} s, more than is left of the budget")
        return fitting[::-1]

    def _leave_out(self, cells: Sequence[GateCell], why: str) -> None:
        for cell in cells:
            self._results.setdefault(self._positions[id(cell)], LeftOut(why))

    def _run(self, waiting: list[GateCell]) -> None:
        while waiting or self._running:
            if self._budget is not None and self._seconds >= self._budget:
                self._leave_out(waiting, "the budget was spent before it began")
                waiting.clear()
                self._leave_out([w.cell for w in self._running], "the budget was spent before it was done")
                return
            while waiting and len(self._running) < self._workers:
                self._running.append(CellProcess(waiting.pop(0)))
            select.select(self._running, [], [], self._patience())
            self._collect()
            running = tuple(w.cell.title for w in self._running)
            self._tell(GateTally(len(self._results), len(self._cells), running, self._seconds))

    def _patience(self) -> float:
        left = _TELL_SECONDS if self._budget is None else self._budget - self._seconds
        return max(0.0, min(_TELL_SECONDS, left))

    def _collect(self) -> None:
        for process in list(self._running):
            result = process.result()
            if result is not None:
                position = self._positions[id(process.cell)]
                self._took[position], self._results[position] = process.seconds, result
                self._running.remove(process)
