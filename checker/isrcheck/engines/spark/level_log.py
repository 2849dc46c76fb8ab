"""The levels that a search has committed: a record for each, written last, so that it is complete or not there.

Tasks write files under their attempt's own names; a record names one for each bucket.

When a search is resumed, all are compared with their files, and the first of them with another search.
"""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec

from isrcheck.engines.native.disk.directory import OTHER_SEARCH, OTHER_VERSION
from isrcheck.engines.native.disk.files import Count
from isrcheck.engines.spark.storage import Storage, StorageFailed, StoredFile

SCHEMA = "isrcheck.spark/3"
_HEADER = "search.json"
_PIECE = 1 << 20  # states that are read at a time


class BucketFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    bucket: Count
    states: Count
    file: StoredFile


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parts: tuple[BucketFile, ...]
    counts: tuple[Count, ...]  # steps by action, then pruned ones
    reached: tuple[Count, ...]  # new states by least action, the initial state first
    targets_seen: tuple[tuple[Count, Count], ...] = msgspec.field(name="seen")  # position of a target, its first level
    digest: Count

    @property
    def states(self) -> int:
        return sum(each.states for each in self.parts)


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    key: str
    buckets: Annotated[int, msgspec.Meta(ge=1)]


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    levels: Annotated[list[Level], msgspec.Meta(min_length=1)]


@dataclass(slots=True)
class LevelLog:
    """The log of a search's complete levels. `key` is from `search_key`."""

    storage: Storage
    key: str
    buckets: int
    levels: list[Level] = field(default_factory=list)

    @property
    def distinct(self) -> int:
        return sum(level.states for level in self.levels)

    def files_of(self, bucket: int) -> tuple[BucketFile, ...]:
        return tuple(each for level in self.levels for each in level.parts if each.bucket == bucket)

    def parts(self, level: int) -> dict[int, BucketFile]:
        return {each.bucket: each for each in self.levels[level].parts}

    def begin(self) -> None:
        """Take the directory. Raises StorageFailed if another search is there."""
        if self.storage.exists(_HEADER):
            raise StorageFailed(f"{self.storage} already holds a checkpoint; resume it or choose another directory.")
        self._put(_HEADER, _Header(SCHEMA, self.key, self.buckets))

    def commit(self, *levels: Level) -> None:
        if any(len({each.bucket for each in level.parts}) != len(level.parts) for level in levels):
            raise AssertionError("a level names two files for one bucket")
        self._put(_record(len(self.levels)), _Record(list(levels)))
        self.levels += levels

    def _put(self, name: str, body: msgspec.Struct) -> None:
        self.storage.put_record(name, msgspec.to_builtins(body))

    def resume(self) -> None:
        """Read the records; raises StorageFailed if there is nothing, or it is damaged or another search's."""
        if not self.storage.exists(_HEADER):
            raise StorageFailed(f"{self.storage} holds no checkpoint of --engine spark to resume.")
        header = self.storage.record(_HEADER)
        for name, wanted, how in (("schema", SCHEMA, OTHER_VERSION), ("key", self.key, OTHER_SEARCH)):
            if header.get(name) != wanted:
                raise StorageFailed(f"the checkpoint in {self.storage} {how}.")
        while self.storage.exists(name := _record(len(self.levels))):
            try:
                self.buckets = msgspec.convert(header, _Header).buckets
                self._add(msgspec.convert(self.storage.record(name), _Record).levels)
            except msgspec.ValidationError as error:
                raise self.storage.contradiction_error(f"{name} is not valid: {error}") from None
            except ValueError as error:
                raise self.storage.contradiction_error(f"{name} has {error}") from None

    def _add(self, levels: list[Level]) -> None:
        """Take levels over. Raises ValueError if they cannot belong to those before."""
        for number, level in enumerate(levels, len(self.levels)):
            _check(level, number)
        self.levels += levels
        first, last = self.levels[0], self.levels[-1]
        if not all(level.parts for level in self.levels[:-1]):
            raise ValueError("a level after the last one")
        if len({len(row) for level in self.levels for row in (level.counts, level.reached)}) != 1:
            raise ValueError("counts of other actions")
        if first.states != 1 or sum(last.reached) != self.distinct:
            raise ValueError(f"counts of {sum(last.reached)} states in place of {self.distinct}")
        if any(each.bucket >= self.buckets for level in self.levels for each in level.parts):
            raise ValueError(f"a part of no bucket of {self.buckets}")
        if any(level >= len(self.levels) for _, level in last.targets_seen):
            raise ValueError("a target seen in a level that is not there")


def folder(level: int) -> str:
    return f"level-{level:05}"


def _record(level: int) -> str:
    return f"{folder(level)}.json"


def _check(level: Level, number: int) -> None:
    """Check a level; raises ValueError for a file or target named twice, or another level's file."""
    if len({each.bucket for each in level.parts}) != len(level.parts):
        raise ValueError("two parts of one bucket")
    if not all(each.states for each in level.parts):
        raise ValueError("a part without states")
    if len(dict(level.targets_seen)) != len(level.targets_seen):
        raise ValueError("a target seen twice")
    for each in level.parts:
        expected = f"{folder(number)}/bucket-{each.bucket:05}"
        if not re.fullmatch(rf"{expected}-[0-9a-f]{{16}}\.states", each.file.name):
            raise ValueError(f"the file name {each.file.name!r} in place of one like {expected}")


def write_states(storage: Storage, level: int, bucket: int, words: Any, size: int) -> BucketFile:
    """Write packed states of `size` bytes, one after the other, to a file whose name is this attempt's own."""
    name = f"{folder(level)}/bucket-{bucket:05}-{secrets.token_hex(8)}.states"
    return BucketFile(bucket, len(words) // size, storage.write(name, words))


def read_states(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
    """The states of a file, in pieces. Raises StorageFailed unless it is what was written."""
    content = storage.read(written)
    if content.size % size:
        raise storage.damage_error(written.name)
    yield from slice_piece(content, _PIECE * size)


def slice_piece(piece: Any, size: int) -> Iterator[Any]:
    for first in range(0, piece.size, size):
        yield piece.slice(first, min(size, piece.size - first))
