"""A mutant: a model's text with one change, which has a name, a place and words; and what became of it."""

from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath

from isrcheck.ir.model import ModelIR
from isrcheck.place import Place


class Mutation(Enum):
    GUARD = "guard removed"
    CONJUNCT = "conjunct dropped"
    DISJUNCT = "disjunct dropped"
    COMPARISON = "comparison changed"
    SHIFT = "bound shifted by one"
    FILTER = "filter dropped"
    EFFECT = "effect dropped"
    # of what only properties read
    HISTORY = "history not kept"
    BRANCH = "branch forced"


@dataclass(frozen=True)
class Mutant:
    """`name` is METHOD/WORD-N."""

    name: str
    change: Mutation
    method: str  # or helper, or policy
    owner: str  # its class or module
    at: Place
    before: str  # statement, or part of it
    after: str  # empty if nothing is left
    guard: str  # METHOD: text, or empty
    actions: frozenset[str]  # it reaches
    ir: ModelIR = field(compare=False, repr=False)


class Fate(Enum):
    """The fate of a mutant; over several configurations, the first in this order is the mutant's."""

    # a property that held is violated, or a
    # reachability property not met any more
    KILLED = "killed"
    BROKEN = "error"  # in the model's text
    INVALID = "invalid"  # not a model
    # an action never happens any more
    DEAD_ACTION = "dead-action"
    UNDECIDED = "undecided"  # cut off
    LOST = "lost"  # its process died twice
    SURVIVED = "survived"  # another graph
    # the same steps, or numbers and digest
    EQUIVALENT = "equivalent"
    # the same text with these constants
    TRIVIAL = "trivially-equivalent"

    @property
    def is_detected(self) -> bool:
        return self in (Fate.KILLED, Fate.BROKEN, Fate.INVALID, Fate.DEAD_ACTION)

    @property
    def is_undecided(self) -> bool:
        return self in (Fate.UNDECIDED, Fate.LOST)


@dataclass(frozen=True)
class Kill:
    """A property or a deadlock."""

    name: str
    kind: str  # that of the property
    # in states; None: never reached now
    length: int | None


@dataclass(frozen=True)
class MutantOutcome:
    fate: Fate
    kills: tuple[Kill, ...] = ()  # sorted
    why: str = ""  # an error, or the cut
    dead_actions: tuple[str, ...] = ()
    distinct: int = 0  # if not searched


def where(place: Place) -> str:
    """Return a place as family/file.py:line:column."""
    return f"{'/'.join(PurePath(place.file).parts[-2:])}:{place.line}:{place.column + 1}"
