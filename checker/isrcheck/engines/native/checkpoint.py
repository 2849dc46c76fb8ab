"""Searches that survive their process: every finished level on disk, checksummed, tied to what is searched.

Each file is written aside, synced and moved into place; only then does the manifest name it.
"""

import hashlib
from typing import Annotated

import msgspec

from isrcheck.engines.contract import Checkpoint
from isrcheck.engines.native.kept_directory import CheckpointRefused, Count, KeptDirectory, Pair, open_no_link

_SCHEMA = "isrcheck.checkpoint/1"
_NOTHING = "holds no checkpoint to resume"
_TAKEN = "already holds a checkpoint; resume it or choose another directory"
_CHUNK = 16 << 20
_FILE_NAME = "states-{:06}"


class Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known but the states."""

    levels: Annotated[list[Annotated[int, msgspec.Meta(ge=1)]], msgspec.Meta(min_length=1)]  # states in each
    distinct: Count
    counts: list[Count]
    reached: list[Count]
    seen: list[Pair]  # position of a target and the level in which it was first seen


class StoredFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    bytes: Count
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`key` is from `search_key`."""

    schema: str
    key: str
    files: list[StoredFile]
    snapshot: Snapshot

    def check(self, actions: int, targets: int) -> None:
        kept = self.snapshot
        if kept.distinct != sum(kept.levels):
            raise ValueError(f"{kept.distinct} states in levels of {kept.levels}")
        if not len(kept.counts) == len(kept.reached) == actions + 1:
            raise ValueError(f"counts of {len(kept.counts) - 1} and {len(kept.reached) - 1} actions, of {actions}")
        if any(target >= targets or level >= len(kept.levels) for target, level in kept.seen):
            raise ValueError(f"targets seen that cannot be: {kept.seen}")
        for number, file in enumerate(self.files):
            if file.name != _FILE_NAME.format(number):
                raise ValueError(f"the file name {file.name!r} in place of {_FILE_NAME.format(number)!r}")


class CheckpointDirectory(KeptDirectory):
    """One run's checkpoint, locked while open; `key` says what is searched."""

    what, schema = "checkpoint", _SCHEMA

    def __init__(self, chosen: Checkpoint, key: str) -> None:
        super().__init__(chosen.directory, key)
        self.seconds, self._resume = chosen.seconds, chosen.resume
        self._files: list[StoredFile] = []
        self._kept = 0  # levels on disk

    def load(self, actions: int, targets: int, state_bytes: int) -> Snapshot | None:
        if self.manifest.exists() != self._resume:
            raise CheckpointRefused(f"{self.directory} {_NOTHING if self._resume else _TAKEN}")
        if not self._resume:
            return None
        kept = self.read_manifest(Manifest)
        try:
            kept.check(actions, targets)
        except ValueError as error:
            raise self.contradicted(f"its manifest has {error}") from None
        if sum(file.bytes for file in kept.files) != kept.snapshot.distinct * state_bytes:
            raise self.contradicted(f"its files do not hold {kept.snapshot.distinct:,} states")
        self._files, self._kept = kept.files, len(kept.snapshot.levels)
        return kept.snapshot

    def read_states(self, into: memoryview) -> None:
        place = 0
        for kept in self._files:
            checksum = hashlib.sha256()
            try:
                with open(self.directory / kept.name, "rb", opener=open_no_link) as file:
                    for first in range(place, place + kept.bytes, _CHUNK):
                        with into[first : min(first + _CHUNK, place + kept.bytes)] as part:
                            if file.readinto(part) != len(part):
                                raise self.damaged(kept.name)
                            checksum.update(part)
                    if file.read(1):
                        raise self.damaged(kept.name)
            except OSError:
                raise self.damaged(kept.name) from None
            if checksum.hexdigest() != kept.sha256:
                raise self.damaged(kept.name)
            place += kept.bytes

    def save(self, snapshot: Snapshot, ranges: list[list[tuple[int, int]]], states: memoryview, size: int) -> None:
        """Keep the levels not on disk yet; `ranges` are their indices into states of `size` bytes."""
        if len(snapshot.levels) == self._kept:
            return
        try:
            fresh = [each for level in ranges[self._kept :] for each in level]
            files = [*self._files, self._write_states(_FILE_NAME.format(len(self._files)), fresh, states, size)]
            self.write_manifest(Manifest(_SCHEMA, self._key, files, snapshot))
        except OSError as error:
            raise CheckpointRefused(f"{self.directory} cannot take the checkpoint: {error.strerror}") from None
        self._files, self._kept = files, len(snapshot.levels)

    def _write_states(self, name: str, ranges: list[tuple[int, int]], states: memoryview, size: int) -> StoredFile:
        checksum, total = hashlib.sha256(), 0
        with self.moved_into_place(name) as file:
            for start, end in ranges:
                for first in range(start * size, end * size, _CHUNK):
                    with states[first : min(first + _CHUNK, end * size)] as part:
                        checksum.update(part)
                        total += file.write(part)
        return StoredFile(name, total, checksum.hexdigest())
