"""A directory that all machines share: a disk, or any URL that pyarrow understands."""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pyarrow as pa
from pyarrow import fs

from isrcheck.engines.native.disk.directory import sync
from isrcheck.errors import UsageError
from isrcheck.ir.frozen import replace

_BUFFER = 1 << 20  # bytes of a stream that are written at a time


class StoredFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    bytes: Annotated[int, msgspec.Meta(ge=0)]
    sha256: str


class StorageFailed(UsageError):
    """Something could not be written or read, or is not what was written; one sentence, as for the user."""


def url_of(directory: Path | str) -> str:
    """The URL of a directory; a path is this machine's. A Path swallows the second slash of scheme://."""
    url = str(directory)
    match = re.match(r"([a-z][a-z0-9+.-]+):/+(.*)", url, re.DOTALL)
    if match is None:
        return Path(url).absolute().as_uri()
    return f"file:///{match[2]}" if match[1] == "file" else f"{match[1]}://{match[2]}"


@dataclass(frozen=True, slots=True)
class Storage:
    """A directory by its URL; `durable` if what was written must outlast a loss of power.

    `creates`: folders that are not there. Who may be late does not: what was removed stays removed.
    """

    url: str
    durable: bool = False
    creates: bool = True

    def __str__(self) -> str:
        local = self._local()
        return self.url if local is None else str(local)

    def _local(self) -> Path | None:
        system, path = _open(self.url)
        return Path(path) if system.type_name == "local" else None

    def _file(self, name: str) -> tuple[Any, str]:
        system, path = _open(self.url)
        return system, f"{path}/{name}"

    def write(self, name: str, content: Any) -> StoredFile:
        """Write a file that is named elsewhere later. Raises StorageFailed."""
        if self.creates:
            self.create(name.rpartition("/")[0])
        system, path = self._file(name)
        with self._translate_errors("cannot take what is written"):
            with system.open_output_stream(path) as stream:
                stream.write(content)
            self._sync(Path(path))
        return StoredFile(name, len(content), hashlib.sha256(content).hexdigest())

    def replace(self, name: str, content: bytes) -> None:
        """Write aside and move into place: whole or not there. Raises StorageFailed."""
        aside = f"{name}.{secrets.token_hex(4)}.aside"
        self.write(aside, content)
        with self._translate_errors("cannot take what is written"):
            system, path = self._file(aside)
            system.move(path, self._file(name)[1])
            self._sync(Path(path).parent)

    def create(self, folder: str = "") -> None:
        """A folder in the directory, or the directory itself with all above. Raises StorageFailed."""
        system, path = self._file(folder) if folder else _open(self.url)
        with self._translate_errors("cannot take what is written"):
            system.create_dir(path, recursive=not folder)

    @contextmanager
    def open_writer(self, name: str) -> Iterator[Any]:
        """A stream for what may be lost, into a folder that is there; in its place once the block ends.

        Raises StorageFailed.
        """
        aside = f"{name}.aside"
        system, path = self._file(aside)
        with self._translate_errors("cannot take what is written"):
            with system.open_output_stream(path, buffer_size=_BUFFER) as stream:
                yield stream
            system.move(path, self._file(name)[1])

    def put_record(self, name: str, body: object) -> None:
        """A JSON value, after its checksum. Raises StorageFailed."""
        content = json.dumps(body).encode()  # a digest is too long for msgspec
        self.replace(name, hashlib.sha256(name.encode() + content).hexdigest().encode() + b"\n" + content)

    def record(self, name: str) -> dict[str, Any]:
        """Read a record; raises StorageFailed unless it is what was put."""
        try:
            first, _, content = self.read_as_is(name).to_pybytes().partition(b"\n")
            if first.decode() != hashlib.sha256(name.encode() + content).hexdigest():
                raise ValueError
            return dict(json.loads(content))
        except (OSError, ValueError, TypeError):
            raise self.damage_error(name) from None

    @property
    def passing(self) -> "Storage":
        """A storage here for what need not outlast a loss of power, nor the folder that it is in."""
        return replace(self, durable=False, creates=False)

    def _sync(self, path: Path) -> None:
        if self.durable and self._local() is not None:
            sync(path)

    def exists(self, name: str) -> bool:
        with self._translate_errors("cannot be read"):
            system, path = self._file(name)
            return bool(system.get_file_info(path).is_file)

    def read(self, written: StoredFile) -> Any:
        """The content of a file, as a buffer. Raises StorageFailed unless it is what was written."""
        try:
            content = self.read_as_is(written.name)
        except OSError:
            raise self.damage_error(written.name) from None
        if content.size != written.bytes or hashlib.sha256(content).hexdigest() != written.sha256:
            raise self.damage_error(written.name)
        return content

    def read_as_is(self, name: str) -> Any:
        """The content of a file, as a buffer. Raises OSError, or StorageFailed for a link."""
        with self._stream(name) as stream:
            return stream.read_buffer()

    @contextmanager
    def open_reader(self, name: str) -> Iterator[Any]:
        """A file to read from any place. Raises StorageFailed if it is not there."""
        with ExitStack() as stack:
            try:
                stream = stack.enter_context(self._stream(name))
            except OSError:
                raise self.damage_error(name) from None
            yield stream

    def _stream(self, name: str) -> Any:
        system, path = self._file(name)
        if (place := self._local()) is not None and Path(path).resolve() != place.resolve() / name:
            raise self.damage_error(name)
        return system.open_input_file(path)

    def damage_error(self, name: str) -> StorageFailed:
        return StorageFailed(f"the checkpoint in {self} is damaged: {name} is not what was written.")

    def contradiction_error(self, how: str) -> StorageFailed:
        return StorageFailed(f"the checkpoint in {self} contradicts itself: {how}.")

    @contextmanager
    def _translate_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error).splitlines()[0].rstrip(".")
            raise StorageFailed(f"{self} {what}: {reason}.") from None

    def remove(self, name: str) -> None:
        """Remove a folder, if that is possible."""
        system, path = self._file(name)
        with suppress(OSError):
            system.delete_dir(path)

    def remove_file(self, name: str) -> None:
        """Remove a file, if that is possible."""
        system, path = self._file(name)
        with suppress(OSError):
            system.delete_file(path)

    def folders(self, prefix: str) -> list[str]:
        """The folders whose names begin so."""
        system, path = _open(self.url)
        inside = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return [each.base_name for each in inside if each.base_name.startswith(prefix)]


@cache
def _open(url: str) -> tuple[Any, str]:
    try:
        system, path = fs.FileSystem.from_uri(url)
    except (OSError, ValueError, ImportError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise StorageFailed(f"{url} cannot hold a checkpoint: {reason}.") from None
    return system, path.rstrip("/")
