"""Cells: a spec's grids written out, each model with the constants that it has."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

from isrcheck.catalogue import folded
from isrcheck.engines.contract import Limits
from isrcheck.errors import AssumptionFalse, ModelError, UsageError, nearest
from isrcheck.grid.expression import Missing, SpecExpression, Value
from isrcheck.grid.models import GridModel
from isrcheck.grid.spec import Grid, Spec
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import BOOL, IntDomain
from isrcheck.ir.nodes import ConstantIR
from isrcheck.passes.bind import bind
from isrcheck.passes.constants import choose_constants, word

MOST_CELLS = 100_000


@dataclass(frozen=True)
class GridCell:
    """One run to make. `constants` are all of the model's, as they are written on the command line.

    `bits` are those of a packed state, None where there is none to speak of: `refused` then says why the run can have
    no verdict, and with which exit code.
    """

    grid: str
    model: str
    constants: dict[str, str]
    properties: tuple[str, ...]
    limits: Limits
    bits: int | None = None
    refused: tuple[int, str] | None = None


@dataclass(frozen=True)
class Expansion:
    """The cells in the order of the spec, each once; those left out by a condition, and those with nothing to decide.

    `dimensions` has, by model, the names of the constants in which frontiers are sought.
    """

    cells: tuple[GridCell, ...]
    skipped: int
    without_properties: int
    dimensions: dict[str, tuple[str, ...]]


def chosen_models(grid: Grid, known: Iterable[str]) -> tuple[str, ...]:
    """The models that a grid's patterns name, in the order of the list. A pattern after ! takes some out again.

    FILE.py:Class stands for itself. Raises UsageError for a pattern that names none.
    """
    known = list(known)
    found: dict[str, None] = {}
    for pattern in grid.models:
        if ".py" in pattern:
            found[pattern] = None
            continue
        wanted = pattern.removeprefix("!")
        names = [name for name in known if fnmatchcase(name, wanted)]
        names = names or [name for name in known if folded(name) == folded(wanted)]
        if not names:
            raise UsageError(f"{grid.places['models']}: there is no model {pattern}.{nearest(pattern, known)}")
        for name in names:
            if pattern.startswith("!"):
                found.pop(name, None)
            else:
                found[name] = None
    if not found:
        raise UsageError(f"{grid.places['models']}: the patterns leave no model: write those with ! last.")
    return tuple(found)


def expand(spec: Spec, variants: Mapping[str, Mapping[str, GridModel]]) -> Expansion:
    """Every cell of a spec. `variants` has, by the grid's place, what `chosen_models` named, read.

    Raises UsageError, with the line, for a constant or property that no model has, a value that a constant may not
    have, an expression without value, and a spec of too many cells.
    """
    cells: dict[tuple[Any, ...], GridCell] = {}
    skipped = idle = 0
    dimensions: dict[str, list[str]] = {}
    for grid in spec.grids:
        chosen = variants[grid.place]
        check_names(grid, chosen.values())
        for variant in chosen.values():
            names = dimensions.setdefault(variant.name, [])
            names += [n for n in _dimensions(grid, variant) if n not in names]
            for cell in cells_of(grid, variant):
                if cell is None:
                    skipped += 1
                elif not cell.properties and not cell.refused:
                    idle += 1
                else:
                    identity = (cell.model, *cell.constants.items(), cell.properties, cell.limits)
                    cells.setdefault(identity, cell)
                if len(cells) > MOST_CELLS:
                    raise UsageError(f"{grid.place}: the spec has more than {MOST_CELLS:,} cells: divide it.")
    return Expansion(tuple(cells.values()), skipped, idle, {m: tuple(names) for m, names in dimensions.items()})


def cells_of(grid: Grid, variant: GridModel) -> Iterator[GridCell | None]:
    """The cells of one model in a grid, those with nothing to decide included; None for one that a condition skips."""
    for constants in _combinations(grid, variant):
        yield _cell(grid, variant, constants)


# Names


def check_names(grid: Grid, chosen: Iterable[GridModel]) -> None:
    """Raises UsageError for a constant, a property or a name in an expression that no model of the grid has."""
    chosen = list(chosen)
    if any(v.failed for v in chosen):
        return  # what a model would have had is not known
    constants = {name for v in chosen for name in v.names}
    properties = {name for v in chosen for name in v.properties}
    for name in grid.constants:
        if name not in constants:
            place = _place(grid, name)
            raise UsageError(f"{place}: no model here has a constant {name}.{nearest(name, constants)}")
    for name in grid.properties or ():
        if name not in properties:
            place = grid.places["properties"]
            raise UsageError(f"{place}: no model here has a property {name}.{nearest(name, properties)}")
    for name in grid.frontier or ():
        if name not in constants:
            place = grid.places["frontier"]
            raise UsageError(f"{place}: no model here has a constant {name}.{nearest(name, constants)}")
    for each in (grid.skip, *grid.constants.values()):
        if isinstance(each, SpecExpression):
            each.check_names({*constants, "model"})


def _place(grid: Grid, name: str) -> str:
    choices = grid.constants[name]
    return choices.place if isinstance(choices, SpecExpression) else grid.places["constants"]


def _dimensions(grid: Grid, variant: GridModel) -> list[str]:
    """The constants in which a model's frontier is sought: those named, else its numbers that vary or are computed."""
    numbers = [c.name for c in variant.constants if isinstance(c.domain, IntDomain)]
    if grid.frontier is not None:
        return [name for name in numbers if name in grid.frontier]
    return [
        n for n in numbers if isinstance(c := grid.constants.get(n), SpecExpression) or (c is not None and len(c) > 1)
    ]


