"""Cells run in parallel, longest first; those that do not fit a budget of time are left out by name."""

import json
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.gate.cells import GateCell
from isrcheck.gate.worker import CellProcess, LeftOut, Result
from isrcheck.grid.cells import guess_seconds
from isrcheck.user_cache import user_cache

_TELL_SECONDS = 0.2
_MOST = 20_000  # cells remembered
_FAST = ("native", "gpu")
_SLOWER = 100.0  # the other engines


@dataclass(frozen=True)
class Runs:
    cells: tuple[GateCell, ...]
    results: tuple[Result, ...]
    took: dict[int, float]  # s, by position
    seconds: float
    workers: int
    interrupted: bool


class GateRunner:
    def __init__(
        self,
        cells: Sequence[GateCell],
        workers: int,
        budget: float | None = None,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._cells = tuple(cells)
        self._positions = {id(cell): n for n, cell in enumerate(cells)}
        self._workers = workers
        self._budget = budget
        self._tell = tell
        self._began = time.monotonic()
        self._results: dict[int, Result] = {}
        self._took: dict[int, float] = {}
        self._running: list[CellProcess] = []

    def run(self) -> Runs:
        known = read_times()
        waiting = self._select_by_budget(longest_first(self._cells, known), known)
        interrupted = False
        try:
            self._run(waiting)
        except KeyboardInterrupt:
            interrupted = True
            self._leave_out(self._cells, "the run was interrupted")  # one may be neither waiting nor running yet
        finally:
            for worker in self._running:
                worker.kill()
        _record({key(self._cells[n]): seconds for n, seconds in self._took.items()})
        results = tuple(self._results[n] for n in range(len(self._cells)))
        return Runs(self._cells, results, self._took, self._seconds, self._workers, interrupted)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _select_by_budget(self, ordered: list[GateCell], known: Mapping[str, float]) -> list[GateCell]:
        """The cells that are likely to be done in time, as many as there can be."""
        if self._budget is None:
            return ordered
        left = self._budget * self._workers
        fitting = []
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
            patience = _TELL_SECONDS
            if self._budget is not None:
                patience = min(patience, self._budget - self._seconds)
            if patience <= 0:
                self._leave_out(waiting, "the budget was spent before it began")
                waiting.clear()
                self._leave_out([w.cell for w in self._running], "the budget was spent before it was done")
                return
            while len(self._running) < self._workers and (following := self._next(waiting)) is not None:
                self._running.append(CellProcess(waiting.pop(following)))
            select.select(self._running, [], [], patience)
            for process in list(self._running):
                self._collect(process)
            oldest = f", {self._running[0].cell.title}" if self._running else ""
            self._tell(f"{len(self._results):,} of {len(self._cells):,} runs, {self._seconds:.0f} s{oldest}")

    def _next(self, waiting: Sequence[GateCell]) -> int | None:
        """The place of the next cell that may begin: on a GPU one at a time, for each takes all its memory."""
        is_free = all(process.cell.engine != "gpu" for process in self._running)
        return next((place for place, cell in enumerate(waiting) if is_free or cell.engine != "gpu"), None)

    def _collect(self, process: CellProcess) -> None:
        result = process.result()
        if result is not None:
            position = self._positions[id(process.cell)]
            self._took[position], self._results[position] = process.seconds, result
            self._running.remove(process)


def key(cell: GateCell) -> str:
    return f"{cell.name} {cell.engine}{' symmetry' if cell.terms.symmetry else ''} {','.join(cell.properties)}"


def times_file() -> Path:
    return user_cache().path / "gate-times.json"


def read_times() -> dict[str, float]:
    """Seconds by key; none where the file is missing or damaged."""
    try:
        data = json.loads(times_file().read_text(encoding="utf-8"))
        return {str(k): float(v) for k, v in data.items() if isinstance(v, int | float) and 0 <= v < 1e7}
    except (OSError, ValueError, RecursionError, AttributeError):
        return {}


def _record(times: Mapping[str, float]) -> None:
    """Adds these times to those that are kept, if that can be written."""
    kept = {**read_times(), **{name: round(seconds, 3) for name, seconds in times.items()}}
    with suppress(UsageError):
        write_aside(times_file(), json.dumps(dict(list(kept.items())[-_MOST:]), indent=0))


def estimate(cell: GateCell, known: Mapping[str, float]) -> float:
    """Seconds that a cell is likely to take: those of the last time, else a guess."""
    if key(cell) in known:
        return known[key(cell)]
    return guess_seconds(cell, 1.0 if cell.engine in _FAST else _SLOWER)


def longest_first(cells: Sequence[GateCell], known: Mapping[str, float]) -> list[GateCell]:
    return sorted(cells, key=lambda cell: -estimate(cell, known))
