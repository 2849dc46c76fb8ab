"""Searches that survive their process: every finished level on disk, checksummed, tied to what is searched.

Each file is written aside, synced and moved into place; only then does the manifest name it.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import msgspec

from isrcheck.engines.contract import Checkpoint, Request
from isrcheck.ir.scalar import ScalarSystem

_MANIFEST = "manifest.json"
_LOCK = "lock"
_SCHEMA = "isrcheck.checkpoint/1"
_NOTHING = "holds no checkpoint to resume"
_TAKEN = "already holds a checkpoint; resume it or choose another directory"
OTHER_VERSION = "was written by another version of isrcheck"
OTHER_SEARCH = "is of another model, other constants or other properties"
_IN_USE = "is in use by another run; choose another directory"
_CHUNK = 16 << 20
_FILE_NAME = "states-{:06}"


class CheckpointRefused(Exception):
    """A checkpoint cannot be used or written; the text is one sentence for the user."""


def search_key(text: str, system: ScalarSystem, request: Request) -> str:
    """Of all that an answer depends on."""
    key = hashlib.sha256(text.encode())
    key.update(repr((system.initial, system.scalars, request.properties, request.deadlock)).encode())
    return key.hexdigest()


Count = Annotated[int, msgspec.Meta(ge=0)]
Pair = Annotated[list[Count], msgspec.Meta(min_length=2, max_length=2)]


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


def sync(path: Path) -> None:
    """Have it outlast a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


class CheckpointDirectory:
    """One run's checkpoint, locked while open; `key` says what is searched."""

    def __init__(self, chosen: Checkpoint, key: str) -> None:
        self._directory, self.seconds, self._resume, self._key = chosen.directory, chosen.seconds, chosen.resume, key
        self._files: list[StoredFile] = []
        self._kept = 0  # levels on disk
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = (self._directory / _LOCK).open("ab")
        except OSError as error:
            raise CheckpointRefused(f"{self._directory} cannot hold a checkpoint: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise CheckpointRefused(f"{self._directory} {_IN_USE}") from None

    def close(self) -> None:
        self._lock.close()

    def load(self, actions: int, targets: int, state_bytes: int) -> Snapshot | None:
        path = self._directory / _MANIFEST
        if path.exists() != self._resume:
            raise CheckpointRefused(f"{self._directory} {_NOTHING if self._resume else _TAKEN}")
        if not self._resume:
            return None
        kept = self._checked(path)
        try:
            kept.check(actions, targets)
        except ValueError as error:
            raise self.contradicted(f"its manifest has {error}") from None
        if sum(file.bytes for file in kept.files) != kept.snapshot.distinct * state_bytes:
            raise self.contradicted(f"its files do not hold {kept.snapshot.distinct:,} states")
        self._files, self._kept = kept.files, len(kept.snapshot.levels)
        return kept.snapshot

    def _checked(self, manifest: Path) -> Manifest:
        try:
            with open(manifest, "rb", opener=_no_link) as file:
                first, _, rest = file.read().partition(b"\n")
            if first.decode() != hashlib.sha256(rest).hexdigest():
                raise ValueError
            body = dict(json.loads(rest))
        except (OSError, ValueError, TypeError):
            raise self._damaged(_MANIFEST) from None
        for name, wanted, how in (("schema", _SCHEMA, OTHER_VERSION), ("key", self._key, OTHER_SEARCH)):
            if body.get(name) != wanted:
                raise self._refused(how)
        try:
            return msgspec.convert(body, Manifest)
        except msgspec.ValidationError as error:
            raise self.contradicted(f"its manifest is not valid: {error}") from None

    def _damaged(self, name: str) -> CheckpointRefused:
        return self._refused(f"is damaged: {name} is not what was written")

    def contradicted(self, how: str) -> CheckpointRefused:
        return self._refused(f"contradicts itself: {how}")

    def _refused(self, how: str) -> CheckpointRefused:
        return CheckpointRefused(f"the checkpoint in {self._directory} {how}")

    def read_states(self, into: memoryview) -> None:
        place = 0
        for kept in self._files:
            checksum = hashlib.sha256()
            try:
                with open(self._directory / kept.name, "rb", opener=_no_link) as file:
                    for first in range(place, place + kept.bytes, _CHUNK):
                        with into[first : min(first + _CHUNK, place + kept.bytes)] as part:
                            if file.readinto(part) != len(part):
                                raise self._damaged(kept.name)
                            checksum.update(part)
                    if file.read(1):
                        raise self._damaged(kept.name)
            except OSError:
                raise self._damaged(kept.name) from None
            if checksum.hexdigest() != kept.sha256:
                raise self._damaged(kept.name)
            place += kept.bytes

    def save(self, snapshot: Snapshot, ranges: list[list[tuple[int, int]]], states: memoryview, size: int) -> None:
        """Keep the levels not on disk yet; `ranges` are their indices into states of `size` bytes."""
        if len(snapshot.levels) == self._kept:
            return
        try:
            fresh = [each for level in ranges[self._kept :] for each in level]
            files = [*self._files, self._write_states(_FILE_NAME.format(len(self._files)), fresh, states, size)]
            text = msgspec.json.encode(Manifest(_SCHEMA, self._key, files, snapshot))
            with self._moved_into_place(_MANIFEST) as file:
                file.write(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
        except OSError as error:
            raise CheckpointRefused(f"{self._directory} cannot take the checkpoint: {error.strerror}") from None
        self._files, self._kept = files, len(snapshot.levels)

    def _write_states(self, name: str, ranges: list[tuple[int, int]], states: memoryview, size: int) -> StoredFile:
        checksum, total = hashlib.sha256(), 0
        with self._moved_into_place(name) as file:
            for start, end in ranges:
                for first in range(start * size, end * size, _CHUNK):
                    with states[first : min(first + _CHUNK, end * size)] as part:
                        checksum.update(part)
                        total += file.write(part)
        return StoredFile(name, total, checksum.hexdigest())

    @contextmanager
    def _moved_into_place(self, name: str) -> Iterator[IO[bytes]]:
        folder = self._directory
        aside = folder / f"{name}.aside"
        with aside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(folder / name)
        sync(folder)
