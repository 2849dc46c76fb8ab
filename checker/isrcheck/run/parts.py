"""Candidates for vacuity: guards, antecedents, claims and assumptions of fairness."""

from dataclasses import dataclass
from enum import Enum

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
