"""The order of one node's events: that of its log, save where two threads wrote lines at about the same time.

A line is written after what it tells has happened, so that another thread's line may come between. Of lines by
different threads within `NEAR_MS` either may tell what was first.
"""

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from isrlogs.conform.event import Event

NEAR_MS = 100.0  # a pause of the collector between a change and its line: most are below 50 ms at 300 MB
LATE_MS = 1000.0  # an answer of the controller comes within 0.1 s, and a first fetch is accounted for in 0.2 s
WINDOW = 12  # events between which the order may be another than the log's

Position = tuple[int, int]  # events behind, all of them; and of those after them, which (as bits)
START: Position = (0, 0)


@dataclass(frozen=True, eq=False)
class Track:
    """One node's events, as they are to be explained."""

    node: str
    events: tuple[Event, ...]
    causes: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of a kind, what its thread may write before it
    late: frozenset[str] = frozenset()  # kinds that come when another node has answered

    @property
    def broker(self) -> int | None:
        """The broker whose events these are; None if they are no broker's."""
        return int(self.node.split()[-1]) if self.node.startswith("broker") else None

    def tells(self, *kinds: str) -> bool:
        """Whether there are events of such kinds at all."""
        return not self._kinds.isdisjoint(kinds)

    @cached_property
    def _kinds(self) -> frozenset[str]:
        return frozenset(event.kind for event in self.events)

    def open(self, position: Position) -> Iterator[int]:
        """Yield the events that may be next."""
        base, ahead = position
        for index in range(base, min(base + WINDOW, len(self.events))):
            missing = ~ahead & ((1 << (index - base)) - 1)  # of the events before it
            if not ahead >> (index - base) & 1 and not missing & self._blockers[index] >> (WINDOW - (index - base)):
                yield index

    @cached_property
    def _blockers(self) -> tuple[int, ...]:
        """The events that must come before each event, as bits; the event just before is the highest bit."""
        return tuple(
            sum(
                1 << (WINDOW - (index - earlier))
                for earlier in range(max(0, index - WINDOW), index)
                if not self.may_swap(earlier, index)
            )
            for index in range(len(self.events))
        )

    def may_swap(self, first: int, second: int) -> bool:
        """Whether what the second line tells may have happened before what the first tells."""
        one, other = self.events[first], self.events[second]
        if other.source == "faults":
            return False  # who has stopped writes nothing
        apart = abs(other.wall_ms - one.wall_ms)
        if one.thread == other.thread:
            causes = self.causes.get(other.kind, ())
            return one.kind in causes and (apart <= LATE_MS or self._is_one_call(first, second, causes))
        return apart <= (LATE_MS if other.kind in self.late else NEAR_MS)

    def _is_one_call(self, first: int, second: int, causes: Container[str]) -> bool:
        """Whether a thread wrote nothing but causes between two lines: who stands still between them is paused."""
        thread = self.events[second].thread
        return all(event.kind in causes for event in self.events[first:second] if event.thread == thread)

    def rest(self, position: Position) -> Iterator[int]:
        """The events that are not explained, as far as the order may be another than the log's."""
        base, ahead = position
        for index in range(base, min(base + WINDOW, len(self.events))):
            if not ahead >> (index - base) & 1:
                yield index

    def last(self, kinds: frozenset[str]) -> int:
        """The last event of such kinds, -1 if there is none."""
        if kinds not in self._last:
            self._last[kinds] = max((i for i, event in enumerate(self.events) if event.kind in kinds), default=-1)
        return self._last[kinds]

    @cached_property
    def _last(self) -> dict[frozenset[str], int]:
        return {}

    def ahead(self, kinds: frozenset[str], position: Position) -> Iterator[int]:
        """The events of such kinds that are not behind."""
        if kinds not in self._places:
            self._places[kinds] = [i for i, event in enumerate(self.events) if event.kind in kinds]
        places = self._places[kinds]
        return islice(places, bisect_left(places, position[0]), None)

    @cached_property
    def _places(self) -> dict[frozenset[str], list[int]]:
        return {}

    def after(self, position: Position, index: int) -> Position:
        """The position once an event is explained."""
        base, ahead = position
        ahead |= 1 << (index - base)
        while ahead & 1:
            base, ahead = base + 1, ahead >> 1
        return base, ahead

    def count_explained(self, position: Position) -> int:
        """How many events are explained."""
        base, ahead = position
        return base + ahead.bit_count()

    def has_ended(self, position: Position) -> bool:
        """Whether the node wrote nothing more; others may know what became of it."""
        return position[0] >= self._end_of_lines

    @cached_property
    def _end_of_lines(self) -> int:
        return max((i for i, event in enumerate(self.events) if event.source == "log"), default=-1) + 1

    def is_done(self, position: Position) -> bool:
        """Whether all are."""
        return position[0] == len(self.events)
