"""The files of a search on disk: one for each level, those of the states seen, and a manifest that names them.

A file is written aside and moved into place. The manifest names it only after it was synced, so that a search that is
killed goes on from the levels of its last manifest; what no manifest names is removed.
"""

import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import msgspec

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.native.disk.files import NotAsWritten, SortedFile, SortedReader, SortedWriter
from isrcheck.engines.native.disk.memory import DiskMemory
from isrcheck.engines.native.kept_directory import (
    LOCK,
    MANIFEST,
    CheckpointRefused,
    Count,
    KeptDirectory,
    Pair,
    open_no_link,
    sync,
)

_SCHEMA = "isrcheck.disk/1"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OWN_NAME = re.compile(rf"(level|seen|run|again|marked)-\d{{6,}}(\.aside)?|{re.escape(MANIFEST)}(\.aside)?|{LOCK}")


class DiskLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A complete level, and what was known when it was."""

    file: SortedFile
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]  # of its states
    counts: list[Count]  # steps by action, then pruned ones, of the levels before
    reached: list[Count]  # states by the least action that reached them, up to this level
    targets_seen: list[Pair] = msgspec.field(name="seen")  # position of a target, and its first level


class DiskManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The manifest of a search on disk: `key` from `search_key`, its levels, and files with all states, each once."""

    schema: str
    key: str
    levels: Annotated[list[DiskLevel], msgspec.Meta(min_length=1)]
    visited: Annotated[list[SortedFile], msgspec.Meta(min_length=1)]

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
            if not re.fullmatch(r"(level|seen)-\d{6,}", file.name) or own.get(file.name, file) != file:
                raise ValueError(f"the file {file.name!r} of states seen")
        if sum(file.states for file in self.visited) != distinct:
            raise ValueError(f"other states seen than the {distinct:,} of its levels")


def level_name(number: int) -> str:
    return f"level-{number:06}"


class DiskDirectory(KeptDirectory):
    """The directory of a search on disk; raises CheckpointRefused where it cannot be used."""

    what, schema = "search", _SCHEMA

    def __init__(self, directory: Path, key: str) -> None:
        super().__init__(directory, key)
        self._unsynced: set[str] = set()
        for path in directory.iterdir():
            if not _OWN_NAME.fullmatch(path.name):
                self.close()
                raise CheckpointRefused(f"{directory} holds other files, such as {path.name}; choose an empty one")

    def load(self, actions: int, targets: int) -> DiskManifest | None:
        """The manifest to go on from, if there is one; all other files are removed."""
        if not self.manifest.exists():
            self.remove_all()
            return None
        kept = self.read_manifest(DiskManifest)
        try:
            kept.check(actions, targets)
        except ValueError as error:
            raise self.contradiction_error(f"its manifest has {error}") from None
        self.keep_only(kept)
        return kept

    def commit(self, levels: list[DiskLevel], visited: list[SortedFile]) -> None:
        """Write the manifest of these levels after its files were synced; raises Stopped if the disk is full."""
        manifest = DiskManifest(self.schema, self._key, levels, visited)
        with self._refuse_failures():
            for name in self._unsynced:
                sync(self.directory / name)
            self.write_manifest(manifest)
        self._unsynced.clear()
        self.keep_only(manifest)

    def keep_only(self, manifest: DiskManifest) -> None:
        """Remove what the manifest does not name."""
        named = {level.file.name for level in manifest.levels} | {file.name for file in manifest.visited}
        self._remove(path for path in self.directory.iterdir() if path.name not in named | {MANIFEST, LOCK})

    def remove_all(self) -> None:
        """The manifest first: whatever is left without it is nothing to go on from."""
        self.manifest.unlink(missing_ok=True)
        self._remove(path for path in self.directory.iterdir() if path.name != LOCK)

    def remove(self, files: Iterable[SortedFile]) -> None:
        self._remove(self.directory / file.name for file in files)

    def _remove(self, paths: Iterable[Path]) -> None:
        for path in list(paths):
            path.unlink(missing_ok=True)
            self._unsynced.discard(path.name)

    def write(self, memory: DiskMemory, name: str, ranges: Iterable[tuple[int, int]], marked: bool) -> SortedFile:
        """A file of the states in ranges of memory, sorted as they come. Raises Stopped if the disk is full."""
        aside = self.directory / f"{name}.aside"
        try:
            with self._refuse_failures(), memory.block() as block, aside.open("wb", buffering=0) as file:
                writer = SortedWriter(memory, block, marked, file, name)
                for first, end in ranges:
                    writer.write(first, end)
                written = writer.close()
            aside.replace(self.directory / name)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        self._unsynced.add(name)
        return written

    @contextmanager
    def _refuse_failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _FULL:
                raise Stopped(f"when there was no space left in {self.directory}") from None
            raise CheckpointRefused(f"{self.directory} cannot take the {self.what}: {error.strerror}") from None

    @contextmanager
    def open_reader(self, memory: DiskMemory, record: SortedFile, marked: bool = False) -> Iterator[SortedReader]:
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
        self, memory: DiskMemory, record: SortedFile, first: int, most: int, marked: bool = False
    ) -> Iterator[int]:
        """Read a file to an index, piece by piece: how many states there are now."""
        with self.open_reader(memory, record, marked) as reader:
            while count := reader.read(first, most):
                yield count
