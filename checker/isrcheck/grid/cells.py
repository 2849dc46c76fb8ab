"""Cells: a spec's grids written out."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from isrcheck.catalogue import find_model, match_models
from isrcheck.engines.contract import Limits
from isrcheck.errors import AssumptionFalse, ModelError, UsageError, nearest
from isrcheck.grid.spec import Grid, Missing, Spec, SpecExpression, Value
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import BOOL, IntDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ConstantIR, ModelIR
from isrcheck.lang.declare import REQUIRED
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import bind
from isrcheck.passes.constants import choose_constants, literal

MOST_CELLS = 100_000
_STARTUP_SECONDS = 0.5
_STATES_A_SECOND = 1_000_000.0


@dataclass(frozen=True)
class GridModel:
    """A model of a grid by name; `failed` says why its file could not be read."""

    name: str
    ir: ModelIR | None
    failed: str = ""

    @property
    def constants(self) -> tuple[ConstantIR, ...]:
        return self.ir.constants if self.ir else ()

    @property
    def names(self) -> set[str]:
        """The names of the model's constants, and of the settings that they stand for."""
        return {n for c in self.constants for n in (c.name, c.setting) if n}

    @property
    def properties(self) -> tuple[str, ...]:
        return tuple(p.name for p in (*self.ir.properties, *self.ir.temporal)) if self.ir else ()

    @property
    def defaults(self) -> dict[str, Value]:
        """The default values of its constants, as expressions see them."""
        given = {c.name: c.default for c in self.constants if c.default is not REQUIRED}
        return {name: value if isinstance(value, int) else literal(value) for name, value in given.items()}


def read_grid_model(name: str) -> GridModel:
    """The model of this name. Raises UsageError if there is none."""
    try:
        return GridModel(name, read_model(find_model(name)))
    except ModelError as error:
        return GridModel(name, None, " ".join(str(error).split()))


@dataclass(frozen=True)
class GridCell:
    grid: str
    model: str
    constants: dict[str, str]  # all of them
    properties: tuple[str, ...]
    limits: Limits
    bits: int | None = None  # of a state
    engine: str = "native"
    refusal: tuple[int, str] | None = None  # the exit code and why it cannot run


def guess_seconds(cell: GridCell, slower: float = 1.0) -> float:
    """Guess from the size of its states how long a cell takes that has never run, by an engine so much slower."""
    states: float = 2.0 ** min((cell.bits or 0) / 3, 60)
    return _STARTUP_SECONDS + min(states * slower / _STATES_A_SECOND, cell.limits.seconds or 300.0)


@dataclass(frozen=True)
class Expansion:
    """The cells of a spec, each of them once."""

    cells: tuple[GridCell, ...]
    skipped: int  # by conditions
    without_properties: int
    dimensions: dict[str, tuple[str, ...]]  # by model, constants of its frontier


def expand(spec: Spec, read: Callable[[str], GridModel] = read_grid_model) -> Expansion:
    """Expand a spec to its cells. Raises UsageError, with the line."""
    cells: dict[tuple[Any, ...], GridCell] = {}
    skipped = without = 0
    dimensions: dict[str, dict[str, None]] = {}
    for grid in spec.grids:
        chosen = [read(name) for name in match_models(grid.models, grid.places["models"])]
        check_names(grid, chosen)
        for model in chosen:
            dimensions.setdefault(model.name, {}).update(dict.fromkeys(_dimensions(grid, model)))
            for cell in cells_of(grid, model):
                if cell is None:
                    skipped += 1
                elif not cell.properties and not cell.refusal:
                    without += 1
                else:
                    identity = (cell.model, *cell.constants.items(), cell.properties, cell.limits, cell.engine)
                    cells.setdefault(identity, cell)
                if len(cells) > MOST_CELLS:
                    raise UsageError(f"{grid.place}: the spec has more than {MOST_CELLS:,} cells: divide it.")
    return Expansion(tuple(cells.values()), skipped, without, {m: tuple(names) for m, names in dimensions.items()})


def cells_of(grid: Grid, model: GridModel) -> Iterator[GridCell | None]:
    """The cells of one model in a grid, those with nothing to decide included; None for a skipped one."""
    for given in _combinations(grid, model):
        yield _cell(grid, model, given)


