"""Every mutant of a model at one or several choices of constants, and what killed it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.gate.mutants.baseline import Baseline, baseline
from isrcheck.gate.mutants.judge import Cache, Judge, JudgeOptions
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.mutant import Fate, Mutant, MutantOutcome
from isrcheck.gate.mutants.pool import through
from isrcheck.ir.model import ModelIR
from isrcheck.passes import bind
from isrcheck.passes.lowering import Original


@dataclass(frozen=True)
class SurveyedMutant:
    """A mutant and its outcomes by configuration, smallest first; None where none was needed any more."""

    mutant: Mutant
    outcomes: tuple[MutantOutcome | None, ...]

    @property
    def position(self) -> int:
        """The configuration that settles its fate."""
        ranks = list(Fate)
        made = [(ranks.index(f.fate), position) for position, f in enumerate(self.outcomes) if f is not None]
        return min(made)[1]

    @property
    def outcome(self) -> MutantOutcome:
        found = self.outcomes[self.position]
        assert found is not None
        return found


@dataclass(frozen=True)
class Survey:
    """All mutants of a model that were asked for, in the order of its text."""

    model: str
    ir: ModelIR
    baselines: tuple[Baseline, ...]  # by configuration, smallest first
    results: tuple[SurveyedMutant, ...]
    options: JudgeOptions


def survey(
    name: str,
    ir: ModelIR,
    configurations: Iterable[Mapping[str, Any]],
    *,
    properties: tuple[str, ...] | None = None,
    wanted: Callable[[Mutant], bool] = lambda _: True,
    options: JudgeOptions,
    cache: Cache,
    workers: int = 1,
    tell: Callable[[str], object] = lambda _: None,
) -> Survey:
    """Checks the mutants for which `wanted` says so, by all properties or those named.

    Configurations are ordered by the size of the original's graph. A mutant that was detected at one is not checked at
    the next, unless `options.everything`. Raises UsageError, AssumptionFalse or ModelError for the original.
    """
    judges = [_judge(ir, dict(given), properties, options, cache) for given in configurations]
    judges.sort(key=lambda judge: judge.baseline.seen.distinct)
    mutants = tuple(mutant for mutant in mutants_of(ir) if wanted(mutant))
    answers = _answers(mutants, judges, workers, tell)
    cache.trim()
    results = tuple(SurveyedMutant(mutant, answers[mutant.name]) for mutant in mutants)
    return Survey(name, ir, tuple(judge.baseline for judge in judges), results, options)


def _judge(
    ir: ModelIR, given: dict[str, Any], properties: tuple[str, ...] | None, options: JudgeOptions, cache: Cache
) -> Judge:
    original = Original(bind(ir, given))
    if properties is not None:
        known = {p.name for p in ir.properties}
        unknown = [name for name in properties if name not in known]
        if unknown:
            raise UsageError(f"{ir.name} has no property {unknown[0]}.{nearest(unknown[0], known)}")
        properties = tuple(p.name for p in original.model.properties if p.name in properties)
    return Judge(original, baseline(original, given, properties, options.limits), options, cache)


Outcomes = tuple[MutantOutcome | None, ...]


def _answers(
    mutants: tuple[Mutant, ...], judges: list[Judge], workers: int, tell: Callable[[str], object]
) -> dict[str, Outcomes]:
    """The outcomes of each mutant by its name, from other processes if there are several."""
    pairs: Iterable[tuple[Mutant, Outcomes]] = ((mutant, _outcomes(mutant, judges)) for mutant in mutants)
    if workers > 1:
        lost = (MutantOutcome(Fate.LOST, why="the process that checked it died, twice"),)
        pairs = through(mutants, lambda mutant: _outcomes(mutant, judges), lambda _: lost, workers)
    answers: dict[str, Outcomes] = {}
    tell(f"0 of {len(mutants):,} mutants checked")
    for mutant, outcomes in pairs:
        answers[mutant.name] = outcomes
        tell(f"{len(answers):,} of {len(mutants):,} mutants checked")
    return answers


def _outcomes(mutant: Mutant, judges: list[Judge]) -> Outcomes:
    found: list[MutantOutcome | None] = []
    for judge in judges:
        settled = any(f is not None and f.fate.is_detected for f in found) and not judge.options.everything
        found.append(None if settled else judge.outcome(mutant))
    return tuple(found)
