"""Expectations against what was found, vacuity over all runs of a model together, and the gate's exit code."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from isrcheck.gate.cells import GateCell
from isrcheck.gate.run import Runs
from isrcheck.gate.spec import (
    DOES_NOT_APPLY,
    HOLDS,
    NEVER_REACHED,
    REACHED,
    UNDETERMINED,
    VIOLATED,
    Answer,
    answer_of,
)
from isrcheck.gate.worker import Ended, LeftOut, Ran, Result
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import Verdict
from isrcheck.place import NOWHERE, Place
from isrcheck.run.outcome import Outcome, PropertyOutcome, worst
from isrcheck.run.parts import CaseStatus, VacuityCandidate
from isrcheck.run.trace import Trace

_INSTALLED = frozenset({"site-packages", "dist-packages"})


def checkout_root() -> Path:
    """Return the folder that has .git, at or above the working directory; without one, the working directory."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def is_own_text(file: str) -> bool:
    """Whether a file lies in the checkout and belongs to no installed package."""
    path = Path(file).resolve()
    return path.is_relative_to(checkout_root().resolve()) and _INSTALLED.isdisjoint(path.parts)


def checkout_path(file: str) -> str:
    """Return the path of a file relative to the checkout, with slashes; it begins with .. outside."""
    return Path(os.path.relpath(Path(file).resolve(), checkout_root().resolve())).as_posix()


def library_path(file: str) -> str:
    """Return the path of a file of a library relative to the folder from which Python imports it, with slashes."""
    path = Path(file).resolve()
    folders = [Path(folder).resolve() for folder in sys.path if folder]
    above = max((f for f in folders if path.is_relative_to(f)), key=lambda f: len(f.parts), default=path.parent)
    return path.relative_to(above).as_posix()


Tried = tuple[GateCell, Result]


@dataclass(frozen=True)
class VacuityFinding:
    """An action, guard or property that no run of a model exercised."""

    model: str
    kind: str  # action, model or a part's
    what: str
    sentence: str
    written: str
    place: str = ""
    is_certain: bool = True  # if all ended
    spec: Place = NOWHERE  # of the first run
    is_asked: bool = True  # by a spec, or the user's own text; the rest is a library's


def vacuities(tried: Sequence[Tried]) -> tuple[VacuityFinding, ...]:
    """Find the vacuity that every run of a model has, unless a run is expected to have it."""
    by_model: dict[str, list[Tried]] = {}
    for cell, result in tried:
        if not (cell.terms.error is not None and isinstance(result, Ended)):
            by_model.setdefault(cell.model, []).append((cell, result))
    return tuple(
        replace(vacuous, spec=_first_line(runs))
        for model, runs in by_model.items()
        for vacuous in _vacuities_of_model(model, runs)
    )


def _first_line(runs: Sequence[Tried]) -> Place:
    terms = runs[0][0].terms
    return Place(str(terms.spec), terms.line)


def _vacuities_of_model(model: str, runs: Sequence[Tried]) -> Iterator[VacuityFinding]:
    looked = [result for cell, result in runs if cell.terms.strict is not False]
    if looked and not any(saw_all(result) for result in looked):
        said = f"no run of {model} saw its whole graph: what is vacuous in it"
        yield VacuityFinding(model, "model", model, said, model, is_certain=False)
    yield from _never_taken(model, runs)
    yield from _without_a_case(model, runs)


def saw_all(result: Result) -> bool:
    return isinstance(result, Ran) and result.complete is not None and result.complete.parts is not None


def _never_taken(model: str, runs: Sequence[Tried]) -> Iterator[VacuityFinding]:
    ran = [result for _, result in runs if isinstance(result, Ran)]
    complete = [result.complete for result in ran if result.complete is not None]
    taken = {action.name for result in ran for o in result.outcomes for action in o.actions if action.generated}
    expected = {name for cell, _ in runs for name in cell.terms.never}
    for name in dict.fromkeys(name for outcome in complete for name in outcome.dead_actions):
        if name not in taken | expected:
            known = len(complete) == len(runs)
            said = f"{'' if known else 'whether '}the action {name} can never happen in any run of {model}"
            yield VacuityFinding(model, "action", name, said, name, is_certain=known)


def _without_a_case(model: str, runs: Sequence[Tried]) -> Iterator[VacuityFinding]:
    """The guards and properties of which no run has a case, and one might have had."""
    looked = [(cell, result) for cell, result in runs if cell.terms.strict is not False or cell.terms.vacuous]
    outcomes = [outcome for _, ran in looked if isinstance(ran, Ran) for outcome in ran.outcomes]
    reached = {p.name for outcome in outcomes for p in outcome.properties if p.verdict is Verdict.HOLDS}
    expected = {written for cell, _ in runs for written in (*cell.terms.vacuous, *cell.expect)}
    by_key: dict[tuple[str, str, str], list[VacuityCandidate]] = {}
    for candidate in (each for outcome in outcomes for each in outcome.parts or ()):
        by_key.setdefault(candidate.key, []).append(candidate)
    for same in by_key.values():
        candidate, statuses = same[0], {each.status for each in same}
        met = CaseStatus.CASE in statuses or (candidate.kind == "claim" and candidate.owner in reached)
        if met or statuses == {CaseStatus.CONSTANT} or candidate.written in expected:
            continue
        known = CaseStatus.CUT not in statuses and all(saw_all(result) for _, result in looked)
        place = f"{candidate.place}  {candidate.source}"
        said = f"{model}: {'' if known else 'whether '}{candidate.sentence}"
        is_asked = _is_asked(candidate, [cell for cell, _ in runs])
        yield VacuityFinding(
            model=model,
            kind=candidate.kind,
            what=candidate.owner,
            sentence=said,
            written=candidate.written,
            place=place,
            is_certain=known,
            is_asked=is_asked,
        )


