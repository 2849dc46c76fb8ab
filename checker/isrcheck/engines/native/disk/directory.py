"""The files of a search on disk: one for each level, those of the states seen, and a manifest that names them.

The directory is locked while it is used. A file is written aside and moved into place. The manifest names it only after
it was synced, so that a search that is killed goes on from the levels of its last manifest; what no manifest names is
removed.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
from mmh3 import mmh3_x64_128

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Request
from isrcheck.engines.native.disk.files import Count, NotAsWritten, SortedReader, SortedWriter, StateFile, bytes_at, put
from isrcheck.engines.native.disk.memory import DiskMemory
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.scalar import ScalarSystem

MANIFEST = "manifest.json"
LOCK = "lock"
OTHER_VERSION = "was written by another version of isrcheck"
OTHER_SEARCH = "is of another model, other constants or other properties"
SEARCHED_AGAIN = 1 << 22  # states, before a search goes on: one to three seconds of a core for this project's models
Pair = Annotated[list[Count], msgspec.Meta(min_length=2, max_length=2)]
_SCHEMA = "isrcheck.disk/2"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OWN_NAME = re.compile(rf"(level|seen|run|again|marked)-\d{{6,}}(\.aside)?|{re.escape(MANIFEST)}(\.aside)?|{LOCK}")


class CheckpointRefused(Exception):
    """A kept search that cannot be used or written; the argument is one sentence for the user."""


def search_key(ir: str, system: ScalarSystem, request: Request) -> str:
    """The hash of all that an answer depends on."""
    key = hashlib.sha256(ir.encode())
    key.update(repr((system.initial, system.scalars, request.properties, request.deadlock)).encode())
    return key.hexdigest()


def sync(path: Path) -> None:
    """Have it outlast a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


class DiskLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A complete level, and what was known when it was."""

    file: StateFile
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]  # of its states
    counts: list[Count]  # steps by action, then pruned ones, of the levels before
    reached: list[Count]  # states by the least action that reached them, up to this level
    targets_seen: list[Pair] = msgspec.field(name="seen")  # position of a target, and its first level


class DiskManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The manifest of a search on disk: `key` from `search_key`, its levels, and files with all states, each once."""

    schema: str
    key: str
    levels: Annotated[list[DiskLevel], msgspec.Meta(min_length=1)]
    visited: list[StateFile]  # sorted; none while all states were in memory

    def check(self, actions: int, targets: int) -> None:
        """Check the manifest against itself and these numbers of actions and targets; raises ValueError."""
        distinct = 0
        for number, level in enumerate(self.levels):
            distinct += level.file.states
            if level.file.name != level_name(number) or not level.file.states:
                raise ValueError(f"the file {level.file.name!r} of {level.file.states:,} states as level {number + 1}")
            if not len(level.counts) == len(level.reached) == actions + 1 or sum(level.reached) != distinct:
                raise ValueError(f"the counts {level.counts} and {level.reached} of {distinct:,} states")
            if any(target >= targets or where > number for target, where in level.targets_seen):
                raise ValueError(f"targets seen that cannot be: {level.targets_seen}")
        own = {level.file.name: level.file for level in self.levels}
        for file in self.visited:
            is_own = re.fullmatch(r"(level|seen)-\d{6,}", file.name) and own.get(file.name, file) == file
            if not is_own or not file.is_sorted:
                raise ValueError(f"the file {file.name!r} of states seen")
        if self.visited and sum(file.states for file in self.visited) != distinct:
            raise ValueError(f"other states seen than the {distinct:,} of its levels")


def level_name(number: int) -> str:
    return f"level-{number:06}"


