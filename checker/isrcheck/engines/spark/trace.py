"""Least shortest traces from the levels on disk: marks run backwards, a job a level, then the least marked steps
forward.

The tasks of one level read all marked states of the level after it, so many at a time that they fit into memory.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from isrcheck.engines.common.targets import SearchTarget
from isrcheck.engines.contract import Path
from isrcheck.engines.native.trace import LeastPaths, State, canonical_words, successor_words
from isrcheck.engines.spark.cluster import Halt, Spark
from isrcheck.engines.spark.level_log import BucketFile, LevelLog
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.storage import Storage, StoredFile
from isrcheck.engines.spark.tasks import Job, read_states
from isrcheck.ir.scalar import ScalarSystem

if TYPE_CHECKING:
    import pyarrow as pa


class Marked(msgspec.Struct, frozen=True):
    """A file of marked states of one level, then their marks."""

    bucket: int
    states: int
    file: StoredFile


class SparkTracer(LeastPaths):
    """Marks the states of files, a job a level."""

    def __init__(
        self, system: ScalarSystem, plan: KernelPlan, log: LevelLog, spark: Spark, most: int, halt: Halt
    ) -> None:
        super().__init__(system)
        self._plan, self._log, self._spark = plan, log, spark
        self._most, self._halt = most, halt
        self._folder = f"trace-{secrets.token_hex(8)}"
        self._marked: dict[int, list[Marked]] = {}  # by level, the states from which targets can be reached in time

    def paths(self, seen: Mapping[SearchTarget, int]) -> dict[SearchTarget, Path]:
        """The path to each target; levels count from 0. Raises StorageFailed, JobFailed or Halted."""
        with Shard(self._plan) as self._shard:
            try:
                return super().paths(seen)
            finally:
                self._log.storage.remove_tree(self._folder)

    def _mark(self, group: list[SearchTarget], seen: Mapping[SearchTarget, int]) -> None:
        positions = self._plan.program.targets
        later: list[Marked] = []
        for level in range(max(seen[target] for target in group), -1, -1):
            here = tuple((positions.index(t), 1 << bit) for bit, t in enumerate(group) if seen[t] == level)
            function = partial(
                _bound, folder=self._folder, parts=self._log.parts(level), targets=here, later=later, most=self._most
            )
            reports = [msgspec.json.decode(text, type=Marked) for text in self._spark.for_buckets(function, self._halt)]
            later = list({each.bucket: each for each in reports}.values())
            self._marked[level] = later

    def _least_step(self, state: State, level: int, mark: int) -> int:
        pool = self._shard.pool
        steps = [(position, canonical_words(pool, words)) for position, words in successor_words(pool, state)]
        marked = self._marked_among({words for _, words in steps}, level, mark)
        return next(position for position, words in steps if words in marked)

    def _marked_among(self, states: set[bytes], level: int, mark: int) -> set[bytes]:
        """Those of some states that are marked."""
        import pyarrow as pa
        from pyarrow import compute

        size, width = self._shard.size, self._shard.mark_size
        kind = pa.binary(size)
        found = set()
        for each in self._marked[level]:
            words, marks = _read_marked(self._log.storage, each, size)
            column = pa.FixedSizeBinaryArray.from_buffers(kind, each.states, [None, words])
            for index in compute.indices_nonzero(compute.is_in(column, pa.array(sorted(states), kind))).to_pylist():
                if int.from_bytes(marks[index * width : (index + 1) * width].to_pybytes(), "little") & mark:
                    found.add(column[index].as_py())
        return found


def _read_marked(storage: Storage, marked: Marked, size: int) -> tuple[Any, Any]:
    content = storage.read(marked.file)
    end = marked.states * size
    return content.slice(0, end), content.slice(end)


def _bound(job: Job, **known: Any) -> "Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]":
    return partial(_mark_buckets, job, **known)


def _mark_buckets(
    job: Job,
    batches: "Iterable[pa.RecordBatch]",
    folder: str,
    parts: Mapping[int, BucketFile],
    targets: tuple[tuple[int, int], ...],
    later: list[Marked],
    most: int,
) -> "Iterator[pa.RecordBatch]":
    """The task: mark the states of its buckets, and write those that got a mark."""
    import pyarrow as pa

    for batch in batches:
        for bucket in batch.column(0).to_pylist():
            if bucket in parts:
                marked = _mark_bucket(job, folder, parts[bucket], targets, later, most)
                if marked.states:
                    yield pa.RecordBatch.from_arrays(
                        [pa.array([msgspec.json.encode(marked).decode()], pa.string())], ["text"]
                    )


def _mark_bucket(
    job: Job, folder: str, part: BucketFile, targets: tuple[tuple[int, int], ...], later: list[Marked], most: int
) -> Marked:
    with Shard(job.shared) as shard:
        states = shard.load(read_states(job.storage, part.file, shard.size))
        pieces = (
            (
                words.slice(first * shard.size, count * shard.size),
                marks.slice(first * shard.mark_size, count * shard.mark_size),
            )
            for each in later
            for words, marks in [_read_marked(job.storage, each, shard.size)]
            for first in range(0, each.states, most)
            for count in [min(most, each.states - first)]
        )
        count = shard.mark_back(states, targets, pieces)
        content = shard.words(count).to_pybytes() + shard.marks(count).to_pybytes() if count else b""
        name = f"{folder}/bucket-{part.bucket:05}-{secrets.token_hex(8)}"
        return Marked(part.bucket, count, job.storage.write(name, content))
