"""Expectations against what was found: what differs, what is not known, what was not run; and the gate's exit code."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeGuard

from isrcheck.gate.cells import GateCell
from isrcheck.gate.result import Ended, LeftOut, Ran, Result
from isrcheck.gate.run import Runs
from isrcheck.gate.vacuity import VacuityFinding, vacuities
from isrcheck.gate.words import DOES_NOT_APPLY, UNDETERMINED, Answer, answer_of
from isrcheck.run.outcome import Outcome, worst
from isrcheck.run.parts import Standing
from isrcheck.run.trace import Trace

IDLE = "no case of it"
ERROR_WORDS = {2: "wrong usage", 10: "assumption false", 20: UNDETERMINED, 70: "fault", 75: "model error"}


class Status(Enum):
    """How an expectation stands; only `met` is good."""

    MET = "met"
    DIFFERS = "differs"
    UNDETERMINED = "undetermined"
    ERROR = "error"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Finding:
    """One expectation of a cell and what was found.

    `what` is a property, a count, `never ACTION`, `idle OWNER: TEXT`, or `run`.
    """

    what: str
    kind: str  # property, count, action, idle or run
    status: Status
    expected: str
    found: str
    exit: int
    trace: Trace | None = None

    @property
    def sentence(self) -> str:
        """What is wrong, for people."""
        return f"{self.what}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True)
class JudgedCell:
    """A cell with all its findings."""

    cell: GateCell
    result: Result
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def status(self) -> Status:
        """The worst of its findings."""
        order = (Status.ERROR, Status.DIFFERS, Status.UNDETERMINED, Status.LEFT_OUT)
        return next((s for s in order if any(f.status is s for f in self.findings)), Status.MET)

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """The findings that are not as expected."""
        return tuple(f for f in self.findings if f.status is not Status.MET)

    @property
    def outcome(self) -> Outcome | None:
        """What the run found, if it came to an end."""
        return self.result.outcome if isinstance(self.result, Ran) else None


@dataclass(frozen=True)
class GateVerdict:
    """The whole gate's answer. What may be idle, since the search for it ended early, is said and is no fault."""

    cells: tuple[JudgedCell, ...]
    idle: tuple[VacuityFinding, ...]
    maybe_idle: tuple[VacuityFinding, ...]
    seconds: float
    workers: int
    interrupted: bool

    @property
    def exit(self) -> int:
        """0 only if everything was run and found as expected."""
        codes = {f.exit for cell in self.cells for f in cell.findings}
        if self.idle:
            codes.add(22)
        if self.interrupted:
            codes.add(130)
        return worst(codes)

    def count(self, status: Status) -> int:
        """The cells that stand so."""
        return sum(cell.status is status for cell in self.cells)

    @property
    def expectations(self) -> Counter[Status]:
        """How many expectations stand how."""
        return Counter(f.status for cell in self.cells for f in cell.findings)


def judge(runs: Runs) -> GateVerdict:
    """Hold every result against what its cell expects."""
    judged = tuple(
        JudgedCell(cell, result, findings(cell, result), runs.took.get(n, 0.0))
        for n, (cell, result) in enumerate(zip(runs.cells, runs.results, strict=True))
    )
    found = vacuities([(j.cell, j.result) for j in judged])
    known, unknown = (tuple(i for i in found if i.known is wanted) for wanted in (True, False))
    return GateVerdict(judged, known, unknown, runs.seconds, runs.workers, runs.interrupted)


def findings(cell: GateCell, result: Result) -> tuple[Finding, ...]:
    """What became of each expectation of a cell; at least one finding, whatever happened."""
    match result:
        case LeftOut(why=why):
            return (Finding("run", "run", Status.LEFT_OUT, _expected_of(cell), f"left out: {why}", 20),)
        case Ended():
            return (_ended(cell, result),)
        case Ran(outcome=outcome, whole=whole):
            if cell.error is not None:
                said = f"a verdict: {outcome.verdict.value}"
                return (Finding("run", "run", Status.DIFFERS, _expected_of(cell), said, 21),)
            found = (
                *_properties(cell, outcome),
                *_counts(cell, outcome, whole),
                *_actions(cell, outcome, whole),
                *_idle(cell, outcome, whole),
                *_strict(cell, outcome, whole),
            )
            return found or (Finding("run", "run", Status.UNDETERMINED, "something", "nothing to decide", 20),)


def _expected_of(cell: GateCell) -> str:
    if cell.error is None:
        return "a verdict"
    return f"{ERROR_WORDS[cell.error]}{f' ({cell.says})' if cell.says else ''}"


