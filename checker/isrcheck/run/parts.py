"""Parts of a model that a run may leave without a case: guards, antecedents of properties, claims of reachability."""

from dataclasses import dataclass
from enum import Enum

_SENTENCES = {
    "guard": "{}() has a guard that is never false",
    "antecedent": "{} speaks of something that never happens",
    "claim": "{} is never reached",
}


class Standing(Enum):
    """Whether some state showed a case; if none did: since the whole graph has none, the look for one ended early, or
    the constants of the run leave none.
    """

    CASE = "case"
    VACUOUS = "vacuous"
    CUT = "cut"
    SETTLED = "settled"


@dataclass(frozen=True)
class Part:
    """One such part. `kind` is guard, antecedent or claim; `owner` is the action or property that it belongs to.

    `place` is FILE:LINE:COLUMN and `text` the source line there.
    """

    kind: str
    owner: str
    place: str
    text: str
    standing: Standing = Standing.VACUOUS

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same in every run of the model."""
        return self.kind, self.owner, self.place

    @property
    def sentence(self) -> str:
        """What it never does, if it is vacuous."""
        return _SENTENCES[self.kind].format(self.owner)

    @property
    def written(self) -> str:
        """How a spec names it: OWNER: TEXT, and a claim by its name alone."""
        return self.owner if self.kind == "claim" else f"{self.owner}: {self.text}"

    def __str__(self) -> str:
        return f"{self.sentence}: {self.place}  {self.text}"
