"""The buckets of one task, from level to level: states arrive, are filtered, judged and written, and expanded.

A level of a bucket is a set that does not depend on who finds it: what arrived and was not there. So a task can be
done again from the files of any complete level.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from isrcheck.engines.spark.exchange import Inbox, Outbox
from isrcheck.engines.spark.level_log import BucketFile, Level, read_states, slice_piece, write_states
from isrcheck.engines.spark.shard import KernelPlan, Shard, room
from isrcheck.engines.spark.storage import Storage

Pause = Callable[[], None]  # between two looks for what others send; raises if this task is to end
_LEAST_PIECE = 256  # states that are sent together, on average
_MOST_SLICE = 1 << 20  # states expanded at a time, where that needs more


@dataclass(frozen=True, slots=True)
class ShareLimits:
    slice_states: int  # that are expanded at a time
    kept_states: int | None  # that a task keeps; by its machine's memory if that is not said


@dataclass(frozen=True, slots=True)
class Begun:
    """The point from which a job of several tasks goes on with a search."""

    folder: str  # of this job alone
    level: int  # the newest one
    tasks: int
    files: dict[int, tuple[BucketFile, ...]]  # of all levels, by bucket
    newest: dict[int, BucketFile]


def file_of_sender(folder: str, level: int, task: int) -> str:
    return f"{folder}/sent-{level:05}-{task:05}"


def report_file(folder: str, level: int, task: int) -> str:
    return f"{folder}/report-{level:05}-{task:05}.json"


class Report(msgspec.Struct, frozen=True):
    """The findings of a task in a level."""

    parts: tuple[BucketFile, ...]  # those with states
    counts: tuple[int, ...]  # steps that led here, by action, then pruned ones
    taken: tuple[int, ...]  # for each target, whether it was seen in those steps
    reached: tuple[int, ...]  # new states by least action, the initial state first
    shown: tuple[int, ...]  # for each target, whether it was seen in the new states
    digest: int


def level_of(before: Level, reports: Sequence[Report]) -> Level:
    """Return the level that the buckets' reports make up, its `targets_seen` still those of the level before."""
    return Level(
        parts=tuple(file for each in reports for file in each.parts),
        counts=_sum(before.counts, *(each.counts for each in reports)),
        reached=_sum(before.reached, *(each.reached for each in reports)),
        targets_seen=before.targets_seen,
        digest=before.digest + sum(each.digest for each in reports),
    )


def _sum(*rows: Sequence[int]) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*rows, strict=True))


class _Judged(NamedTuple):
    """The findings in one bucket's level, as in a report."""

    reached: list[int]
    shown: list[int]
    digest: int


class _Bucket:
    def __init__(self, number: int, files: Sequence[BucketFile], newest: BucketFile | None) -> None:
        self.number, self.files, self.newest = number, list(files), newest
        self.table: Shard | None = None

    @property
    def states(self) -> int:
        return sum(each.states for each in self.files)

    def close(self) -> None:
        if self.table is not None:
            self.table.close()
        self.table = None


