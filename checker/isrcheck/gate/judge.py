"""Expectations against what was found, and the gate's exit code."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from isrcheck.gate.cells import GateCell
from isrcheck.gate.run import Runs
from isrcheck.gate.vacuity import VacuityFinding, vacuities
from isrcheck.gate.words import DOES_NOT_APPLY, UNDETERMINED, Answer, answer_of
from isrcheck.gate.worker import Ended, LeftOut, Ran, Result
from isrcheck.run.outcome import Outcome, PropertyOutcome, worst
from isrcheck.run.parts import Standing
from isrcheck.run.trace import Trace

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

    # a property, a count, `never ACTION`,
    # `vacuous OWNER: TEXT`, `strict`, `run`
    what: str
    # property, count, action, vacuous, run
    kind: str
    status: Status
    expected: str
    found: str
    code: int = 70  # the exit, of an error
    trace: Trace | None = None

    @property
    def exit(self) -> int:
        return _EXITS.get(self.status, self.code)

    @property
    def sentence(self) -> str:
        return f"{self.what}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True)
class JudgedCell:
    cell: GateCell
    result: Result
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def status(self) -> Status:
        found = {finding.status for finding in self.findings}
        return next((status for status in _WORST_FIRST if status in found), Status.MET)

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
    found = vacuities([(j.cell, j.result) for j in judged])
    known, unknown = (tuple(v for v in found if v.is_asked and v.known is wanted) for wanted in (True, False))
    others = tuple(v for v in found if v.known and not v.is_asked)
    return GateVerdict(judged, known, unknown, others, runs.seconds, runs.workers, runs.interrupted)


def findings(cell: GateCell, result: Result) -> tuple[Finding, ...]:
    """What became of each expectation of a cell; at least one finding, whatever happened."""
    match result:
        case LeftOut(why=why):
            return (_of_run(cell, Status.LEFT_OUT, f"left out: {why}"),)
        case Ended():
            return (_ended(cell, result),)
        case Ran() if cell.terms.error is not None:
            return (_of_run(cell, Status.DIFFERS, f"a verdict: {result.outcome.verdict.value}"),)
        case Ran():
            found = tuple(
                finding for each in (_properties, _counts, _actions, _vacuous) for finding in each(cell, result)
            )
            return found or (Finding("run", "run", Status.UNDETERMINED, "something", "nothing to decide"),)


def _of_run(cell: GateCell, status: Status, found: str, code: int = 70) -> Finding:
    terms, expected = cell.terms, "a verdict"
    if terms.error is not None:
        expected = f"{ERROR_WORDS[terms.error]}{f' ({terms.says})' if terms.says else ''}"
    return Finding("run", "run", status, expected, found, code)


def _ended(cell: GateCell, ended: Ended) -> Finding:
    """An error is met if it is the expected one and says what is expected."""
    sentence = " ".join(ended.sentence.split())
    word = ERROR_WORDS.get(ended.exit, f"exit {ended.exit}")
    if ended.exit == cell.terms.error:
        if cell.terms.says in sentence:
            return _of_run(cell, Status.MET, word)
        return _of_run(cell, Status.DIFFERS, sentence)
    if ended.exit == 20:
        return _of_run(cell, Status.UNDETERMINED, sentence)
    return _of_run(cell, Status.ERROR, f"{word}: {sentence}", ended.exit)


def _properties(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    decided = {p.name: p for p in ran.outcome.properties}
    # Without any, no model was read.
    other = Answer(DOES_NOT_APPLY if decided or ran.outcome.cut is None else UNDETERMINED)
    for name, expected in cell.expect.items():
        found = answer_of(decided[name]) if name in decided else other
        trace = decided[name].trace if name in decided else None
        if found.word == UNDETERMINED and not (found.bound and expected.bound):
            said = str(found) if found.bound else _why(ran, decided.get(name))
            yield Finding(name, "property", Status.UNDETERMINED, str(expected), said)
        else:
            status = Status.MET if expected.admits(found) else Status.DIFFERS
            yield Finding(name, "property", status, str(expected), str(found), trace=trace)


def _why(ran: Ran, found: PropertyOutcome | None) -> str:
    """Where a limit left it undetermined."""
    if ran.outcome.cut:
        return f"{UNDETERMINED}: the run ended {ran.outcome.cut}"
    return f"{UNDETERMINED}: {found.reason}" if found and found.reason else UNDETERMINED


def _counts(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    for name, expected in cell.counts.items():
        status = Status.UNDETERMINED
        said = f"{UNDETERMINED}: the run ended {ran.outcome.cut}"
        if ran.whole is not None:
            found = getattr(ran.whole, name)
            status = Status.MET if found == expected else Status.DIFFERS
            said = _written(found)
        yield Finding(name, "count", status, _written(expected), said)


def _written(count: int | str | None) -> str:
    return f"{count:,}" if isinstance(count, int) else str(count)


def _actions(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    generated = {action.name: action.generated for action in (ran.whole or ran.outcome).actions}
    for name in cell.terms.never:
        status = Status.MET
        said = "never taken"
        if taken := generated.get(name, 0):
            status = Status.DIFFERS
            said = f"taken {taken:,} times"
        elif ran.whole is None:
            status = Status.UNDETERMINED
            said = f"{UNDETERMINED}: the run ended {ran.outcome.cut}"
        yield Finding(f"never {name}", "action", status, "never taken", said)


def _vacuous(cell: GateCell, ran: Ran) -> Iterator[Finding]:
    """What is expected to have no case; and, where a run is strict, whether that is known."""
    whole = ran.whole
    what, cut = "run", ran.outcome.cut
    if whole is not None and whole.cut is None:
        what = "search for vacuity"
        cut = whole.vacuity_cut
    why = f"{UNDETERMINED}: the {what} ended {cut or 'before all was looked at'}"
    parts = None if whole is None else whole.parts
    standings = {part.written: part.standing for part in parts or ()}
    for written in cell.terms.vacuous:
        status, said = Status.MET, NO_CASE
        match Standing.CUT if parts is None else standings.get(written):
            case Standing.CUT:
                status = Status.UNDETERMINED
                said = why
            case Standing.CASE:
                status = Status.DIFFERS
                said = "a case of it"
            case None:
                status, said = Status.DIFFERS, "nothing of that name, or an action that never happens"
        yield Finding(f"vacuous {written}", "vacuous", status, NO_CASE, said)
    if cell.terms.strict and (whole is None or parts is None or whole.maybe_vacuous):
        yield Finding("strict", "run", Status.UNDETERMINED, "the whole graph", why)
