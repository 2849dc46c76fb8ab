"""The facts that a search needs about the machine code of one model, and the IR of it that is the model's own."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from isrcheck.engines.common.targets import SearchTarget
from isrcheck.ir.pack import Packing

BATCH = 64  # states that are computed side by side
EXCHANGING = ("kernel.exchange",)  # modules of a kernel that takes states in and gives them away,
ON_DISK = (*EXCHANGING, "disk.kernel")  # that sorts and merges them besides,
OBSERVING = ("behaviours.steps",)  # and that writes the graph, with what is observed of each state
_ALWAYS = (
    "advance", "examine", "refill", "mark_target_states", "trace_back", "digest", "insert_initial", "follow",
    "canonicalize", "locate", "wander", "link", "report_targets", "recount", "expand_next",
)  # fmt: skip


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
    more: tuple[str, ...]  # modules that its kernel has besides
    declarations: frozenset[str]  # of what the text calls

    @property
    def modules(self) -> tuple[ModuleType, ...]:
        return tuple(import_module(f"isrcheck.engines.native.{name}") for name in self.more)

    @property
    def functions(self) -> tuple[str, ...]:
        """The kernel's functions that Python calls."""
        return (*_ALWAYS, *(name for module in self.modules for name in module.EXPORTED))


def mark_bits(actions: int) -> int:
    """The bits of a mark: 0, or an action's position + 1."""
    return 8 if actions < 255 else 16