def _is_asked(candidate: VacuityCandidate, cells: Sequence[GateCell]) -> bool:
    """Whether a spec asks whether this is vacuous: by a property it expects, by `strict`, or by the user's own text.

    The fairness that temporal properties assume is part of each of them.
    """
    if candidate.kind in ("fairness", "closure") or is_own_text(candidate.file):
        return True
    return any(candidate.owner in cell.expect or cell.terms.strict for cell in cells)


NO_CASE = "no case of it"
ERROR_WORDS = {2: "wrong usage", 10: "assumption false", 20: UNDETERMINED, 70: "fault", 75: "model error"}


class Status(Enum):
    MET = "met"
    DIFFERS = "differs"
    UNDETERMINED = "undetermined"
    ERROR = "error"
    LEFT_OUT = "left out"


_WORST_FIRST = (Status.ERROR, Status.DIFFERS, Status.UNDETERMINED, Status.LEFT_OUT)
_EXITS = {Status.MET: 0, Status.DIFFERS: 21, Status.UNDETERMINED: 20, Status.LEFT_OUT: 20}


@dataclass(frozen=True)
class Finding:
    """An expectation and what was found."""

    what: str  # a property, a count, `never ACTION`, `vacuous OWNER: TEXT`, `strict`, `run`
    kind: str  # property, count, action, vacuous, run
    status: Status
    expected: str
    actual: str
    code: int = 70  # the exit, of an error
    trace: Trace | None = None

    @property
    def exit(self) -> int:
        return _EXITS.get(self.status, self.code)

    @property
    def is_improvement(self) -> bool:
        """Whether a property is no longer violated, though the spec says that it is."""
        is_better = self.kind == "property" and self.status is Status.DIFFERS
        was_violated = self.expected.startswith((VIOLATED, NEVER_REACHED))
        return is_better and was_violated and self.actual.startswith((HOLDS, REACHED))

    @property
    def sentence(self) -> str:
        return f"{self.what}: expected {self.expected}, found {self.actual}"


@dataclass(frozen=True)
class JudgedCell:
    cell: GateCell
    result: Result
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def status(self) -> Status:
        statuses = {finding.status for finding in self.findings}
        return next((status for status in _WORST_FIRST if status in statuses), Status.MET)

    @property
    def wrong(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.status is not Status.MET)

    @property
    def outcome(self) -> Outcome | None:
        return self.result.outcome if isinstance(self.result, Ran) else None


@dataclass(frozen=True)
class GateVerdict:
    """The whole gate's answer; what may be vacuous, or is in text that no spec asks about, fails nothing."""

    cells: tuple[JudgedCell, ...]
    vacuous: tuple[VacuityFinding, ...]
    maybe_vacuous: tuple[VacuityFinding, ...]
    vacuous_not_asked: tuple[VacuityFinding, ...]
    seconds: float
    workers: int
    interrupted: bool

    @property
    def exit(self) -> int:
        codes = {f.exit for cell in self.cells for f in cell.findings}
        if self.vacuous:
            codes.add(22)
        if self.interrupted:
            codes.add(130)
        return worst(codes)

    def count(self, status: Status) -> int:
        return sum(cell.status is status for cell in self.cells)

    @property
    def expectations(self) -> Counter[Status]:
        return Counter(f.status for cell in self.cells for f in cell.findings)


def judge(runs: Runs) -> GateVerdict:
    judged = tuple(
        JudgedCell(cell, result, findings(cell, result), runs.took.get(n, 0.0))
        for n, (cell, result) in enumerate(zip(runs.cells, runs.results, strict=True))
    )
    all_vacuous = vacuities([(j.cell, j.result) for j in judged])
    known, unknown = (tuple(v for v in all_vacuous if v.is_asked and v.is_certain is sure) for sure in (True, False))
    others = tuple(v for v in all_vacuous if v.is_certain and not v.is_asked)
    return GateVerdict(
        cells=judged,
        vacuous=known,
        maybe_vacuous=unknown,
        vacuous_not_asked=others,
        seconds=runs.seconds,
        workers=runs.workers,
        interrupted=runs.interrupted,
    )


