"""Least shortest traces from the levels on disk: marks run backwards, a job a level, then the least marked steps
forward.

The tasks of one level read all marked states of the level after it, so many at a time that they fit into memory.
"""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from isrcheck.engines.contract import Path
from isrcheck.engines.native import evaluate
from isrcheck.engines.native.codegen import At, Target
from isrcheck.engines.native.trace import last_step, successor_words
from isrcheck.engines.spark.cluster import Halt, Spark
from isrcheck.engines.spark.ledger import Ledger, Part
from isrcheck.engines.spark.shard import Plan, Shard
from isrcheck.engines.spark.storage import Storage, Written
from isrcheck.engines.spark.tasks import Job, read_states
from isrcheck.ir.scalar import ScalarSystem

if TYPE_CHECKING:
    import pyarrow as pa

_TARGETS_AT_ONCE = 8  # a mark has at least as many bits


@dataclass(frozen=True, slots=True)
class Marked:
    """A file of marked states of one level, then their marks."""

    bucket: int
    states: int
    file: Written


class SparkTracer:
    """Finds the least shortest way to each target, given the level in which it was first seen."""

    def __init__(self, system: ScalarSystem, plan: Plan, ledger: Ledger, spark: Spark, most: int, halt: Halt) -> None:
        self._system, self._plan, self._ledger, self._spark = system, plan, ledger, spark
        self._most, self._halt = most, halt
        self._folder = f"trace-{secrets.token_hex(8)}"

    def paths(self, seen: Mapping[Target, int]) -> dict[Target, Path]:
        """The path to each target; levels count from 0. Raises StorageFailed, JobFailed or Halted."""
        targets = list(seen)
        result: dict[Target, Path] = {}
        try:
            for first in range(0, len(targets), _TARGETS_AT_ONCE):
                group = targets[first : first + _TARGETS_AT_ONCE]
                marked = self._mark(group, seen)
                with Shard(self._plan) as shard:
                    for bit, target in enumerate(group):
                        result[target] = self._walk(shard, marked, target, seen[target], 1 << bit)
        finally:
            self._ledger.storage.remove_tree(self._folder)
        return result

    def _mark(self, group: list[Target], seen: Mapping[Target, int]) -> dict[int, list[Marked]]:
        """By level, the states from which targets can be reached in time."""
        positions = self._plan.program.targets
        marked: dict[int, list[Marked]] = {}
        later: list[Marked] = []
        for level in range(max(seen[target] for target in group), -1, -1):
            here = tuple((positions.index(t), 1 << bit) for bit, t in enumerate(group) if seen[t] == level)
            function = partial(
                _bound, folder=self._folder, parts=self._ledger.parts(level), targets=here, later=later, most=self._most
            )
            said = self._spark.for_buckets(function, self._halt)
            found = {each["bucket"]: each for each in map(json.loads, said)}
            later = [Marked(each["bucket"], each["states"], Written(**each["file"])) for each in found.values()]
            marked[level] = later
        return marked

    def _walk(self, shard: Shard, marked: Mapping[int, list[Marked]], target: Target, last: int, mark: int) -> Path:
        state = self._system.initial
        path: list[int] = []
        for level in range(last):
            position = self._least_step(shard, state, marked[level + 1], mark)
            path.append(position)
            state = evaluate.successor(self._system.instances[position], state)
        if target.kind in (At.STEP, At.INSTANCE):
            path.append(last_step(self._system, target, state))
        return tuple(path)

    def _least_step(self, shard: Shard, state: tuple[int, ...], marked: list[Marked], mark: int) -> int:
        """The first instance that leads to a marked state of the next level."""
        ways = [(position, _representative(shard, words)) for position, words in successor_words(shard.pool, state)]
        among = _marked_among({words for _, words in ways}, self._ledger.storage, marked, mark, shard)
        for position, words in ways:
            if words in among:
                return position
        raise RuntimeError("a marked state has no marked successor")


def _representative(shard: Shard, words: list[int]) -> bytes:
    """A state as it is kept: under symmetry, the least of its like."""
    place = shard.pool.words(0, "successors", len(words))
    place[:] = words
    shard.pool.call("canonicalize")
    return bytes(place)


def _marked_among(states: set[bytes], storage: Storage, marked: list[Marked], mark: int, shard: Shard) -> set[bytes]:
    """Those of some states that are marked."""
    import pyarrow as pa
    from pyarrow import compute

    kind = pa.binary(shard.size)
    wanted = pa.array(sorted(states), kind)
    found = set()
    for each in marked:
        words, marks = _read_marked(storage, each, shard.size)
        column = pa.FixedSizeBinaryArray.from_buffers(kind, each.states, [None, words])
        for index in compute.indices_nonzero(compute.is_in(column, wanted)).to_pylist():
            place = index * shard.mark_size
            if int.from_bytes(marks[place : place + shard.mark_size].to_pybytes(), "little") & mark:
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
    parts: Mapping[int, Part],
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
                    yield pa.RecordBatch.from_arrays([pa.array([json.dumps(asdict(marked))], pa.string())], ["text"])


def _mark_bucket(
    job: Job, folder: str, part: Part, targets: tuple[tuple[int, int], ...], later: list[Marked], most: int
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
