"""What an engine may offer besides the verdicts of a search, and the forms in which it gives that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from isrcheck.engines.common.targets import SearchTarget
from isrcheck.engines.contract import Request, Searched


class Capability(Enum):
    """Something that not every engine offers; the value is what is said of an engine without it."""

    COUNTS = "counts no states: leave --max-states out, or use --engine native."
    SYMMETRY = "looks at every state: leave --symmetry out, or use --engine native."
    CHECKPOINTS = "keeps no checkpoints: use --engine native."
    WORKERS = "has one worker: leave --workers out, or use --engine native."
    STATES = "gives no set of the reachable states: use --engine native."
    GRAPH = "gives no graph of states and steps: use --engine native."
    PREPARED = "prepares no searches of a lowered system: use --engine native."
    WALKS = "takes no random walks: use --engine native."


def needed_by(request: Request) -> Iterator[Capability]:
    """What an engine must offer to search as it is asked."""
    needs = {
        Capability.SYMMETRY: request.symmetry,
        Capability.CHECKPOINTS: request.checkpoint is not None,
        Capability.WORKERS: request.workers != 1,
        Capability.COUNTS: request.limits.states is not None,
    }
    return (capability for capability, is_needed in needs.items() if is_needed)


@dataclass(frozen=True)
class ReachableStates:
    """States by level, the initial one's first, each as its canonical packing in little-endian bytes.

    `cut` says, as a phrase, why the levels are not all states; None if they are.
    """

    levels: tuple[frozenset[bytes], ...]
    cut: str | None


class PreparedSearch(Protocol):
    """A lowered system, made ready to be searched for some properties as often as needed."""

    @property
    def text(self) -> str:
        """All that the answers depend on, but for the request and the initial state."""

    def search(self, request: Request) -> Searched:
        """Search for the properties that it was prepared for, or for none of them. Raises FoundFault."""


class StateGraph(Protocol):
    """A graph that was searched to its end, or to where `exploration` says.

    States are numbered from 0 in the order in which they were found, the initial one first, level after level; numbers
    and words are 64-bit, in this machine's order of bytes.
    """

    exploration: Searched
    words: int  # of a packed state
    instances: int
    targets: Sequence[SearchTarget]

    def states(self) -> Iterator[bytes]:
        """The packed states, in chunks of whole ones."""

    def steps(self) -> Iterator[tuple[bytes, bytes]]:
        """The steps by source, in chunks: source * instances + instance, and target, step by step."""

    def target_words(self) -> Iterator[list[int]]:
        """For each batch of 64 states, for each of `targets` a word: bit n is whether the batch's state n shows it."""
