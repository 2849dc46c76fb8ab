"""What Spark's workers do: functions over Arrow batches that can be run again with the same result."""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

import msgspec
import pyarrow as pa

from isrcheck.engines.spark.kept import Kept, states_seen
from isrcheck.engines.spark.level_log import BucketFile, Level, folder
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.storage import Storage, read_states, to_parquet

EXPANDED = "bucket int, states binary, marks binary, note string"
REPORTED = "text string"
_PIECE_BYTES = 1 << 20  # of a row's states
Rows = Iterator[pa.RecordBatch]
Visited = Mapping[int, tuple[BucketFile, ...]]  # by bucket


@dataclass(frozen=True, slots=True)
class Job:
    plan: Any  # a broadcast variable
    storage: Storage
    slice_states: int  # of a frontier, expanded at a time
    marked_states: int  # of a level, held in memory
    run: str  # which search it is of
    kept_states: int | None  # that a worker keeps; by its memory if that is not said

    @property
    def shared(self) -> KernelPlan:
        return cast(KernelPlan, self.plan.value)


def over_buckets(function: Callable[[int], Rows], batches: Iterable[pa.RecordBatch]) -> Rows:
    for batch in batches:
        for bucket in batch.column(0).to_pylist():
            yield from function(bucket)


def report(text: str) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([text], pa.string())], ["text"])


def expand(job: Job, frontier: Mapping[int, BucketFile], bucket: int) -> Rows:
    plan = job.shared
    note: dict[str, Any] = {"counts": [0] * (plan.program.actions + 1), "seen": [0] * len(plan.program.targets)}
    if bucket in frontier:
        for piece in read_states(job.storage, frontier[bucket].file, plan.program.words * 8):
            for states in _sliced(piece, job.slice_states * plan.program.words * 8):
                yield from _expand_slice(plan, states, note)
    yield _row(bucket, b"", b"", json.dumps(note))


def _sliced(piece: Any, size: int) -> Iterator[Any]:
    for first in range(0, piece.size, size):
        yield piece.slice(first, min(size, piece.size - first))


def _expand_slice(plan: KernelPlan, states: Any, note: dict[str, Any]) -> Rows:
    with Shard(plan) as shard:
        first, end = shard.expand(shard.load([states]))
        for name in ("counts", "seen"):
            note[name] = _sum(note[name], shard.numbers(name, len(note[name])))
        for bucket, words, marks in shard.partition(first, end, max(1, _PIECE_BYTES // shard.size)):
            yield _row(bucket, words, marks, None)


def _sum(*rows: Sequence[int]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def _row(bucket: int, states: bytes, marks: bytes, note: str | None) -> pa.RecordBatch:
    columns = [
        pa.array([bucket], pa.int32()),
        pa.array([states], pa.binary()),
        pa.array([marks], pa.binary()),
        pa.array([note], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, ["bucket", "states", "marks", "note"])


def insert(job: Job, level: int, visited: Visited, batches: Iterable[pa.RecordBatch]) -> Rows:
    """Yields one row: a JSON report."""
    arrivals = _Arrivals(batches)
    bucket = arrivals.bucket
    seen = visited.get(bucket, ())
    with states_seen(job.shared, job.storage, job.run, bucket, seen, job.kept_states) as kept:
        told = _beside_kept(job, level, kept, arrivals) if kept else _beside_files(job, level, seen, arrivals)
    yield report(json.dumps(told))


class _Arrivals:
    """What was sent to one bucket: its states, and once the note of its expansion."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self.note: dict[str, Any] = {}
        self._rows = (row for batch in batches for row in zip(*batch.columns, strict=True))
        self._first = next(self._rows)  # of each bucket comes a note at least
        self.bucket: int = self._first[0].as_py()

    def insert(self, shard: Shard) -> tuple[int, int]:
        """The range of those that are not there."""
        shard.store.begin_level()
        first = shard.store.end
        for bucket, states, marks, note in chain([self._first], self._rows):
            if bucket.as_py() != self.bucket:
                raise AssertionError(f"buckets {self.bucket} and {bucket.as_py()} came to one task")
            if not note.is_valid:
                shard.insert(states.as_buffer(), marks.as_buffer())
            elif self.note:
                raise AssertionError(f"two notes came to bucket {self.bucket}")
            else:
                self.note = json.loads(note.as_py())
        if not self.note:
            raise AssertionError("no note came with a bucket's rows")
        return first, shard.store.end


def _beside_kept(job: Job, level: int, kept: Kept, arrivals: _Arrivals) -> dict[str, Any]:
    kept.shard.forget_counts()
    first, end = arrivals.insert(kept.shard)
    told = _told(job, level, kept.shard, arrivals, first, end)
    kept.files += end > first
    return told


def _beside_files(job: Job, level: int, visited: Iterable[BucketFile], arrivals: _Arrivals) -> dict[str, Any]:
    with Shard(job.shared) as shard:
        _, end = arrivals.insert(shard)
        for part in visited if end else ():
            shard.filter_visited(read_states(job.storage, part.file, shard.size))
        return _told(job, level, shard, arrivals, 0, shard.compact(end))


def _told(job: Job, level: int, shard: Shard, arrivals: _Arrivals, first: int, end: int) -> dict[str, Any]:
    digest = shard.examine(first, end)
    part = write_states(job.storage, level, arrivals.bucket, shard.buffers(first, end)[0], shard.size)
    return {
        **arrivals.note,
        "part": msgspec.to_builtins(part),
        "reached": shard.numbers("reached", shard.machine.program.actions + 1),
        "shown": shard.numbers("seen", len(arrivals.note["seen"])),
        "digest": digest,
    }


def write_states(storage: Storage, level: int, bucket: int, words: Any, size: int) -> BucketFile:
    """The name is this attempt's own."""
    name = f"{folder(level)}/bucket-{bucket:05}-{secrets.token_hex(8)}.parquet"
    return BucketFile(bucket, len(words) // size, storage.write(name, to_parquet(words, size)))


def level_of(before: Level, reports: list[dict[str, Any]], parts: tuple[BucketFile, ...]) -> Level:
    """`seen` is still the old one."""
    counts = tuple(_sum(before.counts, *(each["counts"] for each in reports)))
    reached = tuple(_sum(before.reached, *(each["reached"] for each in reports)))
    return Level(parts, counts, reached, before.seen, before.digest + sum(each["digest"] for each in reports))
