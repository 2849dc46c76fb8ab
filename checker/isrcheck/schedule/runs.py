"""A script over several variants: who knows its steps, what each does, whether that is expected; as data and shown."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from isrcheck.engines.contract import Limits
from isrcheck.errors import AssumptionFalse, UsageError, nearest, quantity
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Document, Tone
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.run.outcome import worst
from isrcheck.run.trace import encode
from isrcheck.schedule.pair import PropertyRun, VariantRun, run_variant
from isrcheck.schedule.steps import Expectation, ScheduleVocabulary, Script, Step, UnknownStep, bind_known

DEFAULT_STATES = 100_000
DEFAULT_LIMITS = Limits(states=DEFAULT_STATES)


@dataclass(frozen=True)
class ScheduleReport:
    runs: tuple[VariantRun, ...]
    left_out: dict[str, str]
    unmet: tuple[str, ...]
    expects: bool  # something of a model that was run
    asked: tuple[str, ...] = ()  # properties by name

    @property
    def exit(self) -> int:
        """21 for an expectation not met; the code of a violation not expected; 20 if cut short."""
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
    """Run a script on models; one that is `named` must know every step, others are left out. Raises UsageError."""
    chosen = {**script.constants, **constants}
    irs = [read_model(cls) for cls in models.values()]
    _check_names("constant", chosen, {n for ir in irs for n in ir.constant_names})
    _check_names("property", properties, {p.name for ir in irs for p in ir.properties})
    runs, left_out = [], {}
    for name, cls in models.items():
        try:
            words = ScheduleVocabulary(bind_known(read_model(cls), chosen))
            steps = words.steps_of(script)
        except (UsageError, AssumptionFalse) as error:
            if named:
                raise
            left_out[name] = error.reason if isinstance(error, UnknownStep) else str(error).splitlines()[0]
            continue
        runs.append(
            run_variant(name, words, steps, _properties_to_run(name, words, properties, script.expectations), limits)
        )
    if not runs:
        reasons = Counter(left_out.values()).most_common(1)
        raise UsageError(
            f"no model knows every step of the script: {reasons[0][0]} for {reasons[0][1]} of {len(models)}."
        )
    if properties and not any(run.properties for run in runs):
        raise UsageError(f"{' and '.join(properties)} applies to no model of this run with these constants.")
    unmet = tuple(sentence for e in script.expectations for sentence in _unmet(e, runs))
    expects = not {run.model for run in runs}.isdisjoint(e.model for e in script.expectations)
    return ScheduleReport(tuple(runs), left_out, unmet, expects, tuple(properties))


def _check_names(what: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"no model of this run has a {what} {name}.{nearest(name, known)}")


def _properties_to_run(
    model: str, words: ScheduleVocabulary, properties: Sequence[str], expectations: Sequence[Expectation]
) -> Iterator[str]:
    """The properties asked for, and those that the script expects something of."""
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
    """Yield a sentence for each expectation that a run does not meet; a model that was not run is not judged."""
    for run in runs:
        if run.model != expectation.model:
            continue
        if expectation.verdict == "cannot":
            if run.taken == len(run.steps) or run.cut:
                instead = "it is undetermined" if run.cut else "a run follows to the end"
                yield f"{expectation.place}: {run.model} was expected to be unable to follow, and {instead}."
            continue
        for judged in (p for p in run.properties if p.name in expectation.properties):
            if judged.verdict != expectation.verdict:
                yield (
                    f"{expectation.place}: {judged.name} of {run.model} was expected to be {expectation.verdict}, "
                    f"and is {judged.verdict}."
                )


SCHEMA = "isrcheck.schedule/1"

_TONES = {"violated": Tone.BAD, "kept": Tone.GOOD, "reached": Tone.GOOD, "followed": Tone.PLAIN}


def report_document(report: ScheduleReport) -> Iterator[doc.Block]:
    model = doc.Column("model", fixed=True, tone=Tone.STRONG)
    rows: list[doc.TableRow] = [
        [run.model if number == 0 else "", names, doc.Piece(verdict, _TONES.get(verdict, Tone.UNSURE)), event]
        for run in report.runs
        for number, (names, verdict, event) in enumerate(_rows(run, report.asked))
    ]
    if rows:
        yield doc.Table([model, "property", "verdict", "what happened"], rows)
        yield doc.Paragraph("kept is said of this schedule alone: nothing else was run.", tone=Tone.QUIET)
    if report.left_out:
        reasons = {
            reason: [n for n, why in report.left_out.items() if why == reason] for reason in report.left_out.values()
        }
        models = (f"  {', '.join(names)}: {reason}" for reason, names in reasons.items())
        yield doc.Paragraph(f"Left out: {quantity(len(report.left_out), 'model')}.", *models, tone=Tone.QUIET)
    if report.unmet:
        yield doc.Paragraph(*(f"Not as expected: {sentence}" for sentence in report.unmet), tone=Tone.BAD)


def _rows(run: VariantRun, asked: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield rows of properties, verdict and what happened; properties that one step decides share a row."""
    decided: dict[tuple[str, str], list[str]] = {}
    for property_run in run.properties:
        if property_run.trace:
            decided.setdefault((property_run.verdict, _step_that_decides(property_run, run)), []).append(
                property_run.name
            )
    yield from ((", ".join(names), verdict, what) for (verdict, what), names in decided.items())
    for verdict in ("kept", "unreached", "undetermined", "cannot"):
        rest = [p.name for p in run.properties if p.verdict == verdict]
        if rest:
            several = len(rest) > 3
            names = f"{len(rest)} {'others' if decided else 'properties'}" if several else ", ".join(rest)
            yield names, verdict, _about(verdict, run)
    if run.properties and run.taken < len(run.steps) and all(p.trace for p in run.properties) and not run.cut:
        yield "the rest of the schedule", "cannot", _about("cannot", run)
    if not run.properties:
        yield "none that applies", run.verdict, _about(run.verdict, run)
    yield from ((name, "n/a", reason) for name, reason in _inapplicable(run, asked).items())


