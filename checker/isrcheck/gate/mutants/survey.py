"""Every mutant of a model at one or several choices of constants, and who noticed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.gate.mutants.baseline import Baseline, baseline
from isrcheck.gate.mutants.cache import Cache
from isrcheck.gate.mutants.crew import through
from isrcheck.gate.mutants.finding import Fate, MutantOutcome
from isrcheck.gate.mutants.judge import Judge, JudgeOptions
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.mutant import Mutant
from isrcheck.ir.nodes import ModelIR
from isrcheck.passes import bind
from isrcheck.passes.vary import Original

Source = Callable[[], ModelIR]  # reads the model anew in another process
Told = Callable[[int, int], None]  # mutants done, mutants in all


@dataclass(frozen=True)
class SurveyedMutant:
    """A mutant and its findings by configuration, smallest first; None where none was needed any more."""

    mutant: Mutant
    findings: tuple[MutantOutcome | None, ...]

    @property
    def position(self) -> int:
        """The configuration that settles its fate."""
        ranks = list(Fate)
        made = [(ranks.index(f.fate), position) for position, f in enumerate(self.findings) if f is not None]
        return min(made)[1]

    @property
    def finding(self) -> MutantOutcome:
        """The finding that settles its fate."""
        found = self.findings[self.position]
        assert found is not None
        return found


@dataclass(frozen=True)
class Survey:
    """All mutants of a model that were asked for, in the order of its text."""

    model: str
    ir: ModelIR
    baselines: tuple[Baseline, ...]  # by configuration, smallest first
    results: tuple[SurveyedMutant, ...]
    terms: JudgeOptions


def survey(
    name: str,
    source: Source,
    configurations: Iterable[Mapping[str, Any]],
    *,
    properties: tuple[str, ...] | None = None,
    wanted: Callable[[Mutant], bool] = lambda _: True,
    terms: JudgeOptions,
    cache: Cache,
    workers: int = 1,
    told: Told = lambda done, of: None,
) -> Survey:
    """Checks the mutants for which `wanted` says so, by all properties or those named.

    Configurations are ordered by the size of the original's graph, and a mutant that was seen at one is not checked at
    the next unless `terms.everything`. Raises UsageError, AssumptionFalse or ModelError for the original.
    """
    ir = source()
    found = [_original(ir, dict(given), properties, terms) for given in configurations]
    found.sort(key=lambda pair: pair[1].distinct)
    baselines = tuple(base for _, base in found)
    mutants = tuple(mutant for mutant in mutants_of(ir) if wanted(mutant))
    if workers == 1 or len(mutants) < 2:
        answers = _here(mutants, [Judge(original, base, terms, cache) for original, base in found], told)
    else:
        answers = _elsewhere(mutants, source, baselines, terms, cache, workers, told)
    cache.trim()
    return Survey(name, ir, baselines, tuple(SurveyedMutant(m, answers[m.name]) for m in mutants), terms)


def _original(
    ir: ModelIR, given: dict[str, Any], properties: tuple[str, ...] | None, terms: JudgeOptions
) -> tuple[Original, Baseline]:
    original = Original(bind(ir, given))
    model = original.model
    if properties is not None:
        known = {p.name for p in ir.properties}
        unknown = [name for name in properties if name not in known]
        if unknown:
            raise UsageError(f"{ir.name} has no property {unknown[0]}.{nearest(unknown[0], known)}")
        properties = tuple(p.name for p in model.properties if p.name in properties)
    return original, baseline(original, given, properties, terms.limits)


Findings = tuple[MutantOutcome | None, ...]


def _here(mutants: tuple[Mutant, ...], judges: list[Judge], told: Told) -> dict[str, Findings]:
    answers = {}
    for done, mutant in enumerate(mutants):
        told(done, len(mutants))
        answers[mutant.name] = _findings(mutant, judges)
    return answers


def _findings(mutant: Mutant, judges: list[Judge]) -> Findings:
    found: list[MutantOutcome | None] = []
    for judge in judges:
        settled = any(f is not None and f.fate.is_seen for f in found) and not judge.terms.everything
        found.append(None if settled else judge.finding(mutant))
    return tuple(found)


# In other processes


class _Bench:
    """What a worker process keeps between two mutants."""

    def __init__(self, source: Source, baselines: tuple[Baseline, ...], terms: JudgeOptions, cache: Cache) -> None:
        ir = source()
        self.mutants = {mutant.name: mutant for mutant in mutants_of(ir)}
        self._judges: list[Judge | None] = [None] * len(baselines)
        self._ir, self._baselines, self._terms, self._cache = ir, baselines, terms, cache

    def judges(self) -> list[Judge]:
        """A judge for each configuration."""
        for position, base in enumerate(self._baselines):
            if self._judges[position] is None:
                original = Original(bind(self._ir, base.constants))
                self._judges[position] = Judge(original, base, self._terms, self._cache)
        return [judge for judge in self._judges if judge is not None]


_bench: list[_Bench] = []  # of this process


def _begin(source: Source, baselines: tuple[Baseline, ...], terms: JudgeOptions, cache: Cache) -> None:
    _bench[:] = [_Bench(source, baselines, terms, cache)]


def _work(name: str) -> Findings:
    (bench,) = _bench
    return _findings(bench.mutants[name], bench.judges())


def _lost(_: str) -> Findings:
    return (MutantOutcome(Fate.LOST, why="the process that checked it died, twice"),)


def _elsewhere(
    mutants: tuple[Mutant, ...],
    source: Source,
    baselines: tuple[Baseline, ...],
    terms: JudgeOptions,
    cache: Cache,
    workers: int,
    told: Told,
) -> dict[str, Findings]:
    answers: dict[str, Findings] = {}
    names = [mutant.name for mutant in mutants]
    told(0, len(names))
    for name, found in through(names, _work, _lost, workers, _begin, (source, baselines, terms, cache)):
        answers[name] = found
        told(len(answers), len(names))
    return answers
