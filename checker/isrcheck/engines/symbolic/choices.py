"""Bounded search over symbolic constants: those that shape the state are enumerated, z3 chooses the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from isrcheck.engines.contract import FoundFault, Path, Request
from isrcheck.engines.symbolic.ask import SearchClock, make_solver
from isrcheck.engines.symbolic.bounded import ALL_DECIDED, BoundedSearch, FaultAtChoice, Findings
from isrcheck.engines.symbolic.encode import Encoder
from isrcheck.engines.symbolic.engine import clock_for, refuse
from isrcheck.errors import ModelError
from isrcheck.ir.symbolic_constant import ValueRange
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.symbolic import SymbolicSystem, lower_symbolic


class FaultWithConstants(Exception):
    """The model's text goes wrong with these constants."""

    def __init__(self, constants: dict[str, Any], fault: FoundFault) -> None:
        super().__init__(str(fault))
        self.constants, self.fault = constants, fault


@dataclass(frozen=True)
class AtConstants:
    """A way to a violation, or to what a claim claims, with all constants chosen.

    `rank` orders choices: the place of each symbolic constant's value in its range, in declaration order.
    """

    constants: dict[str, Any]
    rank: tuple[int, ...]
    path: Path


@dataclass
class ChoiceFindings:
    """What was found, by property: the smallest way first, by length and then by rank.

    `every` has the properties of which it is known for every choice. `depth`, `cut` and `interrupted` are as in
    `Bounded`.
    """

    found: dict[str, list[AtConstants]] = field(default_factory=dict)
    every: set[str] = field(default_factory=set)
    depth: int = 0
    cut: str = ""
    interrupted: bool = False
    seconds: float = 0.0


def search_choices(
    models: Sequence[BoundModel], ranges: dict[str, ValueRange], request: Request, every_choice: bool
) -> ChoiceFindings:
    """Searches for the smallest violating choice of each property, or, with `every_choice`, for each of them.

    `models` has one for each choice of the constants that shape the state; `ranges` has all that are open, in
    declaration order. Raises UsageError, ModelError, and FaultWithConstants where the model's text goes wrong.
    """
    refuse(request)
    clock = clock_for(request)
    with clock.stop.listening():
        parts = [_part(model, request, clock, every_choice) for model in models]
    result = ChoiceFindings(interrupted=clock.stop.requested, seconds=clock.elapsed)
    for model, part in zip(models, parts, strict=True):
        for name, ways in part.found.items():
            chosen = [(model.choose(way.choice), way.path) for way in ways]
            result.found.setdefault(name, []).extend(AtConstants(c, _rank(ranges, c), path) for c, path in chosen)
    for found in result.found.values():
        found.sort(key=lambda way: (len(way.path), way.rank))
    result.every = {
        name
        for name in request.properties
        if all(name in part.every for model, part in zip(models, parts, strict=True) if name not in model.not_asked)
    }
    unfinished = [part for part in parts if part.cut != ALL_DECIDED]
    result.depth = min((part.depth for part in unfinished), default=max(part.depth for part in parts))
    result.cut = min(unfinished, key=lambda part: part.depth).cut if unfinished else ALL_DECIDED
    return result


def _part(model: BoundModel, request: Request, clock: SearchClock, every_choice: bool) -> Findings:
    symbolic = lower_symbolic(model)
    _refuse_faulty_conditions(symbolic, clock)
    try:
        return BoundedSearch(
            symbolic,
            tuple(name for name in request.properties if name not in model.not_asked),
            clock,
            deadlock=request.deadlock,
            depth=request.limits.depth,
            every_choice=every_choice,
            stop_at_first=request.stop_at_first,
        ).run()
    except FaultAtChoice as fault:
        raise FaultWithConstants(model.choose(fault.choice), fault) from None


def _rank(ranges: dict[str, ValueRange], constants: dict[str, Any]) -> tuple[int, ...]:
    return tuple(choice.place(constants[name]) for name, choice in ranges.items())


def _refuse_faulty_conditions(symbolic: SymbolicSystem, clock: SearchClock) -> None:
    """Raises ModelError if an assumption or an `applies` condition would raise for some choice."""
    faults = [f for condition in (symbolic.allowed, *symbolic.asked.values()) for f in condition.faults]
    if not faults:
        return
    encoder = Encoder(symbolic.system, "bits")
    vector = encoder.vector("0")
    terms, solver = encoder.terms(vector), make_solver()
    solver.add(encoder.domain(vector))
    for fault in faults:
        solver.push()
        solver.add(terms.truth(fault.condition))
        if clock.satisfiable(solver):
            raise ModelError(fault.place, f"{fault.sentence}, for some choice of the constants.")
        solver.pop()
