"""What Spark's workers do: functions over Arrow batches that can be run again, anywhere, with the same result.

`expand` takes numbers of buckets and gives the successors of their frontiers, by bucket; `insert` takes what arrives
for one bucket and writes what is new. Whatever a task says besides travels with its rows, so that it counts once.
"""

import json
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from isrcheck.engines.spark.level_log import BucketFile, Level, folder
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.states import from_parquet, to_parquet
from isrcheck.engines.spark.storage import Storage, StoredFile

if TYPE_CHECKING:
    import pyarrow as pa

EXPANDED = "bucket int, states binary, marks binary, note string"
REPORTED = "text string"
_PIECE_BYTES = 1 << 20  # of states in one row


@dataclass(frozen=True, slots=True)
class Job:
    """What the tasks of one search have in common; `plan` is a broadcast variable."""

    plan: Any
    storage: Storage
    slice_states: int  # of a frontier, expanded at a time

    @property
    def shared(self) -> KernelPlan:
        """The plan itself."""
        plan: KernelPlan = self.plan.value
        return plan


def read_states(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
    """The states of a file, in pieces. Raises StorageFailed unless it is what was written."""
    try:
        yield from from_parquet(storage.read(written), size)
    except ValueError:
        raise storage.damaged(written.name) from None


def expand(
    job: Job, frontier: Mapping[int, BucketFile], batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """The successors of the buckets' frontiers, and for each bucket a note that says what was seen."""
    for batch in batches:
        for bucket in batch.column(0).to_pylist():
            yield from _expand_bucket(job, bucket, frontier.get(bucket))


def _expand_bucket(job: Job, bucket: int, part: BucketFile | None) -> "Iterator[pa.RecordBatch]":
    plan = job.shared
    began = time.process_time()
    note: dict[str, Any] = {"counts": [0] * (plan.program.actions + 1), "seen": [0] * len(plan.program.targets)}
    if part is not None:
        for piece in read_states(job.storage, part.file, plan.program.words * 8):
            for states in _sliced(piece, job.slice_states * plan.program.words * 8):
                yield from _expand_slice(plan, states, note)
    note["expand_cpu"] = time.process_time() - began
    yield _row(bucket, b"", b"", json.dumps(note))


def _sliced(piece: Any, size: int) -> Iterator[Any]:
    for first in range(0, piece.size, size):
        yield piece.slice(first, min(size, piece.size - first))


def _expand_slice(plan: KernelPlan, states: Any, note: dict[str, Any]) -> "Iterator[pa.RecordBatch]":
    with Shard(plan) as shard:
        first, end = shard.expand(shard.load([states]))
        for name in ("counts", "seen"):
            note[name] = _sums(note[name], shard.numbers(name, len(note[name])))
        for piece in shard.partition(first, end, max(1, _PIECE_BYTES // shard.size)):
            yield _row(piece.bucket, piece.states, piece.marks, None)


def _sums(a: list[int], b: list[int]) -> list[int]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _row(bucket: int, states: bytes, marks: bytes, note: str | None) -> "pa.RecordBatch":
    import pyarrow as pa

    columns = [
        pa.array([bucket], pa.int32()),
        pa.array([states], pa.binary()),
        pa.array([marks], pa.binary()),
        pa.array([note], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, ["bucket", "states", "marks", "note"])


def insert(
    job: Job, level: int, visited: Mapping[int, tuple[StoredFile, ...]], batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """Write the new states of the one bucket whose rows arrive; gives one row, a report as JSON."""
    import pyarrow as pa

    plan = job.shared
    with Shard(plan) as shard:
        shard.begin()
        arrived = _Arrivals(plan)
        for batch in batches:
            arrived.take(batch, shard)
        reports = _insert_bucket(job, level, visited.get(arrived.bucket, ()), shard, arrived)
    yield pa.RecordBatch.from_arrays([pa.array([json.dumps(reports)], pa.string())], ["text"])


class _Arrivals:
    """What arrived for a bucket: how much, and the note of the task that expanded the bucket's own frontier."""

    def __init__(self, plan: KernelPlan) -> None:
        self.bucket = -1
        self.note: dict[str, Any] = {}
        self.states = self.bytes = 0
        self.seconds = 0.0

    def take(self, batch: "pa.RecordBatch", shard: Shard) -> None:
        for bucket, states, marks, note in zip(*batch.columns, strict=True):
            if self.bucket not in (-1, bucket.as_py()):
                raise AssertionError(f"buckets {self.bucket} and {bucket.as_py()} came to one task")
            self.bucket = bucket.as_py()
            if note.is_valid:
                if self.note:
                    raise AssertionError(f"two notes came to bucket {self.bucket}")
                self.note = json.loads(note.as_py())
                continue
            began = time.process_time()
            self.states += shard.insert(states.as_buffer(), marks.as_buffer())
            self.bytes += states.as_buffer().size + marks.as_buffer().size
            self.seconds += time.process_time() - began


def _insert_bucket(
    job: Job, level: int, visited: Iterable[StoredFile], shard: Shard, arrived: _Arrivals
) -> dict[str, Any]:
    if not arrived.note:
        raise AssertionError("no note came with a bucket's rows")
    times = {"expand": arrived.note.pop("expand_cpu"), "insert": arrived.seconds}
    mark = time.process_time()
    end = shard.store.end
    for written in visited if end else ():
        shard.filter_visited(read_states(job.storage, written, shard.size))
    count = shard.compact(end)
    times["filter"] = time.process_time() - mark
    mark = time.process_time()
    shard.examine(count)
    times["examine"] = time.process_time() - mark
    mark = time.process_time()
    part = write_states(job.storage, level, arrived.bucket, shard.words(count), shard.size)
    times["write"] = time.process_time() - mark
    shown = shard.numbers("seen", len(arrived.note["seen"]))
    return {
        **arrived.note,
        "part": msgspec.to_builtins(part),
        "reached": shard.numbers("reached", shard.machine.program.actions + 1),
        "shown": shown,
        "digest": shard.digest,
        "exchanged": arrived.states,
        "exchanged_bytes": arrived.bytes,
        "cpu_seconds": times,
    }


def write_states(storage: Storage, level: int, bucket: int, words: Any, size: int) -> BucketFile:
    """Write packed states of `size` bytes each under a name that no other attempt has."""
    name = f"{folder(level)}/bucket-{bucket:05}-{secrets.token_hex(8)}.parquet"
    return BucketFile(bucket, len(words) // size, storage.write(name, to_parquet(words, size)))


def level_of(before: Level | None, reports: list[dict[str, Any]], parts: tuple[BucketFile, ...]) -> Level:
    """The level that tasks report, added to what was known before; its `seen` is still that of before."""
    actions = len(reports[0]["counts"])
    counts = [0] * actions if before is None else list(before.counts)
    reached = [0] * actions if before is None else list(before.reached)
    digest = 0 if before is None else before.digest
    for each in reports:
        counts, reached = _sums(counts, each["counts"]), _sums(reached, each["reached"])
        digest += each["digest"]
    return Level(
        parts=parts,
        counts=tuple(counts),
        reached=tuple(reached),
        seen=() if before is None else before.seen,
        digest=digest,
        exchanged=sum(each["exchanged"] for each in reports),
        exchanged_bytes=sum(each["exchanged_bytes"] for each in reports),
    )
