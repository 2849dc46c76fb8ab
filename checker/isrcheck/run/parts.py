"""What a complete graph may never have used: guards, antecedents, claims, assumptions of fairness."""

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


class Standing(Enum):
    """Whether some state showed a case; CUT: unknown; SETTLED: constants leave none."""

    CASE = "case"
    VACUOUS = "vacuous"
    CUT = "cut"  # not known
    SETTLED = "settled"  # by constants


@dataclass(frozen=True)
class Part:
    """A `kind` (guard, antecedent, claim, fairness or closure) of an action or property, its `owner`."""

    kind: str
    owner: str  # an action, a property, an environment or the model
    place: str
    text: str
    standing: Standing = Standing.VACUOUS

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
        return self.owner if self.kind == "claim" else f"{self.owner}: {self.text}"

    def __str__(self) -> str:
        return f"{self.sentence}: {self.place}  {self.text}"


@dataclass(frozen=True)
class Vacuity:
    """How the parts stand, None if unknown; `cut` says why something is not known."""

    parts: tuple[Part, ...] | None = None
    guards_never_held: tuple[str, ...] = ()
    cut: str | None = None  # why not


def part_of(kind: str, owner: str, place: Place, is_settled: bool = False) -> Part:
    text = source_line(place.file, place.line).strip()
    return Part(kind, owner, str(place), text, Standing.SETTLED if is_settled else Standing.VACUOUS)
