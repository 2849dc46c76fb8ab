"""A mutant: a model's text with one change, which has a name, a place and words."""

from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath

from isrcheck.ir.model import ModelIR
from isrcheck.place import Place


class Mutation(Enum):
    """What was done to the text."""

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
    """One change. `name` is METHOD/WORD-N, the same as long as the method's text is; `guard` names a guard removed."""

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


def where(place: Place) -> str:
    """A place without the folders that the model happens to be installed in: family/file.py:line:column."""
    return f"{'/'.join(PurePath(place.file).parts[-2:])}:{place.line}:{place.column + 1}"
