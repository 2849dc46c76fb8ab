"""How a search is spread: what can be said with --spark-conf spark.isrcheck.NAME=NUMBER."""

import re
from dataclasses import dataclass, field

from isrcheck.engines.contract import Cluster
from isrcheck.engines.spark.session import master_of
from isrcheck.errors import UsageError, nearest

_PREFIX = "spark.isrcheck."
_LEAST = {"partitions": 1, "localStates": 0, "sliceStates": 64, "markedStates": 1}
_MOST_PARTITIONS = 1 << 16


@dataclass(frozen=True)
class Settings:
    """How a search is spread.

    `buckets` is the number of partitions by state hash; a level of more than `local_states` is the first that goes to
    the cluster; a task expands `slice_states` at a time; tracing holds `marked_states` of one level in memory.
    """

    cluster: Cluster = field(default=Cluster())
    workers: int = 2
    buckets: int = 4
    local_states: int = 250_000
    slice_states: int = 1 << 20
    marked_states: int = 1 << 24


def settings_of(cluster: Cluster, workers: int) -> Settings:
    """The settings that a cluster's options make. Raises UsageError for an unknown name, or no such number."""
    threads = max(workers, _threads(master_of(cluster, workers)))
    numbers = {name.removeprefix(_PREFIX): text for name, text in cluster.conf if name.startswith(_PREFIX)}
    found = {name: _number(name, text) for name, text in numbers.items()}
    return Settings(
        cluster=cluster,
        workers=workers,
        buckets=found.get("partitions", 2 * threads),
        local_states=found.get("localStates", Settings.local_states),
        slice_states=found.get("sliceStates", Settings.slice_states),
        marked_states=found.get("markedStates", Settings.marked_states),
    )


def _number(name: str, text: str) -> int:
    if name not in _LEAST:
        raise UsageError(f"there is no option {_PREFIX}{name}.{nearest(name, _LEAST)}")
    least = _LEAST[name]
    if not text.isdecimal() or int(text) < least or (name == "partitions" and int(text) > _MOST_PARTITIONS):
        most = f" to {_MOST_PARTITIONS}" if name == "partitions" else ""
        raise UsageError(f"{_PREFIX}{name}={text} is out of range: write a number from {least}{most}.")
    return int(text)


def _threads(master: str) -> int:
    """The threads that a local master's address speaks of; those of a cluster are not known before it is asked."""
    match = re.match(r"local\[(\d+)", master)
    return int(match[1]) if match else 2
