"""One partition of one run, as the search takes it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isrlogs.conform.event import Event
from isrlogs.conform.meaning import Meaning, View
from isrlogs.conform.track import Position, Track


@dataclass(frozen=True)
class Demand:
    """A step must be told of in a track, by an event of this kind with these fields."""

    track: int
    kind: str
    fields: Mapping[str, Any]

    def accepts(self, event: Event) -> bool:
        """Whether an event is the one; what it does not tell is not compared."""
        return event.kind == self.kind and all(
            event.numbers(name) == value if isinstance(value, frozenset) else event.number(name) == value
            for name, value in self.fields.items()
            if name in event.fields
        )

    def __str__(self) -> str:
        fields = {n: ",".join(map(str, sorted(v))) if isinstance(v, frozenset) else v for n, v in self.fields.items()}
        return f"{self.kind}({', '.join(f'{name}={value}' for name, value in fields.items())})"


class NotModelled(Exception):
    """Something happened in a run of which models of the family know nothing."""


@dataclass(frozen=True)
class Run:
    """A run to explain: its events by track, what they mean, and actions that no event tells of."""

    members: Mapping[int, Any]  # the model's name of each broker
    tracks: tuple[Track, ...]
    constants: Mapping[str, Any]
    table: Mapping[str, Meaning]
    demands: Callable[[View, View], Iterator[Demand]]
    unseen: tuple[str, ...]  # actions of which brokers never tell
    silent: Mapping[str, str] = field(default_factory=dict)  # by node and action: the logger that would tell of it
    helping: tuple[str, ...] = ()  # actions of which only the event tells that waits for them
    # Of what is unseen.
    is_due: Callable[[View, str, Mapping[str, Any], Sequence[Position]], bool] = lambda view, action, given, at: True
    forgotten: tuple[str, ...] = ()  # variables that no step reads, and counts whose bound no run reaches
    # Whether an event that agrees with a state may tell of a step later: then both are tried.
    may_be_later: Callable[[View, Event, Sequence[Position]], bool] = lambda view, event, positions: False
    beyond: tuple[str, ...] = ()  # actions that brokers may take once their logs have ended
    doubt: str = ""  # what the model does not know of the run, so that no departure is told

    def may_infer(self, action: str, actor: int | None) -> bool:
        """Whether an action may have been taken unseen."""
        return action in (*self.unseen, *self.helping) or f"{action} of broker {actor}" in self.silent

    @property
    def events(self) -> int:
        """How many events are to be explained."""
        return sum(len(track.events) for track in self.tracks)