class Share:
    def __init__(self, plan: KernelPlan, storage: Storage, limits: ShareLimits, begun: Begun, task: int) -> None:
        self._plan, self._storage, self._limits, self._begun, self._task = plan, storage, limits, begun, task
        self._level = begun.level
        self._room = room(plan, limits.kept_states)
        self._scratch = Shard(plan)
        self._buckets = {
            number: _Bucket(number, begun.files.get(number, ()), begun.newest.get(number))
            for number in range(task, plan.buckets, begun.tasks)
        }

    def close(self) -> None:
        self._scratch.close()
        for bucket in self._buckets.values():
            bucket.close()

    def run(self, pause: Pause) -> None:
        """Search until a level has no states."""
        self._load()
        self.expand()
        while self.filter(pause):
            self.expand()

    def _load(self) -> None:
        """Read files into tables, as far as there is room."""
        kept = 0
        for bucket in self._buckets.values():
            if kept + bucket.states < self._room:
                kept += bucket.states
                bucket.table = Shard(self._plan)
                bucket.table.read(self._storage, bucket.files)
                if bucket.newest is None:
                    bucket.table.begin_level()

    def expand(self) -> None:
        """Send the newest level's successors: into tables of this task at once, to others by a file."""
        self._scratch.forget_counts()
        slices = chain.from_iterable([self._newest(bucket) for bucket in self._buckets.values()])
        for bucket in self._buckets.values():
            if bucket.table is not None:
                bucket.table.begin_level()
        with self._storage.open_writer(file_of_sender(self._begun.folder, self._level, self._task)) as stream:
            outbox = Outbox(stream, self._scratch.size)
            for states in slices:
                self._send(states, outbox)
            outbox.finish(sum(bucket.newest.states for bucket in self._buckets.values() if bucket.newest is not None))

    def _newest(self, bucket: _Bucket) -> Iterator[Any]:
        """Slices of its newest level, as large as needed for pieces that are worth sending."""
        most = min(_MOST_SLICE, max(self._limits.slice_states, _LEAST_PIECE * self._plan.buckets))
        if bucket.table is not None:
            return bucket.table.slices(most)
        if bucket.newest is None:
            return iter(())
        pieces = read_states(self._storage, bucket.newest.file, self._scratch.size)
        return (states for piece in pieces for states in slice_piece(piece, most * self._scratch.size))

    def _send(self, states: Any, outbox: Outbox) -> None:
        scratch = self._scratch
        first, end = scratch.expand(scratch.load([states]))
        for number, words, marks in scratch.partition(first, end):
            receiver = self._buckets.get(number)
            if receiver is not None and receiver.table is not None:
                receiver.table.insert(words, marks)
            else:
                outbox.add(number, words, marks)

    def filter(self, pause: Pause) -> bool:
        """Add what was sent to the next level; write and report it. False if there was nothing to expand anywhere."""
        names = [file_of_sender(self._begun.folder, self._level, task) for task in range(self._begun.tasks)]
        for name in names:
            while not self._storage.exists(name):
                pause()
        # Who sent this level has read the one before.
        self._storage.remove_file(file_of_sender(self._begun.folder, self._level - 1, self._task))
        with closing(Inbox(self._storage, names, self._scratch.size, self._scratch.mark_size)) as inbox:
            if not inbox.states:
                return False
            self._level += 1
            self._report([self._take(bucket, inbox) for bucket in self._buckets.values()])
        return True

    def _report(self, judged: Sequence[_Judged]) -> None:
        program = self._plan.program
        report = Report(
            parts=tuple(bucket.newest for bucket in self._buckets.values() if bucket.newest is not None),
            counts=tuple(self._scratch.numbers("counts", program.actions + 1)),
            taken=tuple(self._scratch.numbers("targets_seen", len(program.targets))),
            reached=_sum(*(each.reached for each in judged)),
            shown=_sum(*(each.shown for each in judged)),
            digest=sum(each.digest for each in judged),
        )
        name = report_file(self._begun.folder, self._level, self._task)
        self._storage.passing.put_record(name, msgspec.to_builtins(report))

    def _take(self, bucket: _Bucket, inbox: Inbox) -> _Judged:
        if bucket.table is None:
            return self._filter_by_files(bucket, inbox)
        shard = bucket.table
        for states, marks in inbox.pieces(bucket.number):
            shard.insert(states, marks)
        shard.forget_counts()
        judged = self._judge(bucket, shard, *shard.newest)
        if sum(each.table.store.end for each in self._buckets.values() if each.table is not None) >= self._room:
            bucket.close()
        return judged

    def _filter_by_files(self, bucket: _Bucket, inbox: Inbox) -> _Judged:
        with Shard(self._plan) as shard:
            shard.store.begin_level()
            for states, marks in inbox.pieces(bucket.number):
                shard.insert(states, marks)
            end = shard.store.end
            for bucket_file in bucket.files if end else ():
                shard.filter_visited(read_states(self._storage, bucket_file.file, shard.size))
            return self._judge(bucket, shard, 0, shard.compact(end))

    def _judge(self, bucket: _Bucket, shard: Shard, first: int, end: int) -> _Judged:
        """Write new states."""
        digest = shard.examine(first, end)
        bucket.newest = None
        if first < end:
            words = shard.buffers(first, end)[0]
            bucket.newest = write_states(self._storage, self._level, bucket.number, words, shard.size)
            bucket.files.append(bucket.newest)
        program = self._plan.program
        reached, shown = (
            shard.numbers("reached", program.actions + 1),
            shard.numbers("targets_seen", len(program.targets)),
        )
        return _Judged(reached, shown, digest)
