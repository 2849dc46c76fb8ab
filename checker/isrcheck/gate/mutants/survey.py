"""Every mutant of a model at some choices of constants, and what killed it; shared out among processes.

Reasons for guards that nothing needs: a file that must stay true.
"""

import pickle
import select
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from isrcheck.engines.common.growth import run_with_growth
from isrcheck.errors import UsageError, nearest
from isrcheck.gate.mutants.judge import Baseline, Judge, JudgeOptions, baseline
from isrcheck.gate.mutants.make import Fate, Mutant, MutantOutcome, Mutation, mutants_of
from isrcheck.grid.toml_table import TablePlace, Texts, TomlString, parse_toml, read_toml, tables_of
from isrcheck.ir.model import ModelIR
from isrcheck.passes import bind
from isrcheck.passes.lowering import MutantLowering
from isrcheck.process.supervised import Channel, Child, start
from isrcheck.user_cache import CacheFolder

Outcomes = tuple[MutantOutcome | None, ...]


@dataclass(frozen=True)
class SurveyedMutant:
    mutant: Mutant
    outcomes: Outcomes  # smallest first; None where not needed

    @property
    def position(self) -> int:
        ranks = list(Fate)
        ranked = [(ranks.index(f.fate), position) for position, f in enumerate(self.outcomes) if f is not None]
        return min(ranked)[1]

    @property
    def outcome(self) -> MutantOutcome:
        decisive = self.outcomes[self.position]
        assert decisive is not None
        return decisive


@dataclass(frozen=True)
class Survey:
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
    cache: CacheFolder | None = None,
    workers: int = 1,
    tell: Callable[[str], object] = lambda _: None,
) -> Survey:
    """Checks the mutants that are `wanted`, at the smallest graph first, and no further than one detects it.

    Raises UsageError, AssumptionFalse or ModelError for the original.
    """
    judges = [_judge(ir, dict(given), properties, options, cache) for given in configurations]
    judges.sort(key=lambda judge: judge.baseline.search.distinct)
    if not options.deadlock:
        _require_killers(name, [judge.baseline for judge in judges])
    mutants = tuple(mutant for mutant in mutants_of(ir) if wanted(mutant))
    answers = _answers(mutants, judges, workers, tell)
    results = tuple(SurveyedMutant(mutant, answers[mutant.name]) for mutant in mutants)
    return Survey(name, ir, tuple(judge.baseline for judge in judges), results, options)


def _require_killers(model: str, baselines: Sequence[Baseline]) -> None:
    """Require a property that holds of the model without a change: no other kills a mutant. Raises UsageError."""
    if any(base.asked for base in baselines):
        return
    failing = ", ".join(dict.fromkeys(name for base in baselines for name in base.failing))
    why = f"{failing} fails of the model itself" if failing else "no property is asked that applies to it"
    raise UsageError(f"nothing can kill a mutant of {model}: {why}. Choose others by --property, or --deadlock.")


def _judge(
    ir: ModelIR,
    given: dict[str, Any],
    properties: tuple[str, ...] | None,
    options: JudgeOptions,
    cache: CacheFolder | None,
) -> Judge:
    model = bind(ir, given)
    if properties is not None:
        known = {p.name for p in ir.properties}
        unknown = [name for name in properties if name not in known]
        if unknown:
            raise UsageError(f"{ir.name} has no property {unknown[0]}.{nearest(unknown[0], known)}")
        properties = tuple(p.name for p in model.properties if p.name in properties)

    def judge() -> Judge:
        original = MutantLowering(model)
        return Judge(original, baseline(original, given, properties, options.limits), options, cache)

    return run_with_growth(model, judge)


def _answers(
    mutants: tuple[Mutant, ...], judges: list[Judge], workers: int, tell: Callable[[str], object]
) -> dict[str, Outcomes]:
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
    outcomes: list[MutantOutcome | None] = []
    for judge in judges:
        settled = any(f is not None and f.fate.is_detected for f in outcomes) and not judge.options.everything
        outcomes.append(None if settled else judge.outcome(mutant))
    return tuple(outcomes)


_LOOK_SECONDS = 0.05


