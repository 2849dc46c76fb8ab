"""The events of a run, partition by partition: from a folder of logs, or from a table that `isrcheck observe` wrote."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from isrcheck import UsageError
from isrcheck.plugin import need
from isrlogs.conform.event import Event
from isrlogs.observe.event import MARK
from isrlogs.observe.order import once
from isrlogs.observe.run import read_run

_SETTINGS = ("min.insync.replicas", "replica.lag.time.max.ms")
_OF_TOPIC = re.compile(r"([\w.]+)(?: -> |=)([\w.]+)")


def is_table(place: Path) -> bool:
    """Whether it is a table that `isrcheck observe` wrote."""
    return (place / MARK).is_file()


def events_of(place: Path, topic_partition: str | None) -> dict[str, list[Event]]:
    """The events by run and partition, such as `steady-4.1.1 tv-0`. Raises UsageError if there are none."""
    by_partition = by_partitions(_rows_of_table(place) if is_table(place) else read_run(place)[0])
    if not by_partition:
        remedy = "give a folder of brokers' logs, or a table of events"
        raise UsageError(f"{place} holds no event of a partition: {remedy}.")
    wanted = {name: events for name, events in by_partition.items() if topic_partition in (None, name.split()[-1])}
    if not wanted:
        known = ", ".join(sorted({name.split()[-1] for name in by_partition})[:8])
        raise UsageError(f"{place} holds no event of {topic_partition}: there are {known}.")
    return wanted


def by_partitions(rows: Iterable[Any]) -> dict[str, list[Event]]:
    """The events of each partition. Events of no partition, such as a stop, are of all of their run or topic."""
    own: dict[tuple[str, str, int], list[Event]] = {}
    shared: dict[tuple[str, str | None], list[Event]] = {}
    for row in once(rows):
        event = event_of(*row[:-1])
        if row.partition is None:
            shared.setdefault((row.run, row.topic), []).append(event)
        elif row.topic and not row.topic.startswith("__"):
            own.setdefault((row.run, row.topic, row.partition), []).append(event)
    return {
        f"{run} {topic}-{partition}": [*shared.get((run, None), ()), *shared.get((run, topic), ()), *events]
        for (run, topic, partition), events in sorted(own.items())
    }


def event_of(
    _run: str,
    node: str,
    source: str,
    order: int,
    _start_ns: int | None,
    _end_ns: int | None,
    wall_ms: int | None,
    kind: str,
    _topic: str | None,
    _partition: int | None,
    fields: Mapping[str, str],
) -> Event:
    """An event from the columns of the table."""
    return Event(node, kind, fields, order, float(wall_ms or 0), source)


def settings_of(place: Path | None, events: Sequence[Event]) -> Mapping[str, str]:
    """The settings of brokers: as the topic says, else the cluster, else a broker's file of properties."""
    properties = sorted(place.glob("*.properties")) if place else []
    files = [line for file in properties for line in file.read_text(encoding="utf-8").splitlines()]
    cluster = [f"{e.fields.get('name')}={e.fields.get('value')}" for e in events if e.kind == "config"]
    topic = [event.fields.get("config", "") for event in events]
    values = dict(pair for source in (*files, *cluster, *topic) for pair in _OF_TOPIC.findall(source))
    return {name: values[name] for name in _SETTINGS if name in values}


def _rows_of_table(folder: Path) -> Iterable[Any]:
    need("pyarrow")
    from pyarrow import parquet

    from isrlogs.observe.columns import events_of as rows_of
    from isrlogs.observe.table import read_about

    read_about(folder)
    for batch in parquet.read_table(folder).to_batches():
        yield from rows_of(batch)
