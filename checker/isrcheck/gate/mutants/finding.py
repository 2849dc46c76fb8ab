"""What became of one mutant at one choice of constants."""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Fate(Enum):
    """From what settles a mutant to what leaves it open; the first that some configuration gives is the mutant's."""

    NOTICED = "noticed"  # a property is violated that held, or a claim that was met is no longer
    BROKEN = "error"  # the model's own text goes wrong on the way
    ILL_FORMED = "ill-formed"  # it is no model any more
    ASLEEP = "asleep"  # an action never happens any more, which `--strict` and the gate notice
    UNDECIDED = "undecided"  # cut off before anybody noticed
    LOST = "lost"  # the process that checked it died twice
    SURVIVED = "survived"  # another graph, and nobody notices
    EQUAL = "equal"  # the same steps in every state; of a large graph, as many of all, and the same digest
    SAME = "same"  # with these constants it means the same by construction

    @property
    def is_seen(self) -> bool:
        """Whether something turns red."""
        return self in (Fate.NOTICED, Fate.BROKEN, Fate.ILL_FORMED, Fate.ASLEEP)

    @property
    def is_open(self) -> bool:
        """Whether nothing is known."""
        return self in (Fate.UNDECIDED, Fate.LOST)


@dataclass(frozen=True)
class Detection:
    """A property that notices: `kind` is invariant, step, reachable or deadlock.

    `length` is the number of states of the shortest violation; None where something is never reached any more.
    """

    name: str
    kind: str
    length: int | None


@dataclass(frozen=True)
class MutantOutcome:
    """The fate of a mutant, who noticed, earliest first, and what was seen of its graph (0 where none was searched)."""

    fate: Fate
    notices: tuple[Detection, ...] = ()
    why: str = ""  # of an error or an ill-formed text what is wrong, of an undecided one where it was cut
    asleep: tuple[str, ...] = ()  # actions that never happen any more
    distinct: int = 0
    generated: int = 0
    depth: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "fate": self.fate.value}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "MutantOutcome":
        """What `to_dict` made. Raises KeyError, TypeError or ValueError if it is something else."""
        notices = tuple(Detection(str(n["name"]), str(n["kind"]), _length(n["length"])) for n in data["notices"])
        return MutantOutcome(
            fate=Fate(data["fate"]),
            notices=notices,
            why=str(data["why"]),
            asleep=tuple(str(a) for a in data["asleep"]),
            distinct=int(data["distinct"]),
            generated=int(data["generated"]),
            depth=int(data["depth"]),
        )


def _length(value: Any) -> int | None:
    return None if value is None else int(value)