class _Lane:
    def __init__(self, tasks: Sequence[Any], work: Callable[[Any], Any]) -> None:
        self.tasks = list(tasks)
        self._work = work
        self._has_died = False
        self.child = self._start()

    def _start(self) -> Child:
        def answer(channel: Channel) -> None:
            for task in self.tasks:
                channel.say(_answer(self._work, task))

        return start(answer)

    def answers(self, lost: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
        """Yield (task, answer) as answers come; a task that kills its process twice is given to `lost`."""
        is_over = self.child.code() is not None
        for message in self.child.messages():
            answer, error = pickle.loads(message)
            if error is not None:
                raise error
            self._has_died = False
            yield self.tasks.pop(0), answer
        if not (is_over or self.child.is_silent):
            return
        self.child.kill()
        if self.tasks and self._has_died:
            yield self.tasks[0], lost(self.tasks.pop(0))
        self._has_died = not self._has_died
        if self.tasks:
            self.child = self._start()


def _answer(work: Callable[[Any], Any], task: Any) -> bytes:
    try:
        return pickle.dumps((work(task), None))
    except Exception as error:
        return pickle.dumps((None, error))


def through(
    tasks: Sequence[Any], work: Callable[[Any], Any], lost: Callable[[Any], Any], workers: int
) -> Iterator[tuple[Any, Any]]:
    """Each task with its answer; one that kills its process is tried again, and `lost` answers if it does so twice."""
    lanes = [_Lane(tasks[first::workers], work) for first in range(min(workers, len(tasks)))]
    try:
        while running := [lane for lane in lanes if lane.tasks]:
            select.select([lane.child for lane in running], [], [], _LOOK_SECONDS)
            for lane in running:
                yield from lane.answers(lost)
    finally:
        for lane in lanes:
            lane.child.kill()


BECAUSE = {
    "implied": "other guards, a type or the parameters say the same",
    "bound": "the step it forbids would leave a bound, and is pruned",
    "harmless": "the step it forbids changes nothing, or nothing that any property speaks of",
    "choice": "it compares constants only: it takes an action away that these runs do not ask for",
    "scope": "it keeps the model small or close to its source, which no property speaks of",
    "missing": "a property is missing that would kill the mutant",
}


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason why nothing kills the mutant without a guard; `because` is one of BECAUSE."""

    models: Texts = ()
    guard: TomlString = ""
    because: TomlString = ""
    reason: TomlString = ""


def read_reasons(file: Path) -> tuple[Reason, ...]:
    """The reasons in a file. Raises UsageError for one that is not as above, or listed twice."""
    source = read_toml(file, "[[guard]]")
    tables = tables_of(parse_toml(source, str(file), ["guard"]), "guard", str(file))
    reasons = tuple(
        _reason(table, TablePlace(source, str(file), "guard", number)) for number, table in enumerate(tables)
    )
    listed: set[tuple[str, str]] = set()
    for model, guard in ((model, each.guard) for each in reasons for model in each.models):
        if (model, guard) in listed:
            raise UsageError(f"{file} lists {guard!r} of {model} twice: leave one out.")
        listed.add((model, guard))
    return reasons


def _reason(keys: Mapping[str, Any], at: TablePlace) -> Reason:
    table = at.read(keys, Reason)
    if not table.models:
        raise at.refusal('the guard names no models: write models = ["..."]')
    for name in ("guard", "because", "reason"):
        if not getattr(table, name).strip():
            raise at.refusal(f'the guard has no {name}: write {name} = "..."', name)
    if table.because not in BECAUSE:
        remedy = nearest(table.because, BECAUSE)
        raise UsageError(f"{at.place('because')}: there is no because = {table.because!r}.{remedy}")
    return msgspec.structs.replace(table, reason=" ".join(table.reason.split()))


@dataclass(frozen=True)
class ReasonCheck:
    unneeded: tuple[tuple[str, Reason | None], ...]  # removed undetected; with its reason
    wrong: tuple[str, ...]  # listed, not so
    expected: bool = True  # was one given

    @property
    def is_as_listed(self) -> bool:
        return not self.expected or (not self.wrong and all(reason is not None for _, reason in self.unneeded))


def check_reasons(survey: Survey, reasons: Iterable[Reason] | None) -> ReasonCheck:
    """Find the guards that nothing needs, and the reasons that are not true; None: no list was given."""
    own = {each.guard: each for each in reasons or () if survey.model in each.models}
    guards = {r.mutant.guard: r for r in survey.results if r.mutant.change is Mutation.GUARD}
    fates = {name: result.outcome.fate for name, result in guards.items()}
    unneeded = tuple((n, own.get(n)) for n, f in fates.items() if not (f.is_detected or f.is_undecided))
    return ReasonCheck(unneeded, tuple(_lies(survey, own, guards)), reasons is not None)


def _lies(survey: Survey, reasons: dict[str, Reason], guards: dict[str, SurveyedMutant]) -> Iterable[str]:
    known = {mutant.guard for mutant in mutants_of(survey.ir) if mutant.guard}
    for name in reasons:
        if name not in known:
            yield f"the list of unneeded guards has {name!r}, which {survey.model} does not have.{nearest(name, known)}"
        elif name in guards and guards[name].outcome.fate.is_detected:
            outcome = guards[name].outcome
            who = ", ".join(kill.name for kill in outcome.kills) or outcome.fate.value
            yield f"the list of unneeded guards has {name!r} of {survey.model}, whose removal is detected: {who}."
