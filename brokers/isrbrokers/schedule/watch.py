"""Facts of a cluster: brokers by their agents' snapshots, the controller by its log, producers by their journal."""

import gzip
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isrbrokers.client import TOPIC
from isrbrokers.cluster import Cluster
from isrbrokers.plan import CONTROLLER
from isrbrokers.process import ClusterError
from isrbrokers.recording import files_of_log
from isrbrokers.schedule.facts import ACKED, HW, PRODUCER, RECORD, UP, Fact, broker_subject, is_fenced
from isrlogs.observe.layout import Reader
from isrlogs.observe.patterns import table

_PARTITION = f"{TOPIC}-0"
_NUMBER = re.compile(r"-?\d+")
_EPOCH_START = re.compile(r"epoch=(\d+), startOffset=(\d+)")
_ANSWERS_WITHIN = 5.0  # seconds; a snapshot takes some milliseconds


def facts_of(cluster: Cluster, record: "Record") -> dict[Fact, Any]:
    """All that can be seen now. Raises ClusterError if a broker that is up does not answer."""
    facts: dict[Fact, Any] = dict(record.facts())
    for broker in cluster.all_brokers():
        facts[RECORD, is_fenced(broker)] = broker in record.fenced
        up = cluster.nodes[broker].is_up()
        facts[broker_subject(broker), UP] = up
        if up:
            for what, value in of_snapshot(snapshot(cluster.node_folder(broker)).get(_PARTITION)):
                facts[broker_subject(broker), what] = value
    facts[PRODUCER, ACKED] = tuple(sorted(offsets_acknowledged(cluster.clients.read())))
    return facts


def offsets_acknowledged(notes: list[dict[str, Any]]) -> Iterator[int]:
    """The offset of each record that its producer was told is safe."""
    yield from (note["offset"] for note in notes if note["op"] == "ack")


def snapshot(folder: Path) -> dict[str, Any]:
    """The state of each partition in a broker, asked of its agent."""
    ask, answer = folder / "gates" / "state.ask", folder / "gates" / "state.json"
    ask.touch()
    until = time.monotonic() + _ANSWERS_WITHIN
    while ask.exists():
        if time.monotonic() > until:
            raise ClusterError(f"the agent of {folder.name} did not answer within {_ANSWERS_WITHIN:g} seconds")
        time.sleep(0.002)
    state: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return state


def wait_until_it_holds(folder: Path, is_up: Callable[[], bool], seconds: float = 90) -> None:
    """Wait until a broker that starts has read of the partition. Raises ClusterError."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and is_up():
        try:
            if _PARTITION in snapshot(folder):
                return
        except ClusterError:  # its agent is not there yet
            pass
        time.sleep(0.2)
    raise ClusterError(f"{folder.name} did not read of {_PARTITION} within {seconds:g} seconds")


def of_snapshot(partition: Mapping[str, Any] | None) -> Iterator[tuple[str, Any]]:
    """A broker's facts of the partition, none before it has one."""
    if partition is None or partition["epoch"] < 0:
        return
    yield "partition epoch", partition["version"]
    yield "leader epoch", partition["epoch"]
    yield "leader", _leader(partition.get("leader", -1))
    yield "leader epochs of its records", _epochs(partition.get("epochs", ""), partition.get("end", 0))
    yield HW, partition.get("hw", 0)
    if partition["leads"]:
        yield "ISR", _numbers(partition["isr"])
        yield "maximal ISR", _numbers(partition["maximal_isr"])
        for follower, offset in partition["heard"].items():
            yield f"log end of broker {follower} that it knows", None if offset < 0 else offset


def _leader(number: int) -> int | None:
    return None if number < 0 else number


def _numbers(numbers: str) -> frozenset[int]:
    return frozenset(map(int, _NUMBER.findall(numbers)))


def _epochs(entries: str, end: int) -> tuple[int, ...]:
    """The leader epoch of each record: entries say where each begins."""
    starts = {int(start): int(epoch) for epoch, start in _EPOCH_START.findall(entries)}
    epochs: list[int] = []
    for offset in range(end):
        epochs.append(starts.get(offset, epochs[-1] if epochs else 0))
    return tuple(epochs)


@dataclass
class Record:
    """The controller's record, as its log tells it: read on from where it was read last, also if it rolled over."""

    file: Path
    fenced: set[int] = field(default_factory=set)
    partition: dict[str, str] = field(default_factory=dict)
    _read: int = 0  # bytes of the file
    _rolled: int = 0  # bytes of the files that it was before
    _file_number: int = -1
    _reader: Reader = field(default_factory=Reader)

    def facts(self) -> Iterator[tuple[Fact, Any]]:
        """The facts of the controller."""
        self._read_on()
        if not self.partition:
            return
        held = self.partition
        yield (RECORD, "partition epoch"), int(held["version"])
        yield (RECORD, "leader"), _leader(int(held["leader"]))
        yield (RECORD, "leader epoch"), int(held["epoch"])
        for what, name in (("ISR", "isr"), ("ELR", "elr"), ("last leader", "last_known_elr")):
            yield (RECORD, what), _numbers(held.get(name, ""))

    def _read_on(self) -> None:
        try:
            new = self._new_lines()
        except FileNotFoundError:  # it is being rolled over
            return
        for logged in new.decode("utf-8", "replace").splitlines():
            line = self._reader.split(logged)
            for each in (table().match(line.logger, line.message) or ()) if line else ():
                self._note(each.kind, each.topic, each.fields)

    def _new_lines(self) -> bytes:
        with self.file.open("rb") as stream:
            number = os.fstat(stream.fileno()).st_ino
            missed = b"" if number == self._file_number else self._rest_of_rolled(number)
            stream.seek(self._read)
            content = stream.read()
        lines = content[: content.rfind(b"\n") + 1]
        self._read += len(lines)
        return missed + lines

    def _rest_of_rolled(self, number: int) -> bytes:
        """Read what the older files have beyond what was read, once the log is another file."""
        files = [file for file in files_of_log(self.file.parent, self.file.name) if file.stat().st_ino != number]
        content = b"".join(map(_content, files))
        missed = content[self._rolled + self._read :]
        self._rolled, self._read, self._file_number = len(content), 0, number
        return missed

    def _note(self, kind: str, topic: str | None, fields: Mapping[str, str]) -> None:
        if kind in ("creates", "elects") and topic == TOPIC:
            self.partition |= {name: value for name, value in fields.items() if not name.endswith("_before")}
        elif kind == "registers":
            self.fenced.add(int(fields["broker"]))
        elif kind == "registration_changes" and fields.get("fenced") in ("1", "-1"):
            change = self.fenced.add if fields["fenced"] == "1" else self.fenced.discard
            change(int(fields["broker"]))


def _content(file: Path) -> bytes:
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def record_of(cluster: Cluster) -> Record:
    """The controller's record of the partition."""
    return Record(cluster.node_folder(CONTROLLER) / "replication.log")