def _ended(cell: GateCell, ended: Ended) -> Finding:
    """An error is met if it is the expected one and says what is expected."""
    sentence = " ".join(ended.sentence.split())
    expected = _expected_of(cell)
    if cell.error is not None and ended.exit == cell.error:
        if cell.says in sentence:
            return Finding("run", "run", Status.MET, expected, ERROR_WORDS[cell.error], 0)
        return Finding("run", "run", Status.DIFFERS, expected, sentence, 21)
    status = Status.UNDETERMINED if ended.exit == 20 else Status.ERROR
    word = ERROR_WORDS.get(ended.exit, f"exit {ended.exit}")
    return Finding("run", "run", status, expected, sentence if ended.exit == 20 else f"{word}: {sentence}", ended.exit)


def _properties(cell: GateCell, outcome: Outcome) -> Iterator[Finding]:
    decided = {p.name: p for p in outcome.properties}
    # Without any property the run ended before it had read the model.
    other = Answer(DOES_NOT_APPLY if decided or outcome.cut is None else UNDETERMINED)
    for name, expected in cell.expect.items():
        found = answer_of(decided[name]) if name in decided else other
        trace = decided[name].trace if name in decided else None
        said = str(found)
        if found.word == UNDETERMINED:
            said += f": the run ended {outcome.cut}" if outcome.cut else ""
            yield Finding(name, "property", Status.UNDETERMINED, str(expected), said, 20)
        elif expected.admits(found):
            yield Finding(name, "property", Status.MET, str(expected), said, 0, trace)
        else:
            yield Finding(name, "property", Status.DIFFERS, str(expected), said, 21, trace)


def _counts(cell: GateCell, outcome: Outcome, whole: Outcome | None) -> Iterator[Finding]:
    for name, expected in cell.counts.items():
        if whole is None:
            said = f"{UNDETERMINED}: the run ended {outcome.cut}"
            yield Finding(name, "count", Status.UNDETERMINED, _written(expected), said, 20)
            continue
        found = {**{n: getattr(whole, n) for n in ("distinct", "generated", "depth", "pruned", "digest")}}[name]
        same = found == expected
        status = Status.MET if same else Status.DIFFERS
        yield Finding(name, "count", status, _written(expected), _written(found), 0 if same else 21)


def _written(count: int | str | None) -> str:
    return f"{count:,}" if isinstance(count, int) else str(count)


def _actions(cell: GateCell, outcome: Outcome, whole: Outcome | None) -> Iterator[Finding]:
    for name in cell.never:
        taken = next((a.generated for a in (whole or outcome).actions if a.name == name), 0)
        if taken:
            yield Finding(f"never {name}", "action", Status.DIFFERS, "never taken", f"taken {taken:,} times", 21)
        elif whole is None:
            said = f"{UNDETERMINED}: the run ended {outcome.cut}"
            yield Finding(f"never {name}", "action", Status.UNDETERMINED, "never taken", said, 20)
        else:
            yield Finding(f"never {name}", "action", Status.MET, "never taken", "never taken", 0)


def _idle(cell: GateCell, outcome: Outcome, whole: Outcome | None) -> Iterator[Finding]:
    for written in cell.idle:
        found = None if not _is_looked(whole) else {part.written: part.standing for part in whole.parts or ()}
        standing = Standing.CUT if found is None else found.get(written)
        if standing is Standing.CUT:
            said = f"{UNDETERMINED}: {_why(outcome, whole)}"
            yield Finding(f"idle {written}", "idle", Status.UNDETERMINED, IDLE, said, 20)
        elif standing in (None, Standing.CASE):
            said = "a case of it" if standing else "nothing of that name, or an action that never happens"
            yield Finding(f"idle {written}", "idle", Status.DIFFERS, IDLE, said, 21)
        else:
            yield Finding(f"idle {written}", "idle", Status.MET, IDLE, IDLE, 0)


def _strict(cell: GateCell, outcome: Outcome, whole: Outcome | None) -> Iterator[Finding]:
    """Without the whole graph, looked at to the end, it is not known what in it is idle."""
    if cell.strict and (not _is_looked(whole) or whole.maybe_idle):
        said = f"{UNDETERMINED}: {_why(outcome, whole)}"
        yield Finding("strict", "run", Status.UNDETERMINED, "the whole graph", said, 20)


def _is_looked(whole: Outcome | None) -> TypeGuard[Outcome]:
    """Whether a run saw its whole graph, and the search for vacuity told something of it."""
    return whole is not None and whole.parts is not None


def _why(outcome: Outcome, whole: Outcome | None) -> str:
    """Why it is not known what is vacuous."""
    if whole is not None and whole.cut is None:
        return f"the search for vacuity ended {whole.vacuity_cut or 'before all was looked at'}"
    return f"the run ended {outcome.cut or 'before all was looked at'}"
