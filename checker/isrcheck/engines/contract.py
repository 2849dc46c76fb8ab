"""Requests to engines and their results. Every engine imports this, and none imports another."""

import pathlib
from collections.abc import Callable
from typing import Any, ClassVar

from msgspec import field, structs

from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.frozen import FrozenStruct


class Limits(FrozenStruct):
    """Limits of a run; None means no limit."""

    states: int | None = None  # distinct
    depth: int | None = None  # levels; the initial state alone is level 1
    seconds: float | None = None  # of the search, start-up excluded
    memory: int | None = None  # bytes of resident memory


class Progress(FrozenStruct):
    depth: int
    distinct: int
    generated: int
    frontier: int  # states, newest level
    seconds: float
    phase: str = ""  # before or after the search: "lowering: 4,200 of 17,000 instances"
    remark: str = ""  # for the user, a sentence that is shown once


class Checkpoint(FrozenStruct):
    """The folder in which a search on Spark keeps its levels; `resume`: go on from what is there."""

    directory: pathlib.Path
    resume: bool = False


class Cluster(FrozenStruct):
    master: str | None = None  # its address; None: this machine
    conf: tuple[tuple[str, str], ...] = ()  # Spark's own options


class Options(FrozenStruct, kw_only=True):
    """Options of a run, whatever it asks: one value from the command line to the engine."""

    workers: int = 1
    symmetry: bool = False
    deadlock: bool = False  # a state without steps is a violation
    stop_at_first: bool = False
    all_choices: bool = False  # of symbolic constants: every choice, not the smallest alone
    checkpoint: Checkpoint | None = None
    disk: pathlib.Path | None = None  # where states are kept that memory need not hold
    cluster: Cluster | None = None
    fairness: tuple[str, ...] = ()  # environments that temporal properties assume


NO_LIMITS, NO_OPTIONS = Limits(), Options()


class Request(Options, kw_only=True):
    """One search: the names of the properties to decide, in declaration order; without any, the whole graph.

    `temporal` are those of behaviours, which no search of states decides.

    `visited`, if given, is handed every state of a complete search, in pieces of whole states: each as its packed words
    (ir/pack.py), little-endian, in no order.
    """

    properties: tuple[str, ...] = ()
    temporal: tuple[str, ...] = ()
    limits: Limits = NO_LIMITS
    progress: Callable[[Progress], object] = lambda _: None
    visited: Callable[[bytes], object] | None = None
    stories: bool = True  # whether paths are least stories (engines/common/story.py), or first in order


def request_of(options: Options, **more: Any) -> Request:
    return Request(**structs.asdict(options), **more)


# A way from the initial state: positions of the instances taken. Replaying it gives the states.
Path = tuple[int, ...]


class FoundFault(Exception):
    """The model's own text goes wrong after `path`: in deciding about an instance, or in computing a property.

    A step property's path ends with the step that it cannot judge. Only the reference can say what is wrong.
    """

    def __init__(self, path: Path, instance: int | None, property_name: str | None) -> None:
        what = f"instance {instance}" if property_name is None else f"property {property_name}"
        super().__init__(f"{what} has no value after {len(path)} steps")
        self.path, self.instance, self.property = path, instance, property_name


DEADLOCK = kinds.DEADLOCK.name  # the name under which a state without steps is found


class RunResult(FrozenStruct, kw_only=True):
    paths: dict[str, Path] = field(default_factory=dict)  # by property: the least shortest path
    cut: str | None = None  # "after 1,000 states"; None if complete
    interrupted: bool = False  # by the user
    seconds: float = 0.0
    untold: tuple[str, ...] = ()  # properties whose path is the first in order, since a limit was near
    can_be_complete: ClassVar[bool] = False

    @property
    def complete(self) -> bool:
        """Whether every reachable state within the bounds was expanded, or every property proved."""
        return self.can_be_complete and self.cut is None


class Searched(RunResult, kw_only=True):
    """A search that makes states one by one.

    What is not in `found` was not seen: that decides a property only if `cut` is None. Whatever was cut, every
    behaviour of at most depth - 1 steps was looked at.
    """

    can_be_complete = True
    distinct: int
    generated: int
    depth: int  # levels known completely
    levels: tuple[int, ...]  # by complete level, the initial state's first: states first reached there
    pruned: int
    outside: int = 0  # states at which constraints ended the search: checked, not expanded, not in `distinct`
    digest: str | None  # if complete
    action_generated: tuple[int, ...]  # by action, self-loops included, pruned steps excluded
    action_distinct: tuple[int, ...]  # first reached by it and none declared before


class Bounded(RunResult, kw_only=True):
    """A symbolic search: every behaviour of at most depth - 1 steps was looked at."""

    depth: int


class Sampled(RunResult, kw_only=True):
    """Random walks: their seed, how many there were, and the steps taken in all of them."""

    seed: int
    walks: int
    steps: int


class Proved(RunResult, kw_only=True):
    """Proofs by induction, which look at no behaviour."""

    can_be_complete = True


class NotStarted(RunResult, kw_only=True):
    """A run that ended before its first state."""