# Combinations


def _combinations(grid: Grid, variant: GridModel) -> Iterator[dict[str, Value]]:
    """The values to try for those of a grid's constants that a model has; with none of them, its defaults."""
    if variant.failed:
        yield {}
        return
    own = {name: choices for name, choices in grid.constants.items() if name in variant.names}
    plain = {name: choices for name, choices in own.items() if not isinstance(choices, SpecExpression)}
    for values in product(*plain.values()):
        given: dict[str, Value] = dict(zip(plain, values, strict=True))
        for name, choices in own.items():
            if isinstance(choices, SpecExpression):
                given[name] = _computed(choices, name, variant, given)
        yield given


def _computed(choices: SpecExpression, name: str, variant: GridModel, given: Mapping[str, Value]) -> Value:
    try:
        return choices.value({**variant.defaults, **given, "model": variant.name})
    except Missing as missing:
        raise UsageError(
            f"{choices.place}: {name} of {variant.name} is computed from {missing.args[0]}, "
            "which the model does not have: give it a grid of its own."
        ) from None


def _cell(grid: Grid, variant: GridModel, given: dict[str, Value]) -> GridCell | None:
    """The cell for these constants; None if the grid's condition skips it."""
    if variant.failed is not None or variant.ir is None:
        return GridCell(
            grid.name, variant.name, {}, grid.properties or (), grid.limits, refused=(75, variant.failed or "")
        )
    try:
        chosen, _ = choose_constants(variant.ir, given)
    except UsageError as error:
        place = grid.places.get("constants", grid.place)
        raise UsageError(f"{place}: {error}") from None
    constants = {name: word(value) for name, value in chosen.items()}
    if grid.skip is not None and _skips(grid.skip, variant, constants):
        return None
    wanted = variant.properties if grid.properties is None else grid.properties
    properties = tuple(name for name in variant.properties if name in wanted)
    made = GridCell(grid.name, variant.name, constants, properties, grid.limits)
    return _bound(made, variant)


def _skips(skip: SpecExpression, variant: GridModel, constants: Mapping[str, str]) -> bool:
    """A condition on a constant that the model does not have skips nothing."""
    values = {c.name: plain_value(c, constants[c.name]) for c in variant.constants}
    try:
        return skip.truth({**values, "model": variant.name})
    except Missing:
        return False


def plain_value(constant: ConstantIR, written: str) -> Value:
    """A constant's value in an expression: a number, true or false, or a word."""
    if constant.domain == BOOL:
        return written == "true"
    return int(written) if isinstance(constant.domain, IntDomain) else written


def _bound(cell: GridCell, variant: GridModel) -> GridCell:
    """The cell with what its constants mean for the model: its size and properties, or why it cannot be run."""
    assert variant.ir is not None
    try:
        bound = bind(variant.ir, cell.constants)
    except AssumptionFalse as error:
        return _refused(cell, 10, str(error))
    except ModelError as error:
        return _refused(cell, 75, str(error))
    bits = sum(s.bits for name, domain in bound.domains.items() for s in codec(domain).scalars(name))
    properties = tuple(name for name in cell.properties if name not in bound.not_asked)
    return GridCell(cell.grid, cell.model, cell.constants, properties, cell.limits, bits)


def _refused(cell: GridCell, code: int, sentence: str) -> GridCell:
    return GridCell(
        cell.grid, cell.model, cell.constants, cell.properties, cell.limits, refused=(code, " ".join(sentence.split()))
    )
