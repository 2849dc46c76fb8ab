"""A stretch of one file to events, and the account of its lines."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from isrlogs.observe.account import Account
from isrlogs.observe.chunks import Chunk, read_lines
from isrlogs.observe.event import Event, shorten
from isrlogs.observe.layout import Line, Reader, has_time, start_of_next_line
from isrlogs.observe.order import Clock
from isrlogs.observe.patterns import NAMES_PARTITION, NOT_UNDERSTOOD, OF_PARTITION, MatchedEvent, Table, table
from isrlogs.observe.records import READERS, NotWhole, Record

_LARGEST, _LARGEST_PARTITION = 2**63 - 1, 2**31 - 1  # of the columns


class Task(NamedTuple):
    """A stretch to read, and what is known of it beforehand."""

    chunk: Chunk
    run: str
    role: str
    node: str
    controller: str  # the node of a controller's lines in a broker's file
    clock: Clock  # of a log: where its lines stand among the node's
    position: int  # of other files: the order of its first line
    topics: Mapping[str, str]  # by topic id
    only: tuple[str, int] | None  # the run's only partition: that of journals that name none


def parse(task: Task, account: Account) -> Iterator[Event]:
    """The events of a stretch, in order; every line is counted in `account`."""
    parse_line = _LogLines(task, account) if task.role == "log" else _Records(task, account)
    account.file = task.chunk.path
    for texts, are_complete in read_lines(task.chunk):
        if are_complete:
            for line in texts:
                yield from parse_line(line)
        else:
            yield from parse_line.cut_off(texts[0])


class _LogLines:
    """Lines of a broker's or a controller's log."""

    def __init__(self, task: Task, account: Account) -> None:
        self._task, self._account = task, account
        self._reader = Reader()
        self._table: Table = table()
        self._clock = task.clock

    def __call__(self, source: str) -> list[Event]:
        line = self._reader.split(source)
        if line is not None and (matches := self._table.match(line.logger, line.message)) is not None:
            self._account.count_understood([each.kind for each in matches])
            if matches and matches[0].kind == "release":
                self._account.releases.add(matches[0].fields["release"])
            return [self._event(line, each, source) for each in matches]
        if (start := start_of_next_line(source)) is not None:  # the end of the first line was never written
            self._account.cut_off()
            return self(source[start:])
        return self._not_understood(line, source)

    def cut_off(self, source: str) -> list[Event]:
        """Count a line that is cut off; it gives no event, since its last number may lack digits."""
        self._account.cut_off()
        return []

    def _event(self, line: Line, match: MatchedEvent, source: str) -> Event:
        if line.thread is not None:
            match.fields["thread"] = line.thread
        return self._event_at(line.wall_ms, match, source)

    def _event_at(self, wall_ms: int | None, match: MatchedEvent, source: str) -> Event:
        task = self._task
        kind, of_controller, topic, partition, fields = match
        if topic is None and (topic_id := fields.get("topic_id")) is not None:
            topic = task.topics.get(topic_id)
        node = task.controller if of_controller else task.node
        return Event(
            run=task.run,
            node=node,
            source="log",
            order=self._clock.next(wall_ms or 0),
            start_ns=None,
            end_ns=None,
            wall_ms=wall_ms,
            kind=kind,
            topic=topic,
            partition=partition,
            fields=fields,
            line=shorten(source),
        )

    def _not_understood(self, line: Line | None, source: str) -> list[Event]:
        """An event that says so of a line that could matter."""
        if line is not None and (line.logger in self._table.matter or NAMES_PARTITION.search(line.message)):
            return [self._miss(line.wall_ms, line.logger, line.message, source)]
        if line is None and has_time(source) and NAMES_PARTITION.search(source):
            return [self._miss(None, "no logger", source, source)]
        self._account.other += line is not None
        self._account.rest += line is None
        self._account.total += 1
        return []

    def _miss(self, wall_ms: int | None, logger: str, message: str, source: str) -> Event:
        self._account.count_missed(logger, source)
        own = OF_PARTITION.match(message)
        topic, partition = (own["topic"], int(own["partition"])) if own else (None, None)
        missed = MatchedEvent(
            NOT_UNDERSTOOD, of_controller=False, topic=topic, partition=partition, fields={"logger": logger}
        )
        return self._event_at(wall_ms, missed, source)


class _Records:
    """The reader of lines of the other sources."""

    def __init__(self, task: Task, account: Account) -> None:
        self._task, self._account = task, account
        self._read = READERS[task.role]
        self._position = task.position

    def __call__(self, source: str) -> list[Event]:
        events = self._events(source)
        if events is None:
            self._account.count_missed(self._task.role, source)
            return [self._miss(source)]
        self._account.count_understood([event.kind for event in events])
        return events

    def cut_off(self, source: str) -> list[Event]:
        """JSON says itself where it ends."""
        events = self._events(source)
        if events is None:
            self._account.cut_off()
            return []
        self._account.count_understood([event.kind for event in events])
        return events

    def _miss(self, source: str) -> Event:
        fields = {"logger": self._task.role}
        missed = Record(
            node=self._task.node,
            source=self._task.role,
            start_ns=None,
            end_ns=None,
            wall_ms=None,
            kind=NOT_UNDERSTOOD,
            topic=None,
            topic_id=None,
            partition=None,
            fields=fields,
        )
        return self._event(missed, source)

    def _events(self, source: str) -> list[Event] | None:
        try:
            return [self._event(record, source) for record in self._read(source)] if source.strip() else []
        except (NotWhole, TypeError, ValueError, KeyError, ArithmeticError):
            return None

    def _event(self, record: Record, source: str) -> Event:
        topic, partition = record.topic, record.partition
        if topic is None and record.topic_id is not None:
            topic = self._task.topics.get(record.topic_id)
        if topic is None and partition is None and record.source == "client" and self._task.only:
            topic, partition = self._task.only
        self._position += 1
        if any(number is not None and abs(number) > _LARGEST for number in record[2:5]):
            raise NotWhole
        if partition is not None and not 0 <= partition <= _LARGEST_PARTITION:
            raise NotWhole
        fields = {name: _encodable(value) for name, value in record.fields.items()}
        return Event(
            run=self._task.run,
            node=record.node or self._task.node,
            source=record.source,
            order=self._position,
            start_ns=record.start_ns,
            end_ns=record.end_ns,
            wall_ms=record.wall_ms,
            kind=record.kind,
            topic=topic,
            partition=partition,
            fields=fields,
            line=shorten(source),
        )


def _encodable(value: str) -> str:
    return value if value.isascii() else value.encode("utf-8", "replace").decode()
