"""Lines that are not a broker's log: journals of clients and of faults, an agent's calls, the metadata log."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

Fields = dict[str, str]

# Names as in the brokers' lines: docs/observe.md.
_NAMED = {
    "th": "thread",
    "leo": "end",
    "leader_leo": "leader_end",
    "leader_epoch": "epoch",
    "leaderEpoch": "epoch",
    "partition_epoch": "version",
    "partitionEpoch": "version",
    "eligibleLeaderReplicas": "elr",
    "lastKnownElr": "last_known_elr",
    "leaderRecoveryState": "recovery",
    "removingReplicas": "removing",
    "addingReplicas": "adding",
    "brokerId": "broker",
    "brokerEpoch": "broker_epoch",
    "topicId": "topic_id",
    "inControlledShutdown": "shutdown",
    "incarnationId": "incarnation",
    "ret": "returned",
    "what": "says",
}
_DUMPED = re.compile(r"\| offset: (\d+) CreateTime: (-?\d+) .*? payload: (\{.*\})")
_ISR = re.compile(r"CommittedPartitionState[(\[]isr=(?:Set\(|\[)([\d, ]*)[)\]]")
_PENDING = re.compile(r"Pending(Expand|Shrink)Isr\((?:newInSyncReplicaId=|outOfSyncReplicaIds=(?:Set\(|\[))([\d, ]*\d)")

_TOPIC = 2  # of Kafka's ConfigResource.Type


class Record(NamedTuple):
    """One event of such a line; times as in event.Event."""

    node: str | None  # None: as the file's name says
    source: str
    start_ns: int | None
    end_ns: int | None
    wall_ms: int | None
    kind: str
    topic: str | None
    topic_id: str | None
    partition: int | None
    fields: Fields


class NotWhole(Exception):
    """A line that was cut off, or that is not a record of this source."""


def value_as_field(value: Any) -> str:
    """A value of JSON as a field's text: lists of plain values as 1,2,3."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, int | str) for each in value):
        return ",".join(map(str, value))
    return json.dumps(value, separators=(",", ":"))


def fields_of(data: Mapping[str, Any], *without: str) -> Fields:
    """The values of an object by their names in the table; null is left out."""
    return {_NAMED.get(k, k): value_as_field(v) for k, v in data.items() if k not in without and v is not None}


def _object(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise NotWhole from None
    if not isinstance(data, dict):
        raise NotWhole
    return data


def _seconds(value: Any, unit: int) -> int | None:
    return round(value * unit) if isinstance(value, int | float) else None


def _partition_of(data: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """The partition of a record: topic and partition, or tp as in tv-0."""
    topic, partition = data.get("topic"), data.get("partition")
    if topic is None and isinstance(data.get("tp"), str):
        topic, _, number = data["tp"].rpartition("-")
        partition = int(number) if number.isdecimal() else None
    return topic, partition if isinstance(partition, int) else None


def client(line: str) -> Iterator[Record]:
    """A line of a client's journal: op is send, ack, nack, read or watermark; t and mono are in seconds."""
    data = _object(line)
    if not isinstance(data.get("op"), str):
        raise NotWhole
    yield _client(data, data["op"])


def _client(data: Mapping[str, Any], kind: str) -> Record:
    at, wall = _seconds(data.get("mono"), 10**9), _seconds(data.get("t"), 1000)
    topic, partition = _partition_of(data)
    fields = fields_of(data, "op", "what", "t", "mono", "topic", "partition", "tp", "records")
    return Record(
        node="client",
        source="client",
        start_ns=at,
        end_ns=at,
        wall_ms=wall,
        kind=kind,
        topic=topic,
        topic_id=None,
        partition=partition,
        fields=fields,
    )


def faults(line: str) -> Iterator[Record]:
    """A line of what was done to the cluster, or seen of it, by whoever did it."""
    data = _object(line)
    what = data.get("what")
    if not isinstance(what, str):
        raise NotWhole
    if what in ("send", "ack", "nack", "read"):
        yield _client(data, what)
        return
    at, wall = _seconds(data.get("mono"), 10**9), _seconds(data.get("t"), 1000)
    topic, partition = _partition_of(data)
    fields = fields_of(data, "t", "mono", "topic", "partition", "tp", "records")
    node = _node(data.get("node"))
    yield Record(
        node=node,
        source="faults",
        start_ns=at,
        end_ns=at,
        wall_ms=wall,
        kind=fault_kind(what),
        topic=topic,
        topic_id=None,
        partition=partition,
        fields=fields,
    )
    for offset, value in data.get("records") or ():
        yield _client({**data, "offset": offset, "value": value}, "read")


def fault_kind(what: str) -> str:
    """start, stop, kill, power_loss, ...; of a longer text its words before what varies."""
    words = re.match(r"[a-z]+(?:[ _][a-z]+)*", what)
    return words[0].replace(" ", "_") if words else "noted"


def _node(number: Any) -> str:
    if not isinstance(number, int):
        return "client"
    return f"broker {number}" if number else "controller"


def agent(line: str) -> Iterator[Record]:
    """A call that an agent saw in a broker: ns0 to ns is its interval, and n its place in the process."""
    data = _object(line)
    if not isinstance(data.get("k"), str) or not isinstance(data.get("ns"), int):
        raise NotWhole
    fields = fields_of(data, "k", "ns", "ns0", "wall_ms", "tp", "topic", "partition")
    if (state := fields.get("state")) is not None:
        fields |= _state(state)
    topic, partition = _partition_of(data)
    begin = data.get("ns0")
    yield Record(
        node=None,
        source="agent",
        start_ns=begin if isinstance(begin, int) else None,
        end_ns=data["ns"],
        wall_ms=data.get("wall_ms"),
        kind=f"agent.{data['k']}",
        topic=topic,
        topic_id=None,
        partition=partition,
        fields=fields,
    )


def _state(state: str) -> Fields:
    """The ISR that is settled, and the change that is under way."""
    fields: Fields = {}
    if match := _ISR.search(state):
        fields["isr"] = match[1].replace(" ", "")
    if match := _PENDING.search(state):
        fields["pending"] = f"{match[1]} {match[2].replace(' ', '')}"
    return fields


def metadata(line: str) -> Iterator[Record]:
    """A record of the metadata log, as kafka-dump-log prints it; of other lines nothing."""
    if "payload:" not in line:
        return
    match = _DUMPED.search(line)
    if match is None:
        raise NotWhole
    record = _object(match[3])
    data, kind = record.get("data"), record.get("type")
    if not isinstance(data, dict) or not isinstance(kind, str):
        raise NotWhole
    kind = kind.lower()
    kind = kind if kind == "partition_record" else kind.removesuffix("_record")
    fields = {"log_offset": match[1], **fields_of(data, "partitionId", "topicName")}
    topic = data.get("name") if kind == "topic" else None
    if kind == "config" and data.get("resourceType") == _TOPIC:
        topic = data.get("resourceName")
    if kind == "clear_elr":
        topic = data.get("topicName") or None  # of all topics
    number = data.get("partitionId")
    wall = int(match[2])
    yield Record(
        node="controller",
        source="metadata",
        start_ns=None,
        end_ns=None,
        wall_ms=wall,
        kind=kind,
        topic=topic,
        topic_id=data.get("topicId"),
        partition=number,
        fields=fields,
    )


READERS: dict[str, Callable[[str], Iterator[Record]]] = {
    "client": client,
    "faults": faults,
    "agent": agent,
    "metadata": metadata,
}
