"""A stretch of one file to events, and the account of its lines."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from isrmodel.observe.account import Account
from isrmodel.observe.chunks import Chunk, read_lines
from isrmodel.observe.event import Event, shortened
from isrmodel.observe.layout import Line, Reader, glued, has_time
from isrmodel.observe.order import Clock
from isrmodel.observe.patterns import NAMES_PARTITION, Found, Table, table
from isrmodel.observe.records import READERS, NotWhole, Record

_LARGEST, _LARGEST_PARTITION = 2**63 - 1, 2**31 - 1  # of the columns


class Task(NamedTuple):
    """What is read, and what is known of it beforehand."""

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
    for texts, whole in read_lines(task.chunk):
        if whole:
            for text in texts:
                yield from parse_line(text)
        else:
            yield from parse_line.cut_off(texts[0])


class _LogLines:
    """Lines of a broker's or a controller's log."""

    def __init__(self, task: Task, account: Account) -> None:
        self._task, self._account = task, account
        self._reader = Reader()
        self._table: Table = table()
        self._clock = task.clock

    def __call__(self, text: str) -> list[Event]:
        line = self._reader.split(text)
        if line is not None and (found := self._table.match(line.logger, line.message)) is not None:
            self._account.understood([each.kind for each in found])
            return [self._event(line, each, text) for each in found]
        if (start := glued(text)) is not None:  # the end of the first line was never written
            self._account.cut_off()
            return self(text[start:])
        self._not_understood(line, text)
        return []

    def cut_off(self, text: str) -> list[Event]:
        """Its last number may lack digits: it says nothing."""
        self._account.cut_off()
        return []

    def _event(self, line: Line, found: Found, text: str) -> Event:
        task = self._task
        kind, of_controller, topic, partition, fields = found
        if line.thread is not None:
            fields["thread"] = line.thread
        if topic is None and (topic_id := fields.get("topic_id")) is not None:
            topic = task.topics.get(topic_id)
        node = task.controller if of_controller else task.node
        return Event(
            task.run, node, "log", self._clock.next(line.wall_ms), None, None, line.wall_ms,
            kind, topic, partition, fields, shortened(text),
        )  # fmt: skip

    def _not_understood(self, line: Line | None, text: str) -> None:
        if line is not None and (line.logger in self._table.matter or NAMES_PARTITION.search(line.message)):
            self._account.missed(line.logger, text)
        elif line is not None:
            self._account.other += 1
            self._account.read += 1
        elif has_time(text) and NAMES_PARTITION.search(text):
            self._account.missed("no logger", text)
        else:
            self._account.rest += 1
            self._account.read += 1


class _Records:
    """Lines of the other sources."""

    def __init__(self, task: Task, account: Account) -> None:
        self._task, self._account = task, account
        self._read = READERS[task.role]
        self._position = task.position

    def __call__(self, text: str) -> list[Event]:
        events = self._events(text)
        if events is None:
            self._account.missed(self._task.role, text)
            return []
        self._account.understood([event.kind for event in events])
        return events

    def cut_off(self, text: str) -> list[Event]:
        """JSON says itself where it ends."""
        events = self._events(text)
        if events is None:
            self._account.cut_off()
            return []
        self._account.understood([event.kind for event in events])
        return events

    def _events(self, text: str) -> list[Event] | None:
        try:
            return [self._event(record, text) for record in self._read(text)] if text.strip() else []
        except (NotWhole, TypeError, ValueError, KeyError, ArithmeticError):
            return None

    def _event(self, record: Record, text: str) -> Event:
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
            self._task.run, record.node or self._task.node, record.source, self._position,
            record.start_ns, record.end_ns, record.wall_ms,
            record.kind, topic, partition, fields, shortened(text),
        )  # fmt: skip


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
