"""What became of one mutant at one choice of constants."""

from dataclasses import dataclass
from enum import Enum


class Fate(Enum):
    """From what decides about a mutant to what does not; the first that some configuration gives is the mutant's."""

    KILLED = "killed"  # a property is violated that held, or a reachability property is not met any more
    BROKEN = "error"  # the model's own text goes wrong on the way
    INVALID = "invalid"  # it is not a model any more
    DEAD_ACTION = "dead-action"  # an action never happens any more, which `--strict` and the gate tell
    UNDECIDED = "undecided"  # cut off before a property killed it
    LOST = "lost"  # the process that checked it died twice
    SURVIVED = "survived"  # another graph, and no property killed it
    EQUIVALENT = "equivalent"  # the same steps in every state; of a large graph, as many of all, and the same digest
    TRIVIAL = "trivially-equivalent"  # with these constants it means the same by construction

    @property
    def is_detected(self) -> bool:
        """Whether something turns red."""
        return self in (Fate.KILLED, Fate.BROKEN, Fate.INVALID, Fate.DEAD_ACTION)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing is known."""
        return self in (Fate.UNDECIDED, Fate.LOST)


@dataclass(frozen=True)
class Kill:
    """A property that kills a mutant, or a deadlock; `kind` is that of the property.

    `length` is the number of states of the shortest violation; None where something is never reached any more.
    """

    name: str
    kind: str
    length: int | None


@dataclass(frozen=True)
class MutantOutcome:
    """The fate of a mutant, what kills it, earliest first, and what was seen of its graph (0 where none was searched).

    `why` says of an error or an invalid text what is wrong, of an undecided mutant where it was cut off.
    """

    fate: Fate
    kills: tuple[Kill, ...] = ()
    why: str = ""
    dead_actions: tuple[str, ...] = ()  # actions that never happen any more
    distinct: int = 0
    generated: int = 0
    depth: int = 0
