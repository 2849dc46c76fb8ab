"""What a run leaves behind: verdicts, how each is known, counts, traces. The JSON is schema `isrcheck.outcome/1`."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.ir.property_kinds import PropertyKind, Verdict
from isrcheck.run.choices import Choices
from isrcheck.run.parts import Part, Standing
from isrcheck.run.proofs import ProofNote
from isrcheck.run.trace import Trace, chosen

SCHEMA = "isrcheck.outcome/1"

# Where several apply, the first of these is the exit code.
_PRECEDENCE = (70, 75, 2, 10, 12, 13, 11, 21, 22, 130, 20, 0)


def worst(codes: Iterable[int]) -> int:
    """The exit code where several apply; 0 where none does."""
    found = set(codes)
    return next((code for code in _PRECEDENCE if code in found), 0)


@dataclass(frozen=True)
class PropertyOutcome:
    """One property. `assurance` is proved, exhaustive, bounded(k), sampled(n) or replayed (docs/outcome.md)."""

    name: str
    kind: PropertyKind
    verdict: Verdict
    assurance: str
    trace: Trace | None = None
    trace_file: str | None = None

    @property
    def exit(self) -> int:
        """The exit code that this property alone would give."""
        if self.verdict is Verdict.VIOLATED:
            return self.kind.exit_code
        return 0 if self.verdict is Verdict.HOLDS else 20

    def to_dict(self) -> dict[str, Any]:
        trace = {"length": self.trace.length, "file": self.trace_file} if self.trace else None
        return {
            "name": self.name,
            "kind": self.kind.name,
            "verdict": self.verdict.value,
            "assurance": self.assurance,
            "trace": trace,
        }


@dataclass(frozen=True)
class ActionCount:
    """How often an action was taken, and how many states it was the first to reach at their level."""

    name: str
    generated: int
    distinct: int


@dataclass(frozen=True)
class Sample:
    """Random walks: the seed that makes them again, how many there were, and the steps taken in all of them."""

    seed: int
    walks: int
    steps: int


@dataclass(frozen=True, repr=False)
class Outcome:
    """One run of one model. Times are seconds, memory is bytes."""

    version: str
    model: str
    constants: dict[str, Any]
    engine: str
    workers: int
    symmetry: bool
    distinct: int | None  # None where states were not told apart: walks, symbolic searches, proofs
    generated: int | None  # these two are None where no states were made one by one
    depth: int
    levels: tuple[int, ...]  # distinct states first reached at each depth that is known whole, depth 1 first
    pruned: int | None
    digest: str | None
    cut: str | None
    interrupted: bool
    properties: tuple[PropertyOutcome, ...]
    actions: tuple[ActionCount, ...]
    seconds: float
    startup_seconds: float
    peak_rss_bytes: int
    state_bits: int  # of one packed state
    not_asked: dict[str, str]  # properties and actions that do not apply, and why; not part of the JSON
    asleep: tuple[str, ...]  # guards of actions that never happened that held in no state
    command: str
    sample: Sample | None = None
    proofs: tuple[ProofNote, ...] = ()  # of `prove` only
    notes: tuple[str, ...] = ()  # what settings of the modelled system became
    choices: Choices | None = None  # of symbolic constants
    parts: tuple[Part, ...] | None = None  # how they stand, where that was looked at in the whole graph
    vacuity_cut: str | None = None  # why something of vacuity is not known, where that was looked for: a phrase

    @property
    def verdict(self) -> Verdict:
        """Violated if any property is, else undetermined if any is, else holds."""
        verdicts = {p.verdict for p in self.properties}
        for verdict in (Verdict.VIOLATED, Verdict.UNDETERMINED):
            if verdict in verdicts:
                return verdict
        return Verdict.HOLDS if self.cut is None or self.properties else Verdict.UNDETERMINED

    @property
    def exit(self) -> int:
        """The exit code of the run."""
        codes = {p.exit for p in self.properties}
        if self.interrupted:
            codes.add(130)
        if self.verdict is Verdict.UNDETERMINED:
            codes.add(20)
        return worst(codes)

    @property
    def never_taken(self) -> tuple[str, ...]:
        """Actions that never happened, though they might have, in a run that saw everything."""
        if self.cut is not None:
            return ()
        return tuple(a.name for a in self.actions if not a.generated and a.name not in self.not_asked)

    @property
    def idle(self) -> tuple[Part, ...]:
        """What is known to have no case."""
        return tuple(p for p in self.parts or () if p.standing is Standing.IDLE)

    @property
    def maybe_idle(self) -> tuple[Part, ...]:
        """What had no case before the look for one ended early."""
        return tuple(p for p in self.parts or () if p.standing is Standing.CUT)

    def property(self, name: str) -> PropertyOutcome:
        """The outcome of one property. Raises UsageError for one that was not asked for."""
        for outcome in self.properties:
            if outcome.name == name:
                return outcome
        asked = nearest(name, (p.name for p in self.properties))
        raise UsageError(f"this run of {self.model} says nothing of {name}.{asked}")

    def __repr__(self) -> str:
        """One line: the verdict, the properties that do not hold by name, and the states."""
        named = [f"{p.name} {p.verdict.value}" for p in self.properties if p.verdict is not Verdict.HOLDS]
        states = [] if self.distinct is None else [f"{self.distinct:,} distinct"]
        run = " ".join((self.model, *chosen(self.constants)))
        return f"<Outcome {self.verdict.value}: {run}: {', '.join(named + states)}>"

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data."""
        sample = {"sample": asdict(self.sample)} if self.sample else {}
        return {
            "schema": SCHEMA,
            "version": self.version,
            "model": self.model,
            "constants": self.constants,
            "engine": self.engine,
            "workers": self.workers,
            "symmetry": self.symmetry,
            "verdict": self.verdict.value,
            "exit": self.exit,
            "seconds": round(self.seconds, 6),
            "startup_seconds": round(self.startup_seconds, 6),
            "peak_rss_bytes": self.peak_rss_bytes,
            "states": {
                "distinct": self.distinct,
                "generated": self.generated,
                "depth": self.depth,
                "levels": list(self.levels),
                "pruned": self.pruned,
                "digest": self.digest,
                "bits": self.state_bits,
            },
            "cut": self.cut,
            "properties": [p.to_dict() for p in self.properties],
            "actions": [{"name": a.name, "generated": a.generated, "distinct": a.distinct} for a in self.actions],
            "guards_never_held": list(self.asleep),
            "command": self.command,
            **sample,
            **({"choices": self.choices.to_dict()} if self.choices else {}),
            **({"proofs": [asdict(note) for note in self.proofs]} if self.proofs else {}),
            **({"settings": list(self.notes)} if self.notes else {}),
            **({"unused": list(map(str, self.idle))} if self.idle else {}),
            **({"maybe_unused": list(map(str, self.maybe_idle))} if self.maybe_idle else {}),
            **({"vacuity_cut": self.vacuity_cut} if self.vacuity_cut else {}),
        }

    def to_json(self) -> str:
        """The outcome as a JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"
