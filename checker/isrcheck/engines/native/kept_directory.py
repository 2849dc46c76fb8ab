"""A directory in which a search is kept: locked while it is used, its files written aside, its manifest checksummed."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar

import msgspec

from isrcheck.engines.contract import Request
from isrcheck.ir.scalar import ScalarSystem

MANIFEST = "manifest.json"
LOCK = "lock"
OTHER_VERSION = "was written by another version of isrcheck"
OTHER_SEARCH = "is of another model, other constants or other properties"
SEARCHED_AGAIN = (
    1 << 22
)  # states, before a search goes on; one to three seconds of a core for the models of this project
IN_USE = "is in use by another run; choose another directory"

Count = Annotated[int, msgspec.Meta(ge=0)]
Pair = Annotated[list[Count], msgspec.Meta(min_length=2, max_length=2)]
M = TypeVar("M", bound=msgspec.Struct)


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


class KeptDirectory:
    """The directory of one run; `key` says what is searched, `what` is kept, `schema` how."""

    what, schema = "", ""

    def __init__(self, directory: Path, key: str) -> None:
        self.directory, self._key = directory, key
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = (directory / LOCK).open("ab")
        except OSError as error:
            raise CheckpointRefused(f"{directory} cannot hold a {self.what}: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise CheckpointRefused(f"{directory} {IN_USE}") from None

    def close(self) -> None:
        self._lock.close()

    @property
    def manifest(self) -> Path:
        return self.directory / MANIFEST

    def read_manifest(self, kind: type[M]) -> M:
        """The manifest; raises CheckpointRefused if it is damaged, or another search's."""
        try:
            with open(self.manifest, "rb", opener=open_no_link) as file:
                first, _, rest = file.read().partition(b"\n")
            if first.decode() != hashlib.sha256(rest).hexdigest():
                raise ValueError
            body: dict[str, Any] = dict(json.loads(rest))
        except (OSError, ValueError, TypeError):
            raise self.damage_error(MANIFEST) from None
        for name, wanted, how in (("schema", self.schema, OTHER_VERSION), ("key", self._key, OTHER_SEARCH)):
            if body.get(name) != wanted:
                raise self._error(how)
        try:
            return msgspec.convert(body, kind)
        except msgspec.ValidationError as error:
            raise self.contradiction_error(f"its manifest is not valid: {error}") from None

    def write_manifest(self, manifest: msgspec.Struct) -> None:
        content = msgspec.json.encode(manifest)
        with self.write_aside(MANIFEST) as file:
            file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)

    @contextmanager
    def write_aside(self, name: str) -> Iterator[IO[bytes]]:
        aside = self.directory / f"{name}.aside"
        with aside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(self.directory / name)
        sync(self.directory)

    def damage_error(self, name: str) -> CheckpointRefused:
        return self._error(f"is damaged: {name} is not what was written")

    def contradiction_error(self, how: str) -> CheckpointRefused:
        return self._error(f"contradicts itself: {how}")

    def _error(self, how: str) -> CheckpointRefused:
        return CheckpointRefused(f"the {self.what} in {self.directory} {how}")
