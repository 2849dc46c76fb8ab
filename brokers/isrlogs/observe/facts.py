"""Facts of a partition that all nodes wrote, and broken rules."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from isrlogs.observe.event import Event

# Clocks of clients and brokers agree within this: NTP's worst on one continent.
CLOCKS_MS = 2000
_STEP_MS = 1000  # between what is remembered of a high watermark that goes up


class Broken(NamedTuple):
    """A rule that is broken: by which event, and why."""

    run: str
    topic: str
    partition: int
    rule: str
    node: str
    source: str
    order: int
    kind: str
    why: str


class Committed(NamedTuple):
    """All records below `offset` were committed in this epoch, as this node wrote at this time or a moment later."""

    epoch: int
    offset: int
    node: str
    wall_ms: int


class Begin(NamedTuple):
    """A leader, or an epoch in a log, begins at this offset."""

    epoch: int
    offset: int
    event: Event


@dataclass
class Facts:
    """The lines of all nodes of a partition, for the rules that compare them."""

    committed: dict[tuple[int, str], list[Committed]] = field(default_factory=dict)  # by epoch and node
    leaders: list[Begin] = field(default_factory=list)
    begins: list[Begin] = field(default_factory=list)
    journal: list[Event] = field(default_factory=list)
    topic_ids: set[str] = field(default_factory=set)
    created: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # by node

    @cached_property
    def sent(self) -> dict[str, str]:
        """The acks that records were sent with, by value."""
        sends = (event.fields for event in self.journal if event.kind == "send")
        return {fields.get("value", ""): fields.get("acks", "") for fields in sends}

    def commit(self, committed: Committed) -> None:
        written = self.committed.setdefault((committed.epoch, committed.node), [])
        if not written or committed.wall_ms > written[-1].wall_ms + _STEP_MS:
            written.append(committed)
        elif committed.offset > written[-1].offset:
            written[-1] = written[-1]._replace(offset=committed.offset)

    def one_topic(self) -> bool:
        """Whether the topic was never deleted and created again, as far as was written.

        Its id tells. Without one, a second log may be of a second topic, or on a disk that was replaced.
        """
        return len(self.topic_ids) == 1 or (not self.topic_ids and max(self.created.values(), default=0) <= 1)


def report_broken(rule: str, event: Event, why: str) -> Broken:
    assert event.topic is not None
    assert event.partition is not None
    return Broken(
        run=event.run,
        topic=event.topic,
        partition=event.partition,
        rule=rule,
        node=event.node,
        source=event.source,
        order=event.order,
        kind=event.kind,
        why=why,
    )


def number(event: Event, name: str) -> int | None:
    value = event.fields.get(name)
    return None if value is None or not value.lstrip("-").isdecimal() else int(value)


def brokers(event: Event, name: str) -> frozenset[str] | None:
    value = event.fields.get(name)
    return None if value is None else frozenset(filter(None, value.split(",")))
