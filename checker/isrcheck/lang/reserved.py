"""The names to which the command line, specs and step properties give a meaning of their own: no model has them.

Whatever asks for such a name relies on this table: `deadlock` in a spec is never a property of the model's own.
"""

from typing import Final

from isrcheck.errors import ModelError
from isrcheck.lang.declare import Taken
from isrcheck.place import Place

_COUNT: Final = "a count of the run, in what the gate reports"
_RUN: Final = "the run as a whole, in what the gate reports"

RESERVED: Final[dict[str, dict[str, str]]] = {
    "property": {
        "deadlock": "a state without steps, in specs, in pytest marks and in every result",
        "none": "no property at all, in --property none",
        **dict.fromkeys(("distinct", "generated", "depth", "pruned", "digest"), _COUNT),
        **dict.fromkeys(("run", "strict"), _RUN),
    },
    "constant": {"model": "the model's name, in the expressions of a spec"},
    "parameter": {
        **dict.fromkeys(dir(Taken), "something that Python keeps of every object, in taken"),
        "action": "the action's name, in taken.action",
        "_arguments": "all arguments of the step taken",
    },
}


def refuse_reserved(kind: str, name: str, at: Place) -> None:
    """Raises ModelError for a property or lemma, a constant or a parameter of an action that has a reserved name."""
    meaning = RESERVED[kind].get(name)
    if meaning:
        raise ModelError(at, f"{name} is not a valid name of a {kind}: it means {meaning}.", "Choose another name.")
