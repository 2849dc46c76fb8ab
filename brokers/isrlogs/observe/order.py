"""The order of a node's events, as one number that every task can compute for its own lines."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from isrlogs.observe.event import Event

_COUNTER_BITS, _GROUP_BITS = 14, 10
GROUPS = 1 << _GROUP_BITS
_MOST = (1 << _COUNTER_BITS) - 1
_REMEMBERED = 4096  # events, in which the same line of another file comes
FILE_BITS = 40  # of an order that is a place in files: a place below, the file's number above


class Clock:
    """Numbers for the events of one file group (server.log and its rotated files), in the order of its lines.

    A number is a time in milliseconds, which never goes back within a group, then a counter, then the group: lines of
    several groups of a node are merged by time, and no two have one number.
    """

    def __init__(self, floor_ms: int, base_ms: int, group: int) -> None:
        self._ms, self._base = floor_ms - base_ms, base_ms
        self._group = group % GROUPS
        self._counter = -1

    def next(self, wall_ms: int) -> int:
        """The number of an event that was written at this time, or later than the one before."""
        ms = wall_ms - self._base
        if ms > self._ms:
            self._ms, self._counter = ms, 0
        elif self._counter == _MOST:
            self._ms, self._counter = self._ms + 1, 0
        else:
            self._counter += 1
        return ((self._ms << _COUNTER_BITS | self._counter) << _GROUP_BITS) | self._group


def later_floor(floor_ms: int, last_ms: int, lines: int) -> int:
    """The beginning of a group's next stretch, after one with these lines that ends at this time at the latest."""
    return max(floor_ms, last_ms) + 1 + (lines >> _COUNTER_BITS)


def once(events: Iterable[Event]) -> Iterator[Event]:
    """Sorted events without those that another file group of the node has told already.

    server.log and the console have the same lines, or replication.log and server.log some. What one group tells twice
    happened twice.
    """
    counts_of_line: dict[tuple[Any, ...], dict[int, int]] = {}
    for event in events:
        if event.source != "log":
            yield event
            continue
        counts = counts_of_line.setdefault(_content_of(event), {})
        most, group = max(counts.values(), default=0), event.order % GROUPS
        counts[group] = counts.get(group, 0) + 1
        if counts[group] > most:
            yield event
        if len(counts_of_line) > _REMEMBERED:
            for key in list(islice(counts_of_line, _REMEMBERED // 2)):
                del counts_of_line[key]


def _content_of(event: Event) -> tuple[Any, ...]:
    """The content of a line, whatever its layout."""
    values = [value for name, value in event.fields.items() if name != "thread"]
    return event.run, event.node, event.wall_ms, event.kind, event.topic, event.partition, *values
