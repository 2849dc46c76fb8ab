"""A script over several variants: who knows its steps, what each does, and whether that is what the script expects."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from isrcheck.engines.contract import Limits
from isrcheck.errors import AssumptionFalse, UsageError, nearest
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.run.outcome import worst
from isrcheck.schedule.script import Expectation, Script
from isrcheck.schedule.steps import ScheduleVocabulary, UnknownStep, bind_known
from isrcheck.schedule.variant import VariantRun, run_variant

DEFAULT_STATES = 100_000
DEFAULT_LIMITS = Limits(states=DEFAULT_STATES)


@dataclass(frozen=True)
class ScheduleReport:
    runs: tuple[VariantRun, ...]
    left_out: dict[str, str]
    unmet: tuple[str, ...]
    expects: bool

    @property
    def exit(self) -> int:
        """21 if an expectation is not met, 20 if a run was cut short; 12 or 13 for a violation that is not expected."""
        if self.unmet:
            return 21
        broken = [p.kind for run in self.runs for p in run.properties if p.verdict == "violated"]
        if broken and not self.expects:
            return worst(kind.exit_code for kind in broken)
        return 20 if any(run.cut for run in self.runs) else 0


def run_script(
    script: Script,
    models: Mapping[str, type[Model]],
    *,
    named: bool,
    constants: Mapping[str, str],
    properties: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> ScheduleReport:
    """Runs a script over these models.

    A model that was `named` must know every step; of the others, those that do not are left out with the reason. The
    constants given come before the script's; each goes to the models that have it. Raises UsageError.
    """
    chosen = {**script.constants, **constants}
    irs = [read_model(cls) for cls in models.values()]
    _check_names("constant", chosen, {n for ir in irs for n in ir.constant_names})
    _check_names("property", properties, {p.name for ir in irs for p in ir.properties})
    runs, left_out = [], {}
    for name, cls in models.items():
        try:
            words = ScheduleVocabulary(bind_known(read_model(cls), chosen))
            steps = words.meant(script)
        except (UsageError, AssumptionFalse) as error:
            if named:
                raise
            left_out[name] = error.reason if isinstance(error, UnknownStep) else str(error).splitlines()[0]
            continue
        runs.append(run_variant(name, words, steps, _asked(name, words, properties, script.expectations), limits))
    if not runs:
        reasons = Counter(left_out.values()).most_common(1)
        raise UsageError(
            f"no model knows every step of the script: {reasons[0][0]} for {reasons[0][1]} of {len(models)}."
        )
    unmet = tuple(sentence for e in script.expectations for sentence in _unmet(e, runs))
    return ScheduleReport(tuple(runs), left_out, unmet, bool(script.expectations))


def _check_names(what: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"no model of this run has a {what} {name}.{nearest(name, known)}")


def _asked(
    model: str, words: ScheduleVocabulary, properties: Sequence[str], expectations: Sequence[Expectation]
) -> Iterator[str]:
    """The properties asked for, or all but reachability properties; and those that the script expects something of.

    Raises UsageError for an expectation of a property that the model does not have, or that is not asked there.
    """
    bound = words.model
    expected = [(e, p) for e in expectations if e.model == model for p in e.properties]
    known = [p.name for p in bound.ir.properties]
    for expectation, name in expected:
        if name not in known:
            raise UsageError(f"{expectation.place}: {model} has no property {name}.{nearest(name, known)}")
        if name in bound.not_asked:
            raise UsageError(f"{expectation.place}: {name} does not apply to {model} here: {bound.not_asked[name]}")
    for asked in bound.properties:
        of_itself = asked.name in properties if properties else asked.kind.is_violation
        if of_itself or any(asked.name == name for _, name in expected):
            yield asked.name


def _unmet(expectation: Expectation, runs: Sequence[VariantRun]) -> Iterator[str]:
    """What is not as expected, a sentence each; a model that was not run is not judged."""
    for run in runs:
        if run.model != expectation.model:
            continue
        if expectation.verdict == "cannot":
            if run.taken == len(run.steps) or run.cut:
                instead = "it is undetermined" if run.cut else "a run follows to the end"
                yield f"{expectation.place}: {run.model} was expected to be unable to follow, and {instead}."
            continue
        for found in (p for p in run.properties if p.name in expectation.properties):
            if found.verdict != expectation.verdict:
                yield (
                    f"{expectation.place}: {found.name} of {run.model} was expected to be {expectation.verdict}, "
                    f"and is {found.verdict}."
                )
