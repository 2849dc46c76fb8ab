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
    HISTORY = "history not kept"  # an effect on a history variable, which only properties read
    BRANCH = "branch forced"


@dataclass(frozen=True)
class Mutant:
    """One change. `name` is METHOD/WORD-N, the same as long as the method's text is."""

    name: str
    change: Mutation
    method: str  # the action, helper or policy that is changed
    owner: str  # the class or module that it is written in
    at: Place
    before: str  # the statement, or the part of it that changes
    after: str  # the same, changed; empty if nothing is left
    guard: str  # of a guard that is removed: METHOD: its text, without a place; else empty
    actions: frozenset[str]  # that the change reaches
    ir: ModelIR = field(compare=False, repr=False)


class Fate(Enum):
    """From what decides about a mutant to what does not; the first of all configurations is the mutant's."""

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
        return self in (Fate.KILLED, Fate.BROKEN, Fate.INVALID, Fate.DEAD_ACTION)

    @property
    def is_undecided(self) -> bool:
        return self in (Fate.UNDECIDED, Fate.LOST)


@dataclass(frozen=True)
class Kill:
    """A property that kills a mutant, or a deadlock."""

    name: str
    kind: str  # that of the property
    length: int | None  # states of the shortest violation; None where something is never reached any more


@dataclass(frozen=True)
class MutantOutcome:
    """The fate of a mutant, what kills it, earliest first, and its states (0 if not searched)."""

    fate: Fate
    kills: tuple[Kill, ...] = ()
    why: str = ""  # what is wrong in an error or an invalid text, or where an undecided mutant was cut off
    dead_actions: tuple[str, ...] = ()  # actions that never happen any more
    distinct: int = 0


def where(place: Place) -> str:
    """A place as family/file.py:line:column, wherever the model is installed."""
    return f"{'/'.join(PurePath(place.file).parts[-2:])}:{place.line}:{place.column + 1}"
