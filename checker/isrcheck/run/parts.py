"""The parts of an outcome: candidates for vacuity, what symbolic constants were chosen, and notes on proofs.

A candidate for vacuity is a guard, an antecedent, a claim or an assumption of fairness.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.place import Place, source_line

_SENTENCES = {
    "guard": "{}() has a guard that is never false",
    "antecedent": "{} speaks of something that never happens",
    "claim": "{} is never reached",
    "fairness": "the fairness of {} is never asked: no step of it can be taken",
    "closure": "no behaviour of {} is fair within its bounds",
}

BY_THE_USER = "by the user"


class CaseStatus(Enum):
    """Whether some state showed a case; CUT: unknown; CONSTANT: the constants leave none."""

    CASE = "case"
    VACUOUS = "vacuous"
    CUT = "cut"  # not known
    CONSTANT = "settled"  # by constants


@dataclass(frozen=True)
class VacuityCandidate:
    """A `kind` (guard, antecedent, claim, fairness or closure) of an action or property, its `owner`."""

    kind: str
    owner: str  # an action, a property, an environment or the model
    place: str
    source: str
    status: CaseStatus = CaseStatus.VACUOUS

    @property
    def key(self) -> tuple[str, str, str]:
        return self.kind, self.owner, self.place

    @property
    def file(self) -> str:
        return self.place.rpartition(":")[0].rpartition(":")[0]

    @property
    def sentence(self) -> str:
        return _SENTENCES[self.kind].format(self.owner)

    @property
    def written(self) -> str:
        """How a spec names it: OWNER: TEXT, and a claim by its name alone."""
        return self.owner if self.kind == "claim" else f"{self.owner}: {self.source}"

    def __str__(self) -> str:
        return f"{self.sentence}: {self.place}  {self.source}"


@dataclass(frozen=True)
class Vacuity:
    """The candidates with their status, None if unknown; `cut` says why something is not known."""

    parts: tuple[VacuityCandidate, ...] | None = None
    guards_never_held: tuple[str, ...] = ()
    cut: str | None = None  # why not


def candidate_of(kind: str, owner: str, place: Place, is_settled: bool = False) -> VacuityCandidate:
    source = source_line(place.file, place.line).strip()
    return VacuityCandidate(kind, owner, str(place), source, CaseStatus.CONSTANT if is_settled else CaseStatus.VACUOUS)


@dataclass(frozen=True)
class Choice:
    constants: dict[str, Any]
    rank: tuple[int, ...]  # in the ranges
    length: int  # of the shortest trace


@dataclass(frozen=True)
class PropertyChoices:
    """The choices at which one property is violated (a reachability property: reached), smallest first."""

    name: str
    kind: PropertyKind
    every: bool  # there is no other choice at which it applies
    choices: tuple[Choice, ...]

    def to_dict(self) -> dict[str, Any]:
        encoded = [asdict(choice) for choice in self.choices]
        return {"name": self.name, "kind": self.kind.name, "every": self.every, "found": encoded}


@dataclass(frozen=True)
class Choices:
    """The ranges; and for each property the choices found in `steps` steps, with `all` every one."""

    ranges: dict[str, str]
    all: bool  # or the smallest alone
    steps: int  # looked at
    properties: tuple[PropertyChoices, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "properties": [p.to_dict() for p in self.properties]}


@dataclass(frozen=True)
class LemmaNote:
    name: str
    place: str
    text: str


@dataclass(frozen=True)
class ObligationNote:
    """The answer of a solver to an obligation, and the seconds that it took."""

    name: str
    answer: str
    solver: str
    seconds: float


@dataclass(frozen=True)
class ProofNote:
    """The attempt to prove one property."""

    name: str
    lemmas: tuple[LemmaNote, ...]
    open: dict[str, str]
    fixed: dict[str, str]
    reason: str  # why it is not proved
    assumptions: tuple[str, ...] = ()  # on the constants, by name
    obligations: tuple[ObligationNote, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The note as JSON; obligations only where there are any."""
        return {name: value for name, value in asdict(self).items() if value or name != "obligations"}


def note_lines(note: ProofNote) -> Iterator[str]:
    if note.reason:
        yield f"Not proved: {note.reason}."
    else:
        yield f"Proved for any number of steps, {constants_phrase(note)}."
    if note.assumptions and not note.reason:
        yield f"The constants are as these assumptions ask: {', '.join(note.assumptions)}."
    how = f"{'Tried by' if note.reason else 'By'} induction"
    yield f"{how} with the lemmas:" if note.lemmas else f"{how}, without lemmas."
    for lemma in note.lemmas:
        yield f"  {lemma.name}  [{lemma.place}]"
    if note.obligations:
        slowest = max(note.obligations, key=lambda each: each.seconds)
        refuted = sum(each.answer == "unsat" for each in note.obligations)
        yield f"Obligations refuted by z3 or cvc5: {refuted}, the slowest ({slowest.name}) in {slowest.seconds:.1f} s."


def constants_phrase(note: ProofNote) -> str:
    """The constants that a proof is about: any max_records >= 0, ...; replicas = 3."""
    open_ = note.open.items()
    free = ", ".join(f"any {n} >= {c[:-2]}" if c.endswith("..") else f"any {n} of {c}" for n, c in open_)
    fixed = ", ".join(f"{name} = {value}" for name, value in note.fixed.items())
    return "; ".join(filter(None, (free, fixed))) or "in a model without constants"
