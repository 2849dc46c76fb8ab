"""A first look at a stretch of a file, at the speed of reading: its times, whose it is, and topics by their ids."""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from isrlogs.observe.chunks import Chunk, blocks_of_lines

_TIMES = re.compile(rb"^\[?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3,9})", re.MULTILINE)
_BROKER = re.compile(
    rb"\[(?:Partition [\w.-]+ broker=|Broker id=|BrokerServer id=|KafkaServer id=|Kafka Server "
    rb"|BrokerLifecycleManager id=|ReplicaManager broker=|Replica Manager on Broker |ReplicaFetcher replicaId="
    rb"|ReplicaFetcherManager on broker )(\d+)"
    rb"|Broker (\d+) (?:received|handling|cached)"
)
_CONTROLLER = re.compile(rb"\[(?:QuorumController|ControllerServer) id=(\d+)")
_WITH_ID = b" with topic i"
_TOPIC_ID = re.compile(rb"(?:topic ([\w.-]+)|([\w.-]+)-(\d{1,9})) with topic (?:id|ID) (?:Some\()?([\w-]{22})")
_NAMED = b" for partition ["
_PARTITION = re.compile(rb" for partition \[([\w.-]+),(\d{1,9})\]")
_RECORD = re.compile(rb'"TOPIC_RECORD".*?"name":"([\w.-]+)","topicId":"([\w-]{22})"')
_LONGEST_NAME = 300  # a topic's has at most 249 characters
_ENOUGH = 2  # partitions: whether there are several is all that is asked


@dataclass
class Survey:
    """The times, node and topics that a stretch names."""

    lines: int = 0  # with a time
    first: str = ""
    latest: str = ""
    broker: str = ""
    controller: str = ""
    topics: dict[str, str] = field(default_factory=dict)  # by id
    partitions: list[str] = field(default_factory=list)  # tv-0, without Kafka's own

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def survey(chunk: Chunk) -> Survey:
    """Reads a stretch once. What cannot be read is left out: parse counts it."""
    result = Survey()
    for block in blocks_of_lines(chunk):
        times = _TIMES.findall(block)
        if times:
            result.lines += len(times)
            result.first = result.first or times[0].decode()
            result.latest = max(result.latest, max(times).decode())
        if not result.broker and (match := _BROKER.search(block)):
            result.broker = (match[1] or match[2]).decode()
        if not result.controller and (match := _CONTROLLER.search(block)):
            result.controller = match[1].decode()
        _topics(block, result)
    return result


def _topics(block: bytes, result: Survey) -> None:
    at = -1
    while (at := block.find(_WITH_ID, at + 1)) >= 0:
        if match := _TOPIC_ID.search(block, max(0, at - _LONGEST_NAME), at + _LONGEST_NAME):
            topic = (match[1] or match[2]).decode()
            result.topics[match[4].decode()] = topic
            if match[3]:
                _partition(f"{topic}-{match[3].decode()}", result)
    at = -1
    while len(result.partitions) < _ENOUGH and (at := block.find(_NAMED, at + 1)) >= 0:
        if match := _PARTITION.match(block, at):
            _partition(f"{match[1].decode()}-{match[2].decode()}", result)
    if b'"TOPIC_RECORD"' in block:
        result.topics |= {key.decode(): name.decode() for name, key in _RECORD.findall(block)}


def _partition(name: str, result: Survey) -> None:
    if len(result.partitions) < _ENOUGH and name not in result.partitions and not name.startswith("__"):
        result.partitions.append(name)