def findings(cell: GateCell, result: Result) -> tuple[Finding, ...]:
    """Compare each expectation of a cell with its result; at least one finding, whatever happened."""
    match result:
        case LeftOut(why=why):
            return (_of_run(cell, Status.LEFT_OUT, f"left out: {why}"),)
        case Ended():
            return (_judge_error(cell, result),)
        case Ran() if cell.terms.error is not None:
            return (_of_run(cell, Status.DIFFERS, f"a verdict: {result.outcome.verdict.value}"),)
        case Ran():
            compared = tuple(
                finding for each in (_properties, _counts, _actions, _vacuous) for finding in each(cell, result)
            )
            return compared or (Finding("run", "run", Status.UNDETERMINED, "something", "nothing to decide"),)


def _of_run(cell: GateCell, status: Status, actual: str, code: int = 70) -> Finding:
    terms, expected = cell.terms, "a verdict"
    if terms.error is not None:
        expected = f"{ERROR_WORDS[terms.error]}{f' ({terms.says})' if terms.says else ''}"
    return Finding("run", "run", status, expected, actual, code)


def _judge_error(cell: GateCell, ended: Ended) -> Finding:
    """Judge an error: it is met if it is the expected one and its sentence has what is expected."""
    sentence = " ".join(ended.sentence.split())
    phrase = ERROR_WORDS.get(ended.exit, f"exit {ended.exit}")
    if ended.exit == cell.terms.error:
        if cell.terms.says in sentence:
            return _of_run(cell, Status.MET, phrase)
        return _of_run(cell, Status.DIFFERS, sentence)
    if ended.exit == 20:
        return _of_run(cell, Status.UNDETERMINED, sentence)
    return _of_run(cell, Status.ERROR, f"{phrase}: {sentence}", ended.exit)


def _properties(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    decided = {p.name: p for p in ran.outcome.properties}
    # Without any, no model was read.
    other = Answer(DOES_NOT_APPLY if decided or ran.outcome.cut is None else UNDETERMINED)
    for name, expected in cell.expect.items():
        actual = answer_of(decided[name]) if name in decided else other
        trace = decided[name].trace if name in decided else None
        if actual.verdict == UNDETERMINED and not (actual.bound and expected.bound):
            said = str(actual) if actual.bound else _why(ran, decided.get(name))
            yield Finding(name, "property", Status.UNDETERMINED, str(expected), said)
        else:
            status = Status.MET if expected.is_met_by(actual) else Status.DIFFERS
            yield Finding(name, "property", status, str(expected), str(actual), trace=trace)


def _why(ran: Ran, decided: PropertyOutcome | None) -> str:
    """The reason why a property is undetermined: a limit that ended the run, or its own."""
    if ran.outcome.cut:
        return f"{UNDETERMINED}: the run ended {ran.outcome.cut}"
    return f"{UNDETERMINED}: {decided.reason}" if decided and decided.reason else UNDETERMINED


def _counts(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    for name, expected in cell.counts.items():
        status = Status.UNDETERMINED
        said = f"{UNDETERMINED}: the run ended {ran.outcome.cut}"
        if ran.complete is not None:
            actual = getattr(ran.complete, name)
            status = Status.MET if actual == expected else Status.DIFFERS
            said = _number(actual)
        yield Finding(name, "count", status, _number(expected), said)


def _number(count: int | str | None) -> str:
    return f"{count:,}" if isinstance(count, int) else str(count)


def _actions(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    generated = {action.name: action.generated for action in (ran.complete or ran.outcome).actions}
    for name in cell.terms.never:
        status = Status.MET
        said = "never taken"
        if taken := generated.get(name, 0):
            status = Status.DIFFERS
            said = f"taken {taken:,} times"
        elif ran.complete is None:
            status = Status.UNDETERMINED
            said = f"{UNDETERMINED}: the run ended {ran.outcome.cut}"
        yield Finding(f"never {name}", "action", status, "never taken", said)


def _vacuous(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    """Compare the vacuity that is expected, and, where a run is strict, tell whether all vacuity is known."""
    complete = ran.complete
    what, cut = "run", ran.outcome.cut
    if complete is not None and complete.cut is None:
        what = "search for vacuity"
        cut = complete.vacuity_cut
    why = f"{UNDETERMINED}: the {what} ended {cut or 'before all was looked at'}"
    parts = None if complete is None else complete.parts
    statuses = {candidate.written: candidate.status for candidate in parts or ()}
    for written in cell.terms.vacuous:
        status, said = Status.MET, NO_CASE
        match CaseStatus.CUT if parts is None else statuses.get(written):
            case CaseStatus.CUT:
                status = Status.UNDETERMINED
                said = why
            case CaseStatus.CASE:
                status = Status.DIFFERS
                said = "a case of it"
            case None:
                status, said = Status.DIFFERS, "nothing of that name, or an action that never happens"
        yield Finding(f"vacuous {written}", "vacuous", status, NO_CASE, said)
    if cell.terms.strict and (complete is None or parts is None or complete.maybe_vacuous):
        yield Finding("strict", "run", Status.UNDETERMINED, "the whole graph", why)
