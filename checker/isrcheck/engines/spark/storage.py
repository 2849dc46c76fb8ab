"""A directory that all machines share (a disk, or any URL that pyarrow understands), and packed states in its files."""

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs, parquet

from isrcheck.engines.native.checkpoint import StoredFile
from isrcheck.engines.native.kept_directory import sync
from isrcheck.errors import UsageError


class StorageFailed(UsageError):
    """Something could not be written or read, or is not what was written; one sentence, as for the user."""


def url_of(directory: Path | str) -> str:
    """The URL of a directory; a path is this machine's. A Path swallows the second slash of scheme://."""
    text = str(directory)
    match = re.match(r"([a-z][a-z0-9+.-]+):/+(.*)", text, re.DOTALL)
    if match is None:
        return Path(text).absolute().as_uri()
    return f"file:///{match[2]}" if match[1] == "file" else f"{match[1]}://{match[2]}"


@dataclass(frozen=True, slots=True)
class Storage:
    """A directory by its URL; `durable` if what was written must outlast a loss of power."""

    url: str
    durable: bool = False

    def __str__(self) -> str:
        local = self._local()
        return self.url if local is None else str(local)

    def _local(self) -> Path | None:
        system, path = _opened(self.url)
        return Path(path) if system.type_name == "local" else None

    def _file(self, name: str) -> tuple[Any, str]:
        system, path = _opened(self.url)
        return system, f"{path}/{name}"

    def write(self, name: str, content: Any) -> StoredFile:
        """Write a file that is named elsewhere later. Raises StorageFailed."""
        system, path = self._file(name)
        with self._saying("cannot take what is written"):
            system.create_dir(path.rpartition("/")[0], recursive=True)
            with system.open_output_stream(path) as stream:
                stream.write(content)
            self._sync(Path(path))
        return StoredFile(name, len(content), hashlib.sha256(content).hexdigest())

    def replace(self, name: str, content: bytes) -> None:
        """Write aside and move into place: whole or not there. Raises StorageFailed."""
        aside = f"{name}.{secrets.token_hex(4)}.aside"
        self.write(aside, content)
        with self._saying("cannot take what is written"):
            system, path = self._file(aside)
            system.move(path, self._file(name)[1])
            self._sync(Path(path).parent)

    def _sync(self, path: Path) -> None:
        if self.durable and self._local() is not None:
            sync(path)

    def exists(self, name: str) -> bool:
        with self._saying("cannot be read"):
            system, path = self._file(name)
            return bool(system.get_file_info(path).is_file)

    def read(self, written: StoredFile) -> Any:
        """The content of a file, as a buffer. Raises StorageFailed unless it is what was written."""
        try:
            content = self.read_as_is(written.name)
        except OSError:
            raise self.damaged(written.name) from None
        if content.size != written.bytes or hashlib.sha256(content).hexdigest() != written.sha256:
            raise self.damaged(written.name)
        return content

    def read_as_is(self, name: str) -> Any:
        """The content of a file, as a buffer. Raises OSError, or StorageFailed for a link."""
        system, path = self._file(name)
        if (place := self._local()) is not None and Path(path).resolve() != place.resolve() / name:
            raise self.damaged(name)
        with system.open_input_file(path) as stream:
            return stream.read_buffer()

    def damaged(self, name: str) -> StorageFailed:
        return StorageFailed(f"the checkpoint in {self} is damaged: {name} is not what was written.")

    def contradicted(self, how: str) -> StorageFailed:
        return StorageFailed(f"the checkpoint in {self} contradicts itself: {how}.")

    @contextmanager
    def _saying(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error).splitlines()[0].rstrip(".")
            raise StorageFailed(f"{self} {what}: {reason}.") from None

    def remove(self, name: str) -> None:
        """As far as possible."""
        system, path = self._file(name)
        with suppress(OSError):
            system.delete_dir(path)


def read_states(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
    """The states of a file, in pieces. Raises StorageFailed unless it is what was written."""
    try:
        yield from from_parquet(storage.read(written), size)
    except ValueError:
        raise storage.damaged(written.name) from None


@cache
def _opened(url: str) -> tuple[Any, str]:
    try:
        system, path = fs.FileSystem.from_uri(url)
    except (OSError, ValueError, ImportError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise StorageFailed(f"{url} cannot hold a checkpoint: {reason}.") from None
    return system, path.rstrip("/")


SCHEMA = "isrcheck.states/1"
_COLUMN = "words"
_KEY = b"isrcheck"
_ROWS = 1 << 20  # in a row group: what is decoded at once


def to_parquet(words: Any, size: int) -> Any:
    """Packed states of `size` bytes."""
    count = len(words) // size
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(size), count, [None, pa.py_buffer(words)])
    schema = pa.schema([pa.field(_COLUMN, pa.binary(size), nullable=False)], metadata={_KEY: SCHEMA.encode()})
    sink = pa.BufferOutputStream()
    with parquet.ParquetWriter(sink, schema, compression="lz4", use_dictionary=False, write_statistics=False) as writer:
        writer.write_table(pa.Table.from_arrays([column], schema=schema), row_group_size=_ROWS)
    return sink.getvalue()


def from_parquet(content: Any, size: int) -> Iterator[Any]:
    """The packed states of a file, in pieces one after the other. Raises ValueError."""
    try:
        file = parquet.ParquetFile(pa.BufferReader(content))
        schema = file.schema_arrow
        if (schema.metadata or {}).get(_KEY) != SCHEMA.encode() or schema.field(_COLUMN).type != pa.binary(size):
            raise ValueError("not a file of such states")
        for group in range(file.num_row_groups):
            for chunk in filter(len, file.read_row_group(group, use_threads=False).column(_COLUMN).chunks):
                yield chunk.buffers()[1][chunk.offset * size : (chunk.offset + len(chunk)) * size]
    except (pa.ArrowException, KeyError, OSError) as error:
        raise ValueError(str(error)) from None
