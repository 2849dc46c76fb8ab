"""The cells of a comparison, of models or of specs: runs as the gate makes them, and what came of them as entries."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from isrcheck.catalogue import is_pattern, resolve_name
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.report.entry import Failed, ReportedRun, from_outcome, without_folders
from isrcheck.gate.cells import GateCell
from isrcheck.gate.cells import cells as gate_cells
from isrcheck.gate.spec import read_gate_spec
from isrcheck.gate.worker import Ended, LeftOut, Ran, Result
from isrcheck.grid.cells import expand
from isrcheck.grid.spec import Choices, Grid, Spec, read_spec
from isrcheck.ir.frozen import replace
from isrcheck.run.trace import encode_written

_PLACE = "compare"
_LONGEST_RANGE = 1_000
CELL_LIMITS = Limits(seconds=300.0, memory=4 << 30)  # of one cell of the matrix, unless others are asked for
_PICTURED = re.compile(r" +\d* *\| ")  # a line of the model's text below an error, or what underlines it


def grid_of(
    patterns: Sequence[str], constants: Mapping[str, Choices], properties: Sequence[str], limits: Limits
) -> Grid:
    places = dict.fromkeys(("models", "constants", "properties"), _PLACE)
    return Grid(_PLACE, tuple(patterns), constants, limits, _PLACE, places, properties=tuple(properties))


def cell_limits(limits: Limits) -> Limits:
    """The limits of a cell, with those that are asked for in the place of the usual ones."""
    return replace(CELL_LIMITS, **{name: value for name, value in structs.asdict(limits).items() if value is not None})


def cells_of_models(
    patterns: Sequence[str], constants: dict[str, str], properties: Sequence[str], limits: Limits
) -> list[GateCell]:
    """A cell for each model and each choice of the constants that it has, 2,3 or 1..4. Raises UsageError."""
    values = {name: _values(name, choices) for name, choices in constants.items()}
    cells = _expand(Spec((grid_of(patterns, values, properties, limits),), ""))
    decided = {cell.model for cell in cells}
    named = [name for name in patterns if not is_pattern(name)]
    if names := " and ".join(name for name in named if resolve_name(name) not in decided):
        raise UsageError(f"no property that is asked applies to {names} with these constants: leave it out.")
    return cells


def cells_of_files(files: Sequence[Path]) -> list[GateCell]:
    """The cells of specs or grids; equal runs are one, with all their properties. Raises UsageError."""
    cells: dict[object, GateCell] = {}
    for file in files:
        for cell in _plain(file) if _expects(file) else _expand(read_spec(file)):
            identity = (cell.model, tuple(cell.constants.items()), cell.terms.fairness)
            one = cells.get(identity, cell)
            wanted = dict.fromkeys((*one.properties, *cell.properties))
            cells[identity] = replace(one, properties=tuple(wanted), deadlock=one.deadlock or cell.deadlock)
    return _require_properties(cells.values())


def _expand(spec: Spec) -> list[GateCell]:
    return _require_properties(GateCell(**vars(cell), given=tuple(cell.constants)) for cell in expand(spec).cells)


def _require_properties(cells: Iterable[GateCell]) -> list[GateCell]:
    """Require a cell that decides something, or whose model is in error. Raises UsageError."""
    listed = list(cells)
    if not any(cell.properties or cell.deadlock or cell.refusal for cell in listed):
        raise UsageError("there is nothing to compare: no model has a property that applies with these constants.")
    return listed


def _plain(file: Path) -> list[GateCell]:
    """The cells of a spec, without its expectations."""
    nothing: dict[str, Any] = {"never": (), "vacuous": (), "strict": False, "error": None, "says": ""}
    cells = gate_cells(read_gate_spec(file))
    return [replace(cell, expect={}, counts={}, terms=replace(cell.terms, **nothing)) for cell in cells]


def _expects(file: Path) -> bool:
    """Whether a spec is one of the gate; what is wrong with it is said by who reads it whole."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return True
    grids = data.get("grid")
    plain_grids = isinstance(grids, list) and not any(
        {"expect", "rest", "counts", "error"} & set(g) for g in grids if isinstance(g, dict)
    )
    return not (plain_grids and set(data) == {"grid"})


def _values(name: str, written: str) -> tuple[str | int, ...]:
    values: list[str | int] = []
    for choice in written.split(","):
        low, to, high = choice.partition("..")
        if not to:
            values.append(choice)
            continue
        if not (low.isdigit() and high.isdigit() and 0 <= int(high) - int(low) < _LONGEST_RANGE):
            raise UsageError(f"-c {name}={written} holds no range of numbers: write 1..4.")
        values += range(int(low), int(high) + 1)
    if "" in values:
        raise UsageError(f"-c {name}={written} has an empty value: write NAME=VALUE, or NAME=2,3 for several.")
    return tuple(dict.fromkeys(values))


def with_vacuity(cells: Iterable[GateCell]) -> list[GateCell]:
    """The cells, each with a search for vacuity that goes to its end."""
    return [replace(cell, terms=replace(cell.terms, strict=True)) for cell in cells]


def report_of(cell: GateCell, result: Result, with_traces: bool = False) -> ReportedRun:
    """The report of a run. Raises UsageError for a run that wrong usage ended."""
    match result:
        case Ran(outcome=outcome):
            run = from_outcome(outcome)
            return run if with_traces else replace(run, traces={})
        case Ended(exit=2, sentence=sentence):
            raise UsageError(sentence)
        case Ended():
            return _failure(cell, result.exit, result.sentence)
        case LeftOut(why=why):
            return _failure(cell, 20, f"left out: {why}.")


def _failure(cell: GateCell, code: int, sentence: str) -> Failed:
    constants = {name: encode_written(value) for name, value in cell.constants.items()}
    said = " ".join(line for line in sentence.splitlines() if not _PICTURED.match(line))
    return Failed(cell.model, constants, code, without_folders(said))
