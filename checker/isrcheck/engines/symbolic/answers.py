"""What an attempt to prove a property ends with."""

from dataclasses import dataclass

from isrcheck.engines.symbolic.proof import InductiveProof

State = tuple[int, ...]

FAULT = "that the text of every action has a meaning"


@dataclass(frozen=True, eq=False)
class Broken:
    """A behaviour of the system that breaks the property: instances taken, and positions of the symbolic constants.

    Where the system was cut it need not be one of the model: the reference has to say.
    """

    path: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Stuck:
    """Induction does not go through: `what` is a lemma's name, the property's, or FAULT.

    `states` is a counterexample to induction, with the instances taken in `path`: all before the last keep every
    lemma, and the last does not keep `what`. `k` is the length tried; `initial`: a lemma is false to begin with.
    """

    what: str
    k: int
    states: tuple[State, ...]
    path: tuple[int, ...]
    initial: bool = False


@dataclass(frozen=True, eq=False)
class GivenUp:
    """z3 has no answer: out of time, or it does not know."""

    reason: str
    k: int


Answer = InductiveProof | Broken | Stuck | GivenUp
