"""What a run never put to the test: a guard that forbids nothing, a property that speaks of nothing, an unmet claim."""

from dataclasses import dataclass
from enum import Enum

_SENTENCES = {
    "guard": "{}() has a guard that is never false",
    "antecedent": "{} speaks of something that never happens",
    "claim": "{} is never reached",
}


class Because(Enum):
    """Why no case was seen: the whole graph has none, the search for one ended early, or constants leave none."""

    IDLE = "idle"
    CUT = "cut"
    SETTLED = "settled"


@dataclass(frozen=True)
class Untested:
    """One such thing. `kind` is guard, antecedent or claim; `owner` is the action or property that it belongs to.

    `place` is FILE:LINE:COLUMN and `text` the source line there.
    """

    kind: str
    owner: str
    place: str
    text: str
    because: Because = Because.IDLE

    @property
    def sentence(self) -> str:
        """What it never does."""
        return _SENTENCES[self.kind].format(self.owner)

    @property
    def written(self) -> str:
        """How a spec names it: OWNER: TEXT, and a claim by its name alone."""
        return self.owner if self.kind == "claim" else f"{self.owner}: {self.text}"

    def __str__(self) -> str:
        return f"{self.sentence}: {self.place}  {self.text}"
