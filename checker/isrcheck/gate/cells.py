"""The cells of a spec: each run that it asks for, with all the model's constants and what is expected of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from isrcheck.catalogue import find_model, known_models
from isrcheck.engines.contract import DEADLOCK, Limits
from isrcheck.engines.registry import ENGINES
from isrcheck.errors import UsageError, nearest
from isrcheck.gate.spec import Case, Counts, Entry, GateSpec
from isrcheck.gate.words import DOES_NOT_APPLY, HOLDS, REACHED, Answer
from isrcheck.grid.cells import GridCell, cells_of, check_names, chosen_models, plain_value
from isrcheck.grid.expression import Missing, Value
from isrcheck.grid.models import GridModel, read_grid_model
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.declare import Model


@dataclass(frozen=True)
class GateCell:
    """One run to make, and what is expected of it.

    `constants` are all of the model's, as written on the command line. `expect` has every property that is asked or
    expected not to apply, in the model's order; `properties` are those to ask. `origin` is where the spec says so.
    """

    spec: Path
    kind: str  # of the table: run or grid
    position: int
    line: int
    model: str
    constants: dict[str, str]
    given: tuple[str, ...]  # the names of those constants that the spec chooses
    engine: str
    symmetry: bool
    limits: Limits
    properties: tuple[str, ...]
    deadlock: bool
    expect: dict[str, Answer]
    counts: Counts
    never: tuple[str, ...]
    idle: tuple[str, ...]
    strict: bool | None
    error: int | None
    says: str
    lines: dict[str, int]  # of the expectations, by property
    bits: int | None  # of a packed state; None where the model or its constants are refused

    @property
    def origin(self) -> str:
        """FILE:LINE of the table."""
        return f"{self.spec}:{self.line}"

    @property
    def name(self) -> str:
        """The model with all its constants, on one line."""
        return " ".join([self.model, *(f"{n}={v}" for n, v in self.constants.items())])

    @property
    def title(self) -> str:
        """The model with the constants that the spec chooses."""
        return " ".join([self.model, *(f"{n}={self.constants[n]}" for n in self.given)])


def cells(
    spec: GateSpec,
    find: Callable[[str], type[Model]] = find_model,
    known: Callable[[], Mapping[str, type[Model]]] = known_models,
) -> tuple[GateCell, ...]:
    """Every cell of a spec, runs before grids. Raises UsageError, with the line, for a name that is not known."""
    reader = _CellReader(spec, find, known)
    return tuple(cell for entry in spec.entries for cell in reader.cells(entry))


class _CellReader:
    """Models are read once for all tables of a spec."""

    def __init__(
        self, spec: GateSpec, find: Callable[[str], type[Model]], known: Callable[[], Mapping[str, type[Model]]]
    ) -> None:
        self._spec = spec
        self._find = find
        self._known = known
        self._read: dict[str, GridModel] = {}

    def cells(self, entry: Entry) -> Iterator[GateCell]:
        place = entry.grid.place
        if entry.engine not in ENGINES:
            raise UsageError(f"{place}: there is no engine {entry.engine}.{nearest(entry.engine, ENGINES)}")
        chosen = [self._variant(name, place) for name in chosen_models(entry.grid, self._known())]
        check_names(entry.grid, chosen)
        self._check_expected(entry, chosen)
        found = 0
        for variant in chosen:
            for cell in cells_of(entry.grid, variant):
                if cell is not None:
                    found += 1
                    yield self._cell(entry, variant, cell)
        if not found:
            raise UsageError(f"{place}: the grid has no cell: its condition skips all of them.")

    def _variant(self, name: str, place: str) -> GridModel:
        if name not in self._read:
            try:
                self._read[name] = read_grid_model(name, self._find)
            except UsageError as error:
                raise UsageError(f"{place}: {error}") from None
        return self._read[name]

    def _cell(self, entry: Entry, variant: GridModel, cell: GridCell) -> GateCell:
        expect, counts = dict(entry.expect), dict(entry.counts)
        for case in entry.cases:
            if _applies(case, variant, cell):
                expect |= case.expect
                counts |= case.counts
        applying = cell.properties
        if entry.rest == "holds":
            roles = _roles(variant)
            rest = {n: Answer(REACHED if roles[n].holds_by_target else HOLDS) for n in applying}
            expect = {**rest, **expect}
        order = [*variant.properties, DEADLOCK]
        own = {name: expect[name] for name in order if name in expect}
        for name, answer in own.items():
            if name != DEADLOCK and name not in applying and answer.word != DOES_NOT_APPLY and not cell.refused:
                raise UsageError(
                    f"{self._spec.file}:{entry.lines.get(name, _line(entry))}: {name} does not apply to "
                    f'{cell.model} with these constants: expect "{DOES_NOT_APPLY}" of it.'
                )
        return GateCell(
            spec=self._spec.file,
            kind=entry.kind,
            position=entry.position,
            line=_line(entry),
            model=cell.model,
            constants=cell.constants,
            given=_given(entry, cell),
            engine=entry.engine,
            symmetry=entry.symmetry,
            limits=entry.grid.limits,
            properties=tuple(n for n in own if n in applying),
            deadlock=DEADLOCK in own,
            expect=own,
            counts=counts,
            never=entry.never,
            idle=entry.idle,
            strict=entry.strict,
            error=entry.error,
            says=entry.says,
            lines=entry.lines,
            bits=cell.bits,
        )

    def _check_expected(self, entry: Entry, chosen: list[GridModel]) -> None:
        """Raises UsageError for a property, or an action, that no model here has, and a word that cannot be of it."""
        if any(v.failed for v in chosen):
            return
        roles = {name: role for v in chosen for name, role in _roles(v).items()}
        actions = {a.name for v in chosen if v.ir for a in v.ir.actions}
        for expect in (entry.expect, *(case.expect for case in entry.cases)):
            for name, answer in expect.items():
                self._check_answer(entry, name, answer, roles)
        for name in entry.never:
            if name not in actions:
                raise UsageError(f"{entry.grid.place}: no model here has an action {name}.{nearest(name, actions)}")
        for case in entry.cases:
            case.when.check_names({n for v in chosen for n in v.names} | {"model"})

    def _check_answer(self, entry: Entry, name: str, answer: Answer, roles: Mapping[str, PropertyKind]) -> None:
        place = f"{self._spec.file}:{entry.lines.get(name, _line(entry))}"
        if name not in roles:
            raise UsageError(f"{place}: no model here has a property {name}.{nearest(name, roles)}")
        if answer.word == DOES_NOT_APPLY:
            return
        if roles[name].holds_by_target != answer.is_of_a_claim:
            kind, write = (
                ("a claim of reachability", '"reached in 3 steps" or "never reached"')
                if roles[name].holds_by_target
                else ("no claim of reachability", '"holds" or "violated in 9 steps"')
            )
            raise UsageError(f'{place}: {name} is {kind} and cannot be "{answer}": write {write}.')


def _roles(variant: GridModel) -> dict[str, PropertyKind]:
    found = {p.name: p.kind for p in variant.ir.properties} if variant.ir else {}
    return {**found, DEADLOCK: kinds.DEADLOCK}


def _given(entry: Entry, cell: GridCell) -> tuple[str, ...]:
    """The constants that the spec chooses; all of them where it does so by another name, that of a setting."""
    if any(name not in cell.constants for name in entry.grid.constants):
        return tuple(cell.constants)
    return tuple(name for name in cell.constants if name in entry.grid.constants)


def _line(entry: Entry) -> int:
    return int(entry.grid.place.rpartition(":")[2])


def _applies(case: Case, variant: GridModel, cell: GridCell) -> bool:
    """Whether a case is about this cell; a condition on a constant that the model does not have is about none."""
    values: dict[str, Value] = {c.name: plain_value(c, cell.constants[c.name]) for c in variant.constants}
    try:
        return case.when.truth({**values, "model": variant.name})
    except Missing:
        return False