def check_names(grid: Grid, chosen: Collection[GridModel]) -> None:
    """Require that some model of the grid has each name. Raises UsageError."""
    if any(v.failed for v in chosen):
        return  # what a model would have had is not known
    constants = {name for v in chosen for name in v.names}
    properties = {name for v in chosen for name in v.properties}
    asked = (
        ("constant", constants, grid.constants, "constants"),
        ("property", properties, grid.properties, "properties"),
        ("constant", constants, grid.frontier, "frontier"),
    )
    for kind, known, names, key in asked:
        for name in names:
            if name not in known:
                choices = grid.constants.get(name)
                place = choices.place if isinstance(choices, SpecExpression) else grid.places[key]
                raise UsageError(f"{place}: no model here has a {kind} {name}.{nearest(name, known)}")
    for each in (grid.skip, *grid.constants.values()):
        if isinstance(each, SpecExpression):
            each.check_names({*constants, "model"})


def _dimensions(grid: Grid, model: GridModel) -> list[str]:
    """The constants named for the frontier, else the numbers that vary or are computed."""
    numbers = [c.name for c in model.constants if isinstance(c.domain, IntDomain)]
    if grid.frontier:
        return [name for name in numbers if name in grid.frontier]
    return [
        n for n in numbers if isinstance(c := grid.constants.get(n), SpecExpression) or (c is not None and len(c) > 1)
    ]


def _combinations(grid: Grid, model: GridModel) -> Iterator[dict[str, Value]]:
    """Yield the choices of constants of one model: the grid's values for each constant that the model has."""
    if model.failed:
        yield {}
        return
    own = {name: choices for name, choices in grid.constants.items() if name in model.names}
    plain = {name: choices for name, choices in own.items() if not isinstance(choices, SpecExpression)}
    for values in product(*plain.values()):
        given: dict[str, Value] = dict(zip(plain, values, strict=True))
        for name, choices in own.items():
            if isinstance(choices, SpecExpression):
                given[name] = _compute(choices, name, model, given)
        yield given


def _compute(choices: SpecExpression, name: str, model: GridModel, given: Mapping[str, Value]) -> Value:
    try:
        return choices.value({**model.defaults, **given, "model": model.name})
    except Missing as missing:
        raise UsageError(
            f"{choices.place}: {name} of {model.name} is computed from {missing.args[0]}, "
            "which the model does not have: give it a grid of its own."
        ) from None


def _cell(grid: Grid, model: GridModel, given: dict[str, Value]) -> GridCell | None:
    cell = GridCell(grid.name, model.name, {}, grid.properties, grid.limits, engine=grid.engine)
    if model.ir is None:
        return replace(cell, refusal=(75, model.failed or ""))
    try:
        chosen, _ = choose_constants(model.ir, given)
    except UsageError as error:
        raise UsageError(f"{grid.places['constants']}: {error}") from None
    constants = {name: literal(value) for name, value in chosen.items()}
    if grid.skip is not None and holds_for(grid.skip, model, constants):
        return None
    wanted = grid.properties or model.properties
    properties = tuple(name for name in model.properties if name in wanted)
    cell = replace(cell, constants=constants, properties=properties)
    try:
        bound = bind(model.ir, constants)
    except (AssumptionFalse, ModelError) as error:
        return replace(cell, refusal=(error.exit_code, " ".join(str(error).split())))
    bits = sum(s.bits for name, domain in bound.domains.items() for s in codec(domain).scalars(name))
    return replace(cell, properties=tuple(n for n in properties if n not in bound.not_asked), bits=bits)


def holds_for(condition: SpecExpression, model: GridModel, constants: Mapping[str, str]) -> bool:
    """Whether a condition is true; one on a constant that the model does not have is not."""
    values = {c.name: _value(c, constants[c.name]) for c in model.constants}
    try:
        return condition.truth({**values, "model": model.name})
    except Missing:
        return False


def _value(constant: ConstantIR, written: str) -> Value:
    if constant.domain == BOOL:
        return written == "true"
    return int(written) if isinstance(constant.domain, IntDomain) else written
