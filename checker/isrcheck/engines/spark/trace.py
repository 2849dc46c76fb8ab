"""Least shortest traces from the levels on disk: marks run backwards, a job a level, then the least steps forward."""

import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pyarrow as pa
from pyarrow import compute

from isrcheck.engines.common.story import Stories
from isrcheck.engines.common.targets import SearchTarget
from isrcheck.engines.contract import Path
from isrcheck.engines.native.trace import LeastPaths
from isrcheck.engines.spark.cluster import Spark
from isrcheck.engines.spark.level_log import BucketFile, LevelLog, read_states
from isrcheck.engines.spark.levels_job import Job
from isrcheck.engines.spark.shard import Shard
from isrcheck.engines.spark.storage import Storage
from isrcheck.ir.scalar import ScalarSystem

Marked = BucketFile  # whose file has marked states of one level, then their marks


class SparkTracer(LeastPaths):
    def __init__(self, system: ScalarSystem, log: LevelLog, spark: Spark, stories: Stories) -> None:
        super().__init__(system, stories)
        self._log, self._spark, self._halt = log, spark, stories.pause
        self._folder = f"trace-{secrets.token_hex(8)}"
        self._files: dict[int, list[Marked]] = {}  # by level

    def paths(self, level_of: Mapping[SearchTarget, int]) -> dict[SearchTarget, Path]:
        with Shard(self._spark.plan) as self._shard:
            self._pool = self._shard.pool
            try:
                return super().paths(level_of)
            finally:
                self._log.storage.remove(self._folder)

    def _mark(self, group: list[SearchTarget], level_of: Mapping[SearchTarget, int]) -> None:
        positions = self._spark.plan.program.targets
        later: list[Marked] = []
        for level in range(max(level_of[target] for target in group), -1, -1):
            here = [(positions.index(t), 1 << bit) for bit, t in enumerate(group) if level_of[t] == level]
            said = self._spark.for_buckets(_mark_bucket, self._halt, self._folder, self._log.parts(level), here, later)
            reports = [msgspec.json.decode(report, type=Marked) for report in said]
            later = list({each.bucket: each for each in reports}.values())
            self._files[level] = later

    def _keep_marked(self, states: set[bytes], level: int, mark: int) -> set[bytes]:
        self._halt()
        size, width = self._shard.size, self._shard.mark_size
        kind, marked = pa.binary(size), set()
        for each in self._files[level]:
            words, marks = _read_marked(self._log.storage, each, size)
            column = pa.FixedSizeBinaryArray.from_buffers(kind, each.states, [None, words])
            for index in compute.indices_nonzero(compute.is_in(column, pa.array(sorted(states), kind))).to_pylist():
                if int.from_bytes(marks[index * width : (index + 1) * width].to_pybytes(), "little") & mark:
                    marked.add(column[index].as_py())
        return marked


def _in_pieces(storage: Storage, later: list[Marked], shard: Shard, most: int) -> Iterator[tuple[Any, Any]]:
    size, width = shard.size, shard.mark_size
    for each in later:
        words, marks = _read_marked(storage, each, size)
        end = each.states
        for first in range(0, end, most):
            count = min(most, end - first)
            yield words.slice(first * size, count * size), marks.slice(first * width, count * width)


def _read_marked(storage: Storage, marked: Marked, size: int) -> tuple[Any, Any]:
    content = storage.read(marked.file)
    end = marked.states * size
    return content.slice(0, end), content.slice(end)


def _mark_bucket(
    job: Job,
    folder: str,
    parts: Mapping[int, BucketFile],
    targets: list[tuple[int, int]],
    later: list[Marked],
    bucket: int,
) -> Iterator[str]:
    if bucket not in parts:
        return
    with Shard(job.shared) as shard:
        states = shard.load(read_states(job.storage, parts[bucket].file, shard.size))
        count = shard.mark_back(states, targets, _in_pieces(job.storage, later, shard, job.marked_states))
        if count:
            content = b"".join(each.to_pybytes() for each in shard.buffers(0, count))
            name = f"{folder}/bucket-{bucket:05}-{secrets.token_hex(8)}"
            marked = Marked(bucket, count, job.storage.write(name, content))
            yield msgspec.json.encode(marked).decode()
