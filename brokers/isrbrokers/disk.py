"""Loss of power: the disk has what was flushed. A replaced disk has nothing."""

import shutil
from pathlib import Path

from isrbrokers.cluster import Cluster

_HEADER = 12  # bytes: a batch's first offset (8) and the number of bytes after this (4)


def lose_power(cluster: Cluster, broker: int, topic: str, kept: int | None = None) -> dict[int, int]:
    """Kill a broker and take from its disk what was not flushed; the log end offsets that are left, by partition.

    The recovery point is what the broker itself knows to be flushed; the rest of each log is gone, as it may be if the
    machine loses power before the kernel writes back. `kept` is another end, of every partition. Kafka rebuilds the
    indexes of what it did not shut down cleanly.
    """
    cluster.kill(broker)
    cluster.faults.note(what="power_loss", node=broker)
    data = cluster.node_folder(broker) / "data"
    points = _recovery_points(data / "recovery-point-offset-checkpoint")
    left = {}
    for folder in sorted(data.glob(f"{topic}-*")):
        partition = int(folder.name.rpartition("-")[2])
        left[partition] = points.get(folder.name, 0) if kept is None else kept
        for segment in folder.glob("*.log"):
            _cut(segment, left[partition])
        for index in folder.glob("*index"):
            index.unlink()
    return left


def replace_disk(cluster: Cluster, broker: int) -> None:
    """Kill a broker and give it an empty log directory, which is formatted and has another id."""
    cluster.kill(broker)
    cluster.faults.note(what="replace_disk", node=broker)
    data = cluster.node_folder(broker) / "data"
    shutil.rmtree(data)
    data.mkdir()
    if not cluster.release.has_zookeeper:
        cluster.format_disk(broker)


def _recovery_points(file: Path) -> dict[str, int]:
    """A checkpoint's offsets, by the name of the partition's folder."""
    if not file.exists():
        return {}
    lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()[2:]]
    return {f"{topic}-{partition}": int(offset) for topic, partition, offset in lines}


def _cut(segment: Path, end: int) -> None:
    """Keep a segment's batches that begin below an offset."""
    content = segment.read_bytes()
    position = 0
    while position + _HEADER <= len(content):
        if int.from_bytes(content[position : position + 8], "big") >= end:
            break
        position += _HEADER + int.from_bytes(content[position + 8 : position + _HEADER], "big")
    segment.write_bytes(content[:position])
