"""Searches that survive their process: every finished level on disk, checksummed, tied to what is searched.

A directory holds one manifest and the states in numbered files, each written aside, synced and moved into place; only
then does the manifest name it. A process killed at any moment leaves the checkpoint before, whole.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

_MANIFEST = "manifest.json"
_LOCK = "lock"
_SCHEMA = "isrcheck.checkpoint/1"
_CHUNK = 16 << 20


class CheckpointRefused(Exception):
    """A checkpoint cannot be used or written; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """Where a search keeps itself, how often, and whether it goes on from what is there.

    `key` is the content of what is searched: model, constants, and whatever else changes the answer.
    """

    directory: Path
    key: str
    every: float = 60.0
    resume: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a search knows at the end of a level, but for the states."""

    levels: list[int]  # states in each
    distinct: int
    counts: list[int]
    reached: list[int]
    seen: list[list[int]]  # position of a target and the level in which it was first seen


class Keeper:
    """The checkpoint directory of one run, locked for as long as it is open."""

    def __init__(self, chosen: Checkpointing) -> None:
        self._chosen = chosen
        self._directory = chosen.directory
        self._files: list[dict[str, Any]] = []
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
            raise CheckpointRefused(f"{self._directory} is in use by another run; choose another directory") from None

    def close(self) -> None:
        """Let other runs have the directory."""
        self._lock.close()

    # Reading

    def load(self) -> Snapshot | None:
        """What was kept, its states still on disk; None for a new search."""
        manifest = self._directory / _MANIFEST
        if not self._chosen.resume:
            if manifest.exists():
                raise CheckpointRefused(
                    f"{self._directory} already holds a checkpoint; resume it or choose another directory"
                )
            return None
        if not manifest.exists():
            raise CheckpointRefused(f"{self._directory} holds no checkpoint to resume")
        body = self._checked(manifest)
        if body["key"] != self._chosen.key:
            raise CheckpointRefused(
                f"the checkpoint in {self._directory} is of another model, other constants or other properties"
            )
        self._files = body["files"]
        snapshot = Snapshot(**body["snapshot"])
        self._kept = len(snapshot.levels)
        return snapshot

    def _checked(self, manifest: Path) -> dict[str, Any]:
        try:
            first, _, rest = manifest.read_bytes().partition(b"\n")
            if first.decode() != hashlib.sha256(rest).hexdigest():
                raise ValueError
            body: dict[str, Any] = json.loads(rest)
        except (OSError, ValueError):
            raise self._damaged(_MANIFEST) from None
        if body.get("schema") != _SCHEMA:
            raise CheckpointRefused(f"the checkpoint in {self._directory} was written by another version of isrcheck")
        return body

    def _damaged(self, name: str) -> CheckpointRefused:
        return CheckpointRefused(f"the checkpoint in {self._directory} is damaged: {name} is not what was written")

    def read_states(self, into: memoryview) -> None:
        """All kept states, one level after the other."""
        place = 0
        for entry in self._files:
            size, whole = entry["bytes"], hashlib.sha256()
            try:
                with (self._directory / entry["name"]).open("rb") as file:
                    for first in range(place, place + size, _CHUNK):
                        with into[first : min(first + _CHUNK, place + size)] as part:
                            if file.readinto(part) != len(part):
                                raise self._damaged(entry["name"])
                            whole.update(part)
                    if file.read(1):
                        raise self._damaged(entry["name"])
            except OSError:
                raise self._damaged(entry["name"]) from None
            if whole.hexdigest() != entry["sha256"]:
                raise self._damaged(entry["name"])
            place += size

    # Writing

    def save(self, snapshot: Snapshot, ranges: list[list[tuple[int, int]]], states: memoryview, size: int) -> None:
        """Keep the levels that are not on disk yet; `ranges` are the levels' indices into states of `size` bytes."""
        if len(snapshot.levels) == self._kept:
            return
        try:
            fresh = [each for level in ranges[self._kept :] for each in level]
            entry = self._write_states(f"states-{len(self._files):06}", fresh, states, size)
            files = [*self._files, entry]
            body = {"schema": _SCHEMA, "key": self._chosen.key, "files": files, "snapshot": asdict(snapshot)}
            text = json.dumps(body).encode()
            with self._moved_into_place(_MANIFEST) as file:
                file.write(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
        except OSError as error:
            raise CheckpointRefused(f"{self._directory} cannot take the checkpoint: {error.strerror}") from None
        self._files, self._kept = files, len(snapshot.levels)

    def _write_states(self, name: str, ranges: list[tuple[int, int]], states: memoryview, size: int) -> dict[str, Any]:
        whole, total = hashlib.sha256(), 0
        with self._moved_into_place(name) as file:
            for start, end in ranges:
                for first in range(start * size, end * size, _CHUNK):
                    with states[first : min(first + _CHUNK, end * size)] as part:
                        whole.update(part)
                        total += file.write(part)
        return {"name": name, "bytes": total, "sha256": whole.hexdigest()}

    @contextmanager
    def _moved_into_place(self, name: str) -> Iterator[IO[bytes]]:
        aside = self._directory / f"{name}.aside"
        with aside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(self._directory / name)
        directory = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
