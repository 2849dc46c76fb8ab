"""The facts that a search needs about the machine code of one model, and the IR of it that is the model's own."""

from dataclasses import dataclass

from isrcheck.engines.common.targets import SearchTarget
from isrcheck.ir.pack import Packing

BATCH = 64  # states that are computed side by side


@dataclass(frozen=True, slots=True)
class Program:
    """One model's text.

    A report has a word for each instance, the states in which it is taken, one a target, and one of states outside.
    """

    ir: str
    words: int
    instances: int
    targets: tuple[SearchTarget, ...]
    packing: Packing
    actions: int
    symmetric: bool
    constrained: bool
    exchanging: bool  # the kernel also takes states in and gives them away
    sorting: bool  # it also sorts states and merges sorted ones
    observing: bool  # it also writes the graph, and what is observed of each state
    declarations: frozenset[str]  # of what the text calls


def mark_bits(actions: int) -> int:
    """The bits of a mark: 0, or an action's position + 1."""
    return 8 if actions < 255 else 16
