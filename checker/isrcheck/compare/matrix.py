"""The matrix of models by properties by constants, from Python."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.compare.cells import CELL_LIMITS, cells_of_models, report_of
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError, quantity
from isrcheck.evidence.notebook import runs_table
from isrcheck.evidence.progress import cell_line
from isrcheck.evidence.report.entry import ReportedRun
from isrcheck.evidence.report.facts import facts_of
from isrcheck.evidence.report.matrix import comparison, summary
from isrcheck.evidence.writers.html import fragment_of
from isrcheck.gate.cells import GateCell
from isrcheck.gate.run import GateRunner, Runs
from isrcheck.gate.worker import Ran
from isrcheck.run.displayed import Columns
from isrcheck.run.invocation import line
from isrcheck.version import __version__


@dataclass(frozen=True, repr=False)
class Matrix:
    """Outcomes of runs, side by side; `runs` are those of a report's facts (isrcheck.report/3)."""

    runs: tuple[dict[str, Any], ...]
    command: str  # the line that makes them again

    def table(self) -> Columns:
        """A row for each property of each run: columns that pandas, polars and pyarrow take as they are."""
        return runs_table(self.runs)

    def __repr__(self) -> str:
        return f"<Matrix of {quantity(len(self.runs), 'run')}: {summary(self.runs).rstrip('.')}>"

    def _repr_html_(self) -> str:
        return fragment_of(comparison({"runs": self.runs, "version": __version__, "command": self.command}))


def matrix(
    models: str | Iterable[str],
    *,
    properties: Iterable[str] = (),
    limits: Limits = CELL_LIMITS,
    workers: int | None = None,
    progress: Callable[[str], object] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> Matrix:
    """Decide every combination of models and constants, each in a process of its own, `workers` at a time.

    `models` are names, patterns such as "isr-*", or FILE.py:Class; a constant is a value or several, as [2, 3] or
    "1..4", for each model that has it. Without `properties` all that apply are decided. `limits` are those of one run,
    300 seconds and 4 GiB unless others are given. `progress` hears a line now and then. Raises UsageError.
    """
    patterns = (models,) if isinstance(models, str) else tuple(models)
    words = {name: _choices(name, value) for name, value in {**(constants or {}), **more_constants}.items()}
    names = tuple(properties)
    with cell_line(progress) as tell:
        runs = run_cells(cells_of_models(patterns, words, names, limits), workers, tell)
    if runs.interrupted:
        raise KeyboardInterrupt
    command = line("compare", *patterns, c=[f"{name}={choice}" for name, choice in words.items()], property=names)
    return Matrix(tuple(facts_of(reports_of(runs), __version__, command)["runs"]), command)


def run_cells(cells: Sequence[GateCell], workers: int | None, tell: Callable[[str], object]) -> Runs:
    """Run the cells, `workers` at a time. Raises KeyboardInterrupt if it was interrupted before one had ended."""
    runs = GateRunner(cells, workers or os.cpu_count() or 1, tell=tell).run()
    if runs.interrupted and not any(isinstance(result, Ran) for result in runs.results):
        raise KeyboardInterrupt
    return runs


def reports_of(runs: Runs, with_traces: bool = False) -> list[ReportedRun]:
    """Return the report of each run, of one that an interrupt left out, too. Raises UsageError."""
    return [report_of(cell, result, with_traces) for cell, result in zip(runs.cells, runs.results, strict=True)]


def _choices(name: str, value: Any) -> str:
    """Write the choices of a constant as a person does behind -c NAME=."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, Iterable):
        return ",".join(_choices(name, each) for each in value)
    raise UsageError(f"{name}={value!r} is not a constant: give a number, a name, true or false, or a list of these.")
