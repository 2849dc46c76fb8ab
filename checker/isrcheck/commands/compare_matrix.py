"""isrcheck compare, as a matrix: the cells that are asked for, checked in parallel, and the form of what was found."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from isrcheck.catalogue import find_model, known_models
from isrcheck.commands.deliver import hand_over, show_document
from isrcheck.commands.options import console
from isrcheck.compare.cell import entry_of, of_grid, plain_run
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.report.entry import Entry
from isrcheck.evidence.report.facts import facts_of
from isrcheck.evidence.report.matrix import is_undecided
from isrcheck.evidence.report.matrix_csv import matrix_csv
from isrcheck.evidence.report.matrix_document import comparison
from isrcheck.gate.cells import GateCell
from isrcheck.gate.cells import cells as gate_cells
from isrcheck.gate.progress import GateProgress
from isrcheck.gate.run import run_cells
from isrcheck.gate.spec import read_gate_spec
from isrcheck.grid.cells import chosen_models, expand
from isrcheck.grid.models import read_grid_model
from isrcheck.grid.spec import Choices, Grid, Spec, read_spec
from isrcheck.run.outcome import worst
from isrcheck.version import __version__

PLACE = "compare"
_LONGEST_RANGE = 1_000

FORMS = ("md", "html", "csv")


def matrix(cells: Sequence[GateCell], workers: int | None, command: str, form: str, output: Path | None) -> int:
    """Checks the cells and shows them: 0 if each has its verdict, whichever; else the worst code of those without."""
    entries = entries_of(cells, workers)
    facts = facts_of(entries, __version__, command, pages=False)
    if form == "csv":
        hand_over(matrix_csv(facts["runs"]), form, output)
    else:
        show_document(comparison(facts, with_command=form == "html"), form, output)
    return exit_code(facts)


def exit_code(facts: dict[str, Any]) -> int:
    """0 if every cell has a verdict; else the worst of the failed runs' codes and 20 for what is undetermined."""
    codes = [run["exit"] for run in facts["runs"] if "failed" in run]
    codes += [20 for run in facts["runs"] if is_undecided(run)]
    return worst(codes)


def entries_of(cells: Sequence[GateCell], workers: int | None) -> list[Entry]:
    """What each cell came to, in their order, each checked in a process of its own.

    Raises KeyboardInterrupt if the user ended it: a part of a matrix is none.
    """
    with GateProgress(console(stderr=True)) as progress:
        runs = run_cells(cells, workers or os.cpu_count() or 1, tell=progress)
    if runs.interrupted:
        raise KeyboardInterrupt
    return [entry_of(cell, result) for cell, result in zip(runs.cells, runs.results, strict=True)]


def cells_of_models(
    patterns: Sequence[str], constants: dict[str, str], properties: Sequence[str], limits: Limits
) -> list[GateCell]:
    """A cell for each model that the patterns name and each choice of the constants that it has.

    A constant may have several values: 2,3 or 1..4. Raises UsageError.
    """
    values = {name: _values(name, text) for name, text in constants.items()}
    return cells_of_grids(Spec((grid_of(patterns, values, properties, limits),), ""))


def grid_of(
    patterns: Sequence[str], constants: Mapping[str, Choices], properties: Sequence[str], limits: Limits
) -> Grid:
    """What the command line asks for, as a grid."""
    return Grid(
        name=PLACE,
        models=tuple(patterns),
        constants=dict(constants),
        properties=tuple(properties) or None,
        limits=limits,
        skip=None,
        frontier=None,
        place=PLACE,
        places=dict.fromkeys(("models", "constants", "properties"), PLACE),
    )


def cells_of_files(files: Sequence[Path]) -> list[GateCell]:
    """Every cell of specs: of the gate's, or grids without expectations. A run that two of them ask for comes once.

    Raises UsageError, with the line, for a spec that is none.
    """
    found: dict[tuple[Any, ...], GateCell] = {}
    for file in files:
        for cell in (
            map(plain_run, gate_cells(read_gate_spec(file))) if _expects(file) else cells_of_grids(read_spec(file))
        ):
            identity = (cell.model, tuple(cell.constants.items()))
            found[identity] = _joined(found.get(identity), cell)
    return list(found.values())


def cells_of_grids(spec: Spec) -> list[GateCell]:
    """The cells of grids. Raises UsageError."""
    variants = {
        grid.place: {name: read_grid_model(name, find_model) for name in chosen_models(grid, known_models())}
        for grid in spec.grids
    }
    cells = list(map(of_grid, expand(spec, variants).cells))
    if not cells:
        raise UsageError("there is nothing to compare: no model has a property that applies with these constants.")
    return cells


def _expects(file: Path) -> bool:
    """Whether a spec is one of the gate. What is wrong with the file is said by whoever reads it whole."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return True
    grids = data.get("grid")
    plain_grids = isinstance(grids, list) and not any(
        {"expect", "rest", "counts", "error"} & set(g) for g in grids if isinstance(g, dict)
    )
    return not (plain_grids and set(data) == {"grid"})


def _joined(one: GateCell | None, two: GateCell) -> GateCell:
    """Two wishes for the same run as one: as the first has it, with the properties of both."""
    if one is None:
        return two
    wanted = dict.fromkeys((*one.properties, *two.properties))
    return replace(one, properties=tuple(wanted), deadlock=one.deadlock or two.deadlock)


def _values(name: str, text: str) -> tuple[str | int, ...]:
    found: list[str | int] = []
    for part in text.split(","):
        low, dots, high = part.partition("..")
        if not dots:
            found.append(part)
            continue
        if not (low.isdigit() and high.isdigit() and 0 <= int(high) - int(low) < _LONGEST_RANGE):
            raise UsageError(f"-c {name}={text} holds no range of numbers: write 1..4.")
        found += range(int(low), int(high) + 1)
    if "" in found:
        raise UsageError(f"-c {name}={text} has an empty value: write NAME=VALUE, or NAME=2,3 for several.")
    return tuple(dict.fromkeys(found))
