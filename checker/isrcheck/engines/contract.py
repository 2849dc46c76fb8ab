"""What every engine is asked and what it answers. Engines import this and never each other."""

import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field

from isrcheck.ir import property_kinds as kinds


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a run may be cut off; None means not at all."""

    states: int | None = None  # distinct states
    depth: int | None = None  # levels; the initial state alone is level 1
    seconds: float | None = None  # of the search, start-up excluded
    memory: int | None = None  # bytes of resident memory


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands."""

    depth: int
    distinct: int
    generated: int
    frontier: int  # states of the newest level
    seconds: float
    phase: str = ""  # what is done before or after the search, such as "lowering: 4,200 of 17,000 instances"


def _ignore(_: Progress) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a search keeps itself, how often in seconds, and whether it goes on from what is there."""

    directory: pathlib.Path
    seconds: float = 60.0
    resume: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where Spark runs: its master's address (None: this machine) and options of its own, as it names them."""

    master: str | None = None
    conf: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One search: the names of the properties to decide, in declaration order; without any, the whole graph.

    `visited`, if given, is handed every state of a complete search, in pieces of whole states: each as its packed words
    (ir/pack.py), little-endian, in no order.
    """

    properties: tuple[str, ...] = ()
    deadlock: bool = False
    stop_at_first: bool = False
    limits: Limits = Limits()
    workers: int = 1
    symmetry: bool = False
    checkpoint: Checkpoint | None = None
    cluster: Cluster | None = None
    progress: Callable[[Progress], None] = field(default=_ignore, compare=False)
    visited: Callable[[bytes], object] | None = field(default=None, compare=False)


# A way from the initial state: positions of instances, in the order taken. Replaying it gives the states.
Path = tuple[int, ...]


class FoundFault(Exception):
    """The model's own text goes wrong after `path`: in deciding about an instance, or in computing a property.

    A step property's path ends with the step that it cannot judge. Only the reference can say what is wrong.
    """

    def __init__(self, path: Path, instance: int | None, property_name: str | None) -> None:
        what = f"instance {instance}" if property_name is None else f"property {property_name}"
        super().__init__(f"{what} has no value after {len(path)} steps")
        self.path = path
        self.instance = instance
        self.property = property_name


DEADLOCK = kinds.DEADLOCK.name  # the name under which a state without steps is found


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a search saw.

    `found` maps the name of each violated invariant or step property, each reachability claim that was met, and
    `DEADLOCK`, to the least of its shortest paths. What is not in it was not seen: that decides a property only if
    `cut` is None, when every reachable state within the bounds was expanded. `depth` counts the levels that are known
    whole: whatever was cut, every behaviour of at most depth - 1 steps was looked at. `levels` has, for each of these,
    the number of states first reached there; they add up to `distinct` if the run is complete.
    """

    distinct: int
    generated: int
    depth: int
    levels: tuple[int, ...]  # by level, the initial state's first
    pruned: int
    digest: str | None  # None unless complete
    cut: str | None  # where the run ended early, as a phrase: "after 1,000 states"; None if complete
    interrupted: bool  # by the user
    found: dict[str, Path]
    action_generated: tuple[int, ...]  # by action, self-loops included, pruned steps excluded
    action_distinct: tuple[
        int, ...
    ]  # states first reached at their level by this action and by none declared before it
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether every reachable state within the bounds was expanded."""
        return self.cut is None
