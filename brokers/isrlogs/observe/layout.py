"""A line of a broker's log in its parts: the layouts that Kafka comes with, and those of docs/observe.md."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

_TIME = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[.,](\d{3})\d{0,6}"
# %d{...} [%sn] %-5p [%t] %c - %m      the layout of brokers/isrlogs/observe/loggers
_THREAD = re.compile(rf"{_TIME}(?: \d+)? [A-Z]+ +\[([^\]]*)\] (\S+) - ")
# [%d] %p %m (%c)                      the layout that Kafka comes with
_PLAIN = re.compile(rf"\[{_TIME}\] ([A-Z]+) (.*) \(([\w.$]+)\)", re.DOTALL)
_BEGINS = re.compile(rf"\[?{_TIME}\]? ")
_STATE_CHANGE = "state.change.logger"


class Line(NamedTuple):
    """A line's parts; `logger` is the last part of its name, `thread` is None where the layout does not say."""

    wall_ms: int
    thread: str | None
    logger: str
    message: str


class Reader:
    """Splits lines; remembers the last second, as most lines share theirs with the line before."""

    def __init__(self) -> None:
        self._second = ""
        self._ms = 0

    def split(self, line: str) -> Line | None:
        """Split a line into time, thread, logger and message; None without a time or a logger."""
        if match := _THREAD.match(line):
            day, ms, thread, logger = match.groups()
            return Line(self.wall_ms(day, ms), thread, short_name(logger), line[match.end() :])
        if match := _PLAIN.fullmatch(line):
            day, ms, _, message, logger = match.groups()
            return Line(self.wall_ms(day, ms), None, short_name(logger), message)
        return None

    def wall_ms(self, second: str, ms: str) -> int:
        if second != self._second:
            try:
                at = datetime.strptime(second, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
            except ValueError:  # a month 13: a damaged line
                return self._ms
            self._second, self._ms = second, int(at.timestamp()) * 1000
        return self._ms + int(ms)


@lru_cache(1 << 12)
def short_name(logger: str) -> str:
    """The last part of a logger's name, without the names of inner classes."""
    return logger if logger == _STATE_CHANGE else logger.rsplit(".", 1)[-1].split("$")[0]


def has_time(line: str) -> bool:
    return _BEGINS.match(line) is not None


def start_of_next_line(line: str) -> int | None:
    """The position at which another line begins inside this one, whose end was never written; None if none does."""
    own = _BEGINS.match(line)
    match = _BEGINS.search(line, own.end() if own else 1)
    return match.start() if match else None