class DiskDirectory:
    """The directory of one search, which `key` names; raises CheckpointRefused where it cannot be used."""

    def __init__(self, directory: Path, key: str) -> None:
        self.directory, self._key = directory, key
        self.manifest = directory / MANIFEST
        self._unsynced: set[str] = set()
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = (directory / LOCK).open("ab")
        except OSError as error:
            raise CheckpointRefused(f"{directory} cannot hold a search: {error.strerror}") from None
        try:
            self._take()
        except CheckpointRefused:
            self.close()
            raise

    def _take(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CheckpointRefused(f"{self.directory} is in use by another run; choose another directory") from None
        for path in self.directory.iterdir():
            if not _OWN_NAME.fullmatch(path.name):
                raise CheckpointRefused(f"{self.directory} holds other files, such as {path.name}; choose an empty one")

    def close(self) -> None:
        self._lock.close()

    def load(self, actions: int, targets: int) -> DiskManifest:
        """The manifest to go on from; all other files are removed."""
        kept = self._read_manifest()
        try:
            kept.check(actions, targets)
        except ValueError as error:
            raise self.contradiction_error(f"its manifest has {error}") from None
        self.keep_only(kept)
        return kept

    def commit(self, levels: list[DiskLevel], visited: list[StateFile]) -> None:
        """Write the manifest of these levels after its files were synced; raises Stopped if the disk is full."""
        manifest = DiskManifest(_SCHEMA, self._key, levels, visited)
        with self._refuse_failures():
            for name in self._unsynced:
                sync(self.directory / name)
            self._write_manifest(manifest)
        self._unsynced.clear()
        self.keep_only(manifest)

    def _read_manifest(self) -> DiskManifest:
        """The manifest; raises CheckpointRefused if it is damaged, or another search's."""
        try:
            with open(self.manifest, "rb", opener=open_no_link) as file:
                first, _, rest = file.read().partition(b"\n")
            if first.decode() != hashlib.sha256(rest).hexdigest():
                raise ValueError
            body: dict[str, Any] = dict(json.loads(rest))
        except (OSError, ValueError, TypeError):
            raise self.damage_error(MANIFEST) from None
        for name, wanted, how in (("schema", _SCHEMA, OTHER_VERSION), ("key", self._key, OTHER_SEARCH)):
            if body.get(name) != wanted:
                raise self._error(how)
        try:
            return msgspec.convert(body, DiskManifest)
        except msgspec.ValidationError as error:
            raise self.contradiction_error(f"its manifest is not valid: {error}") from None

    def _write_manifest(self, manifest: DiskManifest) -> None:
        content = msgspec.json.encode(manifest)
        aside = self.directory / f"{MANIFEST}.aside"
        with aside.open("wb") as file:
            file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(self.manifest)
        sync(self.directory)

    def keep_only(self, manifest: DiskManifest) -> None:
        """Remove what the manifest does not name."""
        named = {level.file.name for level in manifest.levels} | {file.name for file in manifest.visited}
        self._remove(path for path in self.directory.iterdir() if path.name not in named | {MANIFEST, LOCK})

    def remove_all(self) -> None:
        """The manifest first: whatever is left without it is nothing to go on from."""
        self.manifest.unlink(missing_ok=True)
        self._remove(path for path in self.directory.iterdir() if path.name != LOCK)

    def remove(self, files: Iterable[StateFile]) -> None:
        self._remove(self.directory / file.name for file in files)

    def _remove(self, paths: Iterable[Path]) -> None:
        for path in list(paths):
            path.unlink(missing_ok=True)
            self._unsynced.discard(path.name)

    def write(
        self, memory: DiskMemory, name: str, ranges: Iterable[tuple[int, int]], marked: bool, is_sorted: bool = True
    ) -> StateFile:
        """A file of the states in ranges of memory, as they come. Raises Stopped if the disk is full."""
        with self._open_new(name) as file, memory.block() as block:
            writer = SortedWriter(memory, block, marked, file)
            for first, end in ranges:
                writer.write(first, end)
            return writer.close(name, is_sorted)

    def write_plain(self, pool: WorkerPool, name: str, ranges: Iterable[tuple[int, int]]) -> StateFile:
        """A file of the states in ranges of memory as they are there. Raises Stopped if the disk is full."""
        size, checksum, states = 8 * pool.machine.program.words, mmh3_x64_128(), 0
        with self._open_new(name) as file:
            for first, end in ranges:
                put(file, checksum, bytes_at(pool.run.states + first * size, (end - first) * size))
                states += end - first
        return StateFile(name, states, states * size, checksum.digest().hex(), is_sorted=False)

    @contextmanager
    def _open_new(self, name: str) -> Iterator[IO[bytes]]:
        aside = self.directory / f"{name}.aside"
        try:
            with self._refuse_failures(), aside.open("wb", buffering=0) as file:
                yield file
            aside.replace(self.directory / name)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        self._unsynced.add(name)

    @contextmanager
    def _refuse_failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _FULL:
                raise Stopped(f"when there was no space left in {self.directory}") from None
            raise CheckpointRefused(f"{self.directory} cannot take the search: {error.strerror}") from None

    @contextmanager
    def open_reader(self, memory: DiskMemory, record: StateFile, marked: bool = False) -> Iterator[SortedReader]:
        """Open a file's reader. That it reads what was written is known only after the last state, or `finish`."""
        with ExitStack() as stack:
            try:
                path = self.directory / record.name
                file = stack.enter_context(open(path, "rb", buffering=0, opener=open_no_link))
            except OSError:
                raise self.damage_error(record.name) from None
            try:
                yield SortedReader(memory, stack.enter_context(memory.block()), marked, file, record)
            except NotAsWritten as wrong:
                raise self.damage_error(str(wrong)) from None

    def pieces(
        self, memory: DiskMemory, record: StateFile, first: int, most: int, marked: bool = False
    ) -> Iterator[int]:
        """Read a file to an index, piece by piece: how many states there are now."""
        with self.open_reader(memory, record, marked) as reader:
            while count := reader.read(first, most):
                yield count

    def damage_error(self, name: str) -> CheckpointRefused:
        return self._error(f"is damaged: {name} is not what was written")

    def contradiction_error(self, how: str) -> CheckpointRefused:
        return self._error(f"contradicts itself: {how}")

    def _error(self, how: str) -> CheckpointRefused:
        return CheckpointRefused(f"the search in {self.directory} {how}")
