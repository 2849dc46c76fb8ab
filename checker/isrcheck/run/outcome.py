"""Outcomes of runs. The JSON is schema `isrcheck.outcome/2`."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from isrcheck.engines.contract import Bounded, NotStarted, RunResult, Sampled, Searched
from isrcheck.engines.registry import WITHOUT_GRAPH
from isrcheck.errors import UsageError, nearest, quantity
from isrcheck.files import as_json
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind, Verdict
from isrcheck.process.budget import peak_bytes
from isrcheck.run.displayed import Displayed, Tabular
from isrcheck.run.invocation import Invocation
from isrcheck.run.parts import CaseStatus, Choices, ProofNote, VacuityCandidate
from isrcheck.run.trace import Trace, constant_options
from isrcheck.version import __version__

SCHEMA = "isrcheck.outcome/2"

_PRECEDENCE = (70, 75, 2, 10, 12, 13, 11, 21, 22, 130, 20, 0)  # The first that applies is the exit code


def worst(codes: Iterable[int]) -> int:
    """The exit code where several apply; 0 where none does."""
    present = set(codes)
    return next((code for code in _PRECEDENCE if code in present), 0)


def word_verdict(kind: PropertyKind, verdict: Verdict, length: str, reason: str, within: str) -> str:
    """Word a verdict; one that bounds may have helped to never reads like a plain one."""
    if verdict is Verdict.UNDETERMINED:
        return f"undetermined: {reason}" if reason else "undetermined"
    phrase = kind.phrase(verdict, length)
    return phrase if length else " ".join(filter(None, (phrase, within)))


def describe_bounds(pruned: int | None, constraints: Mapping[str, Any] | None) -> str:
    """Word the bounds and constraints of a search, as they follow "holds"; `constraints` are those of the JSON."""
    phrases = [f"within bounds ({quantity(pruned, 'step')} pruned)"] if pruned else []
    if constraints:
        kind = "constraint" if len(constraints["names"]) == 1 else "constraints"
        outside = constraints["outside"]
        count = "" if outside is None else f" ({quantity(outside, 'state')} not expanded)"
        phrases.append(f"within the {kind} {' and '.join(constraints['names'])}{count}")
    return " and ".join(phrases)


@dataclass(frozen=True, repr=False)
class PropertyOutcome(Displayed):
    """One property; docs/outcome.md has the kinds of `assurance`."""

    name: str
    kind: PropertyKind
    verdict: Verdict
    assurance: str
    trace: Trace | None = None
    trace_file: str | None = None
    reason: str = ""  # why it is undetermined, where the run as a whole does not say
    within: str = field(default="", compare=False)  # what a verdict without a trace is subject to, as a phrase

    @property
    def exit(self) -> int:
        if self.verdict is Verdict.VIOLATED:
            return self.kind.exit_code
        return 0 if self.verdict is Verdict.HOLDS else 20

    def __repr__(self) -> str:
        """The verdict, and how it is known."""
        return f"<PropertyOutcome {self.name}: {self.sentence}, {self.assurance}>"

    @property
    def is_within_bounds(self) -> bool:
        """Whether bounds or constraints cut something of what a verdict without a trace is about."""
        return bool(self.within) and self.trace is None and self.verdict is not Verdict.UNDETERMINED

    @property
    def sentence(self) -> str:
        span = self.trace.span if self.trace else ""
        return word_verdict(self.kind, self.verdict, span, self.reason, self.within)

    def to_dict(self) -> dict[str, Any]:
        trace = None
        if self.trace:
            loop = {} if self.trace.loop is None else {"loop": self.trace.loop}
            trace = {"length": self.trace.length, "file": self.trace_file, **loop}
        reason = {"reason": self.reason} if self.reason else {}
        return {
            "name": self.name,
            "kind": self.kind.name,
            "verdict": self.verdict.value,
            "within_bounds": self.is_within_bounds,
            "assurance": self.assurance,
            "trace": trace,
            **reason,
        }


@dataclass(frozen=True)
class ActionCount:
    """How often an action was taken, and how many states it reached first."""

    name: str
    generated: int
    distinct: int


@dataclass(frozen=True, repr=False)
class Outcome(Tabular):
    """One run of one model. Times are seconds."""

    invocation: Invocation
    result: RunResult
    constants: dict[str, Any]  # encoded
    properties: tuple[PropertyOutcome, ...] = ()
    actions: tuple[ActionCount, ...] = ()
    startup_seconds: float = 0.0
    peak_rss_bytes: int = field(default_factory=peak_bytes)
    state_bits: int = 0  # of a packed state
    not_asked: dict[str, str] = field(default_factory=dict)  # what does not apply, and why; not part of the JSON
    guards_never_held: tuple[str, ...] = ()  # of dead actions
    proofs: tuple[ProofNote, ...] = ()  # of `prove` only
    sizes: dict[str, str] = field(default_factory=dict)  # that a proof is for: any, or what it was fixed to
    notes: tuple[str, ...] = ()  # what settings of the system became
    constraints: tuple[str, ...] = ()  # within which it searched
    warnings: tuple[str, ...] = ()  # of what these may have hidden
    choices: Choices | None = None  # of symbolic constants
    parts: tuple[VacuityCandidate, ...] | None = None  # how they stand, if that was looked at
    # what is vacuous in the fairness that temporal properties assume; among `parts` once that was looked at
    fairness_parts: tuple[VacuityCandidate, ...] = ()
    vacuity_cut: str | None = None  # why vacuity is not known: a phrase
    version: str = __version__

    def __post_init__(self) -> None:
        if self.subject_to:
            bounded = tuple(replace(each, within=self.subject_to) for each in self.properties)
            object.__setattr__(self, "properties", bounded)

    @property
    def model(self) -> str:
        return self.invocation.model

    @property
    def engine(self) -> str:
        return self.invocation.engine

    @property
    def workers(self) -> int:
        return self.invocation.options.workers

    @property
    def symmetry(self) -> bool:
        return self.invocation.options.symmetry

    @property
    def command(self) -> str:
        return self.invocation.line

    @property
    def cut(self) -> str | None:
        return self.result.cut

    @property
    def interrupted(self) -> bool:
        return self.result.interrupted

    @property
    def seconds(self) -> float:
        return self.result.seconds

    @property
    def searched(self) -> Searched | None:
        """The search, where states were made one by one."""
        return self.result if isinstance(self.result, Searched) else None

    @property
    def sample(self) -> Sampled | None:
        return self.result if isinstance(self.result, Sampled) else None

    @property
    def distinct(self) -> int | None:
        """States; None where they were not told apart."""
        return self._count("distinct")

    @property
    def generated(self) -> int | None:
        """Steps; None where no states were made one by one."""
        return self.sample.steps if self.sample else self._count("generated")

    @property
    def pruned(self) -> int | None:
        return self._count("pruned")

    @property
    def outside(self) -> int | None:
        """States at which a constraint ended the search."""
        return self._count("outside")

    @property
    def subject_to(self) -> str:
        """The bounds and constraints of the search, as a phrase that follows "holds"; empty without them."""
        return describe_bounds(self.pruned, self._constraint_facts())

    def _constraint_facts(self) -> dict[str, Any] | None:
        return {"names": list(self.constraints), "outside": self.outside} if self.constraints else None

    def _count(self, name: str) -> int | None:
        if self.searched:
            return int(getattr(self.searched, name))
        return 0 if isinstance(self.result, NotStarted) and self.engine not in WITHOUT_GRAPH else None

    @property
    def depth(self) -> int:
        """Levels that are complete."""
        return self.result.depth if isinstance(self.result, Searched | Bounded) else 0

    @property
    def levels(self) -> tuple[int, ...]:
        """Distinct states first reached at each of these, depth 1 first."""
        return self.searched.levels if self.searched else ()

    @property
    def digest(self) -> str | None:
        return self.searched.digest if self.searched else None

    @property
    def verdict(self) -> Verdict:
        """Violated if any property is, else undetermined if any is, or if none of the model's applies, else holds."""
        verdicts = {p.verdict for p in self.properties}
        for verdict in (Verdict.VIOLATED, Verdict.UNDETERMINED):
            if verdict in verdicts:
                return verdict
        is_counted = self.result.complete and not self.decides_nothing
        return Verdict.HOLDS if self.properties or is_counted else Verdict.UNDETERMINED

    @property
    def decides_nothing(self) -> bool:
        """Whether the run was to decide what the model has, and no property of it applies."""
        return not self.properties and self.invocation.properties is None

    @property
    def is_within_bounds(self) -> bool:
        """Whether it holds, and bounds or constraints cut something of the graph."""
        return bool(self.subject_to) and self.verdict is Verdict.HOLDS

    @property
    def exit(self) -> int:
        codes = {p.exit for p in self.properties}
        if self.interrupted:
            codes.add(130)
        if self.verdict is Verdict.UNDETERMINED:
            codes.add(20)
        return worst(codes)

    @property
    def dead_actions(self) -> tuple[str, ...]:
        """Actions that never happened, in a run that saw everything."""
        if self.cut is not None:
            return ()
        return tuple(a.name for a in self.actions if not a.generated and a.name not in self.not_asked)

    @property
    def vacuous(self) -> tuple[VacuityCandidate, ...]:
        return tuple(p for p in self.parts or () if p.status is CaseStatus.VACUOUS)

    @property
    def maybe_vacuous(self) -> tuple[VacuityCandidate, ...]:
        """The candidates without a case so far, where the search for vacuity was cut."""
        return tuple(p for p in self.parts or () if p.status is CaseStatus.CUT)

    def property(self, name: str) -> PropertyOutcome:
        """The outcome of one property. Raises UsageError for one that was not asked for."""
        outcomes = {p.name: p for p in self.properties}
        if name in outcomes:
            return outcomes[name]
        asked = nearest(name, outcomes)
        raise UsageError(f"this run of {self.model} says nothing of {name}.{asked}")

    def __repr__(self) -> str:
        """The verdict, the properties that do not hold, and the states."""
        named = [f"{p.name} {p.verdict.value}" for p in self.properties if p.verdict is not Verdict.HOLDS]
        states = [] if self.distinct is None else [f"{self.distinct:,} distinct"]
        run = " ".join((self.model, *constant_options(self.constants)))
        subject_to = f" {self.subject_to}" if self.subject_to and self.verdict is Verdict.HOLDS else ""
        return f"<Outcome {self.verdict.value}{subject_to}: {run}: {', '.join(named + states)}>"

    def to_dict(self) -> dict[str, Any]:
        counts = ("distinct", "generated", "depth", "levels", "pruned", "digest")
        walks = self.sample
        facts = {
            "sample": {n: getattr(walks, n) for n in ("seed", "walks", "steps")} if walks else None,
            "choices": self.choices and self.choices.to_dict(),
            "proofs": [note.to_dict() for note in self.proofs],
            "for": self.sizes,
            "settings": list(self.notes),
            "constraints": self._constraint_facts(),
            "warnings": list(self.warnings),
            "vacuous": list(map(str, self.vacuous)),
            "maybe_vacuous": list(map(str, self.maybe_vacuous)),
            "vacuity_cut": self.vacuity_cut,
        }
        return {
            "schema": SCHEMA,
            **{n: getattr(self, n) for n in ("version", "model", "constants", "engine", "workers", "symmetry")},
            "verdict": self.verdict.value,
            "within_bounds": self.is_within_bounds,
            "exit": self.exit,
            "seconds": round(self.seconds, 6),
            "startup_seconds": round(self.startup_seconds, 6),
            "peak_rss_bytes": self.peak_rss_bytes,
            "states": {**{n: getattr(self, n) for n in counts}, "levels": list(self.levels), "bits": self.state_bits},
            "cut": self.cut,
            "properties": [p.to_dict() for p in self.properties],
            "actions": [asdict(a) for a in self.actions],
            "guards_never_held": list(self.guards_never_held),
            "invocation": self.invocation.to_dict(),
            "command": self.command,
            **{name: value for name, value in facts.items() if value},
        }

    def to_json(self) -> str:
        return as_json(self.to_dict())
