"""The symbolic engine as the others are asked: a bounded search; constants that shape the state are enumerated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.contract import Bounded, Path, Request
from isrcheck.engines.registry import engine
from isrcheck.engines.symbolic.bounded import ALL_DECIDED, BoundedSearch, Findings
from isrcheck.engines.symbolic.encode import Encoder
from isrcheck.engines.symbolic.unroll import SearchClock, make_solver
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel, refuse_several
from isrcheck.passes.symbolic import SymbolicSystem, lower_symbolic


def search(model: BoundModel, request: Request) -> Bounded:
    """Search every behaviour up to a depth. Raises UsageError before anything is solved, and FoundFault."""
    _refuse(request)
    refuse_several(model.ir.name, 1 + len(model.others), "the symbolic engine begins in one")
    symbolic, clock = lower_symbolic(model), SearchClock(request, _kinds(model))
    with clock.stop_request.listen_to_signals():
        findings = BoundedSearch(symbolic, request, clock).run()
    return _as_bounded(
        findings.depth, findings.cut, clock, {name: ways[0].path for name, ways in findings.witnesses.items()}
    )


def _kinds(model: BoundModel) -> dict[str, PropertyKind]:
    return {p.name: p.kind for p in model.ir.properties}


def _as_bounded(depth: int, cut: str, clock: SearchClock, paths: dict[str, Path]) -> Bounded:
    return Bounded(depth=depth, cut=cut, interrupted=clock.interrupted, paths=paths, seconds=clock.seconds)


def _refuse(request: Request) -> None:
    """Refuse a request that a bounded search lacks, or that no limit ends. Raises UsageError."""
    engine("symbolic").refuse(request)
    if request.limits.depth is None and request.limits.seconds is None:
        raise UsageError("the symbolic engine looks at one more step until it is told to stop: give --max-depth.")
    if not request.properties and not request.temporal and not request.deadlock:
        raise UsageError("the symbolic engine counts no states: name a property, or ask for --deadlock.")


@dataclass(frozen=True)
class AtConstants:
    constants: dict[str, Any]
    rank: tuple[int, ...]  # the place of each symbolic constant's value in its range
    path: Path


@dataclass(frozen=True)
class ChoiceFindings:
    """Sorted by length, then by rank."""

    result: Bounded  # of all parts, the ways aside
    violations: dict[str, list[AtConstants]]
    every: set[str]  # properties of which it is known for every choice


def search_choices(models: Sequence[BoundModel], ranges: dict[str, ValueRange], request: Request) -> ChoiceFindings:
    """The smallest violating choice of each property, or all; `models` has one for each choice that shapes the state.

    Raises UsageError, ModelError, and FaultAtChoice where the model's text goes wrong.
    """
    _refuse(request)
    clock = SearchClock(request, _kinds(models[0]))
    with clock.stop_request.listen_to_signals():
        parts = [_search_model(model, request, clock) for model in models]
    unfinished = [each for each in parts if each.cut != ALL_DECIDED]
    depth = min((each.depth for each in unfinished), default=max(each.depth for each in parts))
    cut = min(unfinished, key=lambda each: each.depth).cut if unfinished else ALL_DECIDED
    result = _as_bounded(depth, cut, clock, {})
    violations: dict[str, list[AtConstants]] = {}
    for model, findings in zip(models, parts, strict=True):
        for name, ways in findings.witnesses.items():
            for way in ways:
                constants = model.choose(way.choice)
                rank = tuple(choice.place(constants[constant]) for constant, choice in ranges.items())
                violations.setdefault(name, []).append(AtConstants(constants, rank, way.path))
    for all_ways in violations.values():
        all_ways.sort(key=lambda way: (len(way.path), way.rank))
    asked = [(name, m, p) for name in request.properties for m, p in zip(models, parts, strict=True)]
    some = {name for name, model, each in asked if name not in model.not_asked and name not in each.every}
    return ChoiceFindings(result, violations, set(request.properties) - some)


def _search_model(model: BoundModel, request: Request, clock: SearchClock) -> Findings:
    symbolic = lower_symbolic(model)
    _refuse_faults(symbolic, clock)
    return BoundedSearch(symbolic, request, clock).run()


def _refuse_faults(symbolic: SymbolicSystem, clock: SearchClock) -> None:
    """Require that no assumption and no `applies` raises for some choice. Raises ModelError."""
    faults = [f for condition in (symbolic.allowed, *symbolic.asked.values()) for f in condition.faults]
    if not faults:
        return
    encoder = Encoder(symbolic.system)
    vector = encoder.vector("0")
    terms, solver = encoder.terms(vector), make_solver()
    solver.add(encoder.domain(vector))
    for fault in faults:
        solver.push()
        solver.add(terms.truth(fault.condition))
        if clock.is_sat(solver):
            raise ModelError(fault.place, f"{fault.sentence}, for some choice of the constants.")
        solver.pop()