def _inapplicable(run: VariantRun, asked: Iterable[str]) -> dict[str, str]:
    """Why properties that were asked for do not apply to a model."""
    decided = {property_run.name for property_run in run.properties}
    unknown = "the model has no such property"
    return {name: run.bound.not_asked.get(name, unknown) for name in asked if name not in decided}


def _step_that_decides(property_run: PropertyRun, run: VariantRun) -> str:
    assert property_run.trace is not None
    internal = property_run.trace.length - 1 - property_run.taken
    steps = f", with {quantity(internal, 'internal step')}" if internal else ""
    if not property_run.taken:
        return f"before the first step{steps}"
    return f"step {property_run.taken} of {len(run.steps)}, {run.steps[property_run.taken - 1].line}{steps}"


def _about(verdict: str, run: VariantRun) -> str:
    if verdict == "undetermined":
        return f"cut short {run.cut}"
    if verdict == "cannot":
        step = f"step {run.taken + 1} of {len(run.steps)}, {run.steps[run.taken].line}"
        return f"{step}: {run.refusal}" if run.refusal else f"{step}: no instance of it"
    pruned = f", within bounds ({quantity(run.pruned, 'step')} pruned)" if run.pruned else ""
    return f"every run, {quantity(len(run.ends), 'state')} at the end{pruned}"


def report_to_dict(report: ScheduleReport, version: str, files: dict[tuple[str, str], str]) -> dict[str, Any]:
    """The report as plain data; `files` has those of traces, by model and property."""
    return {
        "schema": SCHEMA,
        "version": version,
        "exit": report.exit,
        "runs": [_run(run, files) | {"not_asked": _inapplicable(run, report.asked)} for run in report.runs],
        "left_out": report.left_out,
        "unmet": list(report.unmet),
    }


def _run(run: VariantRun, files: dict[tuple[str, str], str]) -> dict[str, Any]:
    return {
        "model": run.model,
        "constants": {n: encode(v) for n, v in run.bound.constants.items()},
        "verdict": run.verdict,
        "steps": [{"text": s.line, "action": s.action} for s in run.steps],
        "taken": run.taken,
        "states": {"ends": len(run.ends), "nodes": run.nodes, "pruned": run.pruned},
        "cut": run.cut,
        "refusal": run.refusal and asdict(run.refusal),
        "properties": [_property(p, files.get((run.model, p.name))) for p in run.properties],
    }


def _property(property_run: PropertyRun, file: str | None) -> dict[str, Any]:
    trace = {"length": property_run.trace.length, "file": file} if property_run.trace else None
    return {
        "name": property_run.name,
        "kind": property_run.kind.name,
        "verdict": property_run.verdict,
        "taken": property_run.taken,
        "trace": trace,
    }


GROUP = "isrcheck.systems"


class PlayedSchedule(Protocol):
    """The result of a schedule played on a system. `exit`: 0 together to the end, 12 they part, 20 undetermined."""

    @property
    def exit(self) -> int: ...

    def document(self) -> Document: ...

    def to_dict(self, version: str) -> dict[str, Any]: ...


class Play(Protocol):
    """The player of a model's steps; `system` is as the user wrote it, such as kafka-4.1.1."""

    def __call__(
        self,
        system: str,
        model: str,
        vocabulary: ScheduleVocabulary,
        steps: Sequence[Step],
        expected: Sequence[str],
        folder: Path | None,
        say: Callable[[str], None],
    ) -> PlayedSchedule: ...


def find_system(name: str) -> Play:
    """Find a system by the name before the first hyphen. Raises UsageError."""
    from importlib.metadata import entry_points  # here: it takes 0.05 s to import

    offers = {offer.name: offer for offer in entry_points(group=GROUP)}
    family = name.partition("-")[0]
    if family not in offers:
        listed = " or ".join(f"{each}-RELEASE" for each in sorted(offers)) or "none is installed"
        raise UsageError(f"--on {name}: a schedule is played on {listed}.{nearest(family, offers)}")
    play: Play = offers[family].load()
    return play
