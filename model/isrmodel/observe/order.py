"""The order of a node's events, as one number that every task can compute for its own lines."""

_COUNTER_BITS, _GROUP_BITS = 14, 10
GROUPS = 1 << _GROUP_BITS
_MOST = (1 << _COUNTER_BITS) - 1
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
    """Where the next stretch of a group begins, after one with these lines that ends with this time at the latest."""
    return max(floor_ms, last_ms) + 1 + (lines >> _COUNTER_BITS)
