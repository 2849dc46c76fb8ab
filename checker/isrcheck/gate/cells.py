"""The runs of a spec, with expectations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from isrcheck.catalogue import match_models
from isrcheck.engines.contract import DEADLOCK
from isrcheck.engines.registry import ENGINES
from isrcheck.errors import UsageError, nearest
from isrcheck.gate.spec import CONTROLLER, DOES_NOT_APPLY, HOLDS, REACHED, Answer, Counts, RunTerms, SpecTable
from isrcheck.grid import cells as grids
from isrcheck.grid.cells import GridCell, GridModel
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind


@dataclass(frozen=True)
class GateCell(GridCell):
    terms: RunTerms = field(default_factory=RunTerms)
    given: tuple[str, ...] = ()  # by a spec
    deadlock: bool = False
    expect: Mapping[str, Answer] = field(default_factory=dict)
    counts: Counts = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return self.terms.place()

    @property
    def name(self) -> str:
        return " ".join([self.model, *(f"{n}={v}" for n, v in self.constants.items()), *self._assumed])

    @property
    def title(self) -> str:
        return " ".join([self.model, *self.chosen])

    @property
    def chosen(self) -> list[str]:
        """The constants that the spec gives, as name=value, who decides, and the fairness that it assumes."""
        return [*(f"{name}={self.constants[name]}" for name in self.given), *self._assumed]

    @property
    def _assumed(self) -> list[str]:
        given = {name: getattr(self.terms, name) for name in CONTROLLER}
        decided = [f"{name}={value}" for name, value in given.items() if value]
        return [*decided, *(f"fairness={name}" for name in self.terms.fairness)]


def cells(spec: Iterable[SpecTable]) -> tuple[GateCell, ...]:
    """Every cell of a spec, runs before grids. Raises UsageError, with the line."""
    read = cache(grids.read_grid_model)
    return tuple(cell for table in spec for cell in _cells(table, read))


def _cells(table: SpecTable, read: Callable[[str], GridModel]) -> list[GateCell]:
    place = table.grid.place
    engine = table.grid.engine
    if engine not in ENGINES:
        raise UsageError(f"{place}: there is no engine {engine}.{nearest(engine, ENGINES)}")
    names = match_models(table.grid.models, table.grid.places["models"])
    try:
        chosen = [read(n) for n in names]
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    grids.check_names(table.grid, chosen)
    _check_expected(table, chosen)
    pairs = [(model, cell) for model in chosen for cell in grids.cells_of(table.grid, model) if cell is not None]
    if not pairs:
        raise UsageError(f"{place}: the grid has no cell: its condition skips all of them.")
    if not any(model.failed for model in chosen):
        _refuse_cases_without_cell(table, pairs)
    return [_cell(table, model, cell) for model, cell in pairs]


def _refuse_cases_without_cell(table: SpecTable, pairs: list[tuple[GridModel, GridCell]]) -> None:
    """Refuse a case that applies to no cell: what it expects would never be compared."""
    for number, case in enumerate(table.cases, 1):
        if not any(grids.holds_for(case.when, model, cell.constants) for model, cell in pairs):
            raise UsageError(
                f"{case.when.place}: case {number} applies to no cell of the grid: `{case.when.source}` is "
                "false of all of them; write values that the grid has, or leave the case out."
            )


def _cell(table: SpecTable, model: GridModel, cell: GridCell) -> GateCell:
    expect = dict(table.expect)
    counts = dict(table.counts)
    for case in table.cases:
        if grids.holds_for(case.when, model, cell.constants):
            expect |= case.expect
            counts |= case.counts
    applying = cell.properties
    if table.rest == "holds":
        kinds_of = _kinds(model)
        expect = {n: Answer(REACHED if kinds_of[n].holds_by_target else HOLDS) for n in applying} | expect
    own = {name: expect[name] for name in (*model.properties, DEADLOCK) if name in expect}
    for name, answer in own.items():
        if name != DEADLOCK and name not in applying and answer.verdict != DOES_NOT_APPLY and not cell.refusal:
            raise UsageError(
                f"{table.terms.place(name)}: {name} does not apply to {cell.model} with these constants: "
                f'expect "{DOES_NOT_APPLY}" of it.'
            )
    given = set(table.grid.constants)
    # another name, that of a setting, may choose any of them
    if not given <= set(cell.constants):
        given = set(cell.constants)
    asked = replace(cell, properties=tuple(n for n in own if n in applying))
    return GateCell(
        **vars(asked),
        terms=table.terms,
        given=tuple(name for name in cell.constants if name in given),
        deadlock=DEADLOCK in own,
        expect=own,
        counts=counts,
    )


def _check_expected(table: SpecTable, chosen: list[GridModel]) -> None:
    """Refuse a name that no model here has, and an answer that its property cannot have."""
    if any(m.failed for m in chosen):
        return
    known = {name: kind for model in chosen for name, kind in _kinds(model).items()}
    for expect in (table.expect, *(case.expect for case in table.cases)):
        for name, answer in expect.items():
            _check_answer(table, name, answer, known)
    actions = {a.name for model in chosen if model.ir for a in model.ir.actions}
    for name in table.terms.never:
        if name not in actions:
            raise UsageError(f"{table.grid.place}: no model here has an action {name}.{nearest(name, actions)}")
    for case in table.cases:
        case.when.check_names({n for model in chosen for n in model.names} | {"model"})


def _check_answer(table: SpecTable, name: str, answer: Answer, known: Mapping[str, PropertyKind]) -> None:
    place = table.terms.place(name)
    if name not in known:
        raise UsageError(f"{place}: no model here has a property {name}.{nearest(name, known)}")
    reached, is_temporal = known[name].holds_by_target, known[name] is kinds.TEMPORAL
    if answer.verdict == DOES_NOT_APPLY or (is_temporal and answer.bound):
        return
    if reached == answer.is_of_reachability and not answer.bound:
        return
    kind = f"not a {'temporal' if answer.bound else 'reachability'} property"
    write = '"holds" or "violated in 9 steps"'
    if reached:
        kind, write = "a reachability property", '"reached in 3 steps" or "never reached"'
    raise UsageError(f'{place}: {name} is {kind} and cannot be "{answer}": write {write}.')


def _kinds(model: GridModel) -> dict[str, PropertyKind]:
    kinds_of = {p.name: p.kind for p in (*model.ir.properties, *model.ir.temporal)} if model.ir else {}
    return {**kinds_of, DEADLOCK: kinds.DEADLOCK}
