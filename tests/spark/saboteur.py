"""Storages that go wrong on purpose, in whatever process writes to them."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from isrcheck.engines.spark.storage import Storage, StoredFile, _open

PHASES = {"expand": r"job-\w+/sent-", "filter": r"level-", "report": r"job-\w+/report-"}


@dataclass(frozen=True, slots=True)
class Killing(Storage):
    """Kills the process of the first task that writes a phase's file in each level, once half of the file is there."""

    phase: str = "filter"

    def _is_due(self, name: str) -> bool:
        """Once a level; the first level is written by the driver."""
        match = re.match(rf"{PHASES[self.phase]}(\d+)", name)
        if match is None or (self.phase == "filter" and (int(match[1]) == 0 or not name.endswith(".states"))):
            return False
        try:
            (Path(_open(self.url)[1]) / f"{self.phase}-{match[1]}.killed").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def write(self, name: str, content: Any) -> StoredFile:
        if self._is_due(name):
            Storage.write(self, f"{name}.half", content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return Storage.write(self, name, content)

    @contextmanager
    def open_writer(self, name: str) -> Iterator[Any]:
        with Storage.open_writer(self, name) as stream:
            if self._is_due(name):
                stream.write(b"half of it")
                stream.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            yield stream


@dataclass(frozen=True, slots=True)
class KillingDriver(Storage):
    """Kills the process that commits the fifth level, before or after its record is in its place."""

    after: bool = False

    def replace(self, name: str, content: bytes) -> None:
        if name == "level-00005.json":
            if self.after:
                Storage.replace(self, name, content)
            else:
                Storage.write(self, f"{name}.aside", content)
            os.kill(os.getpid(), signal.SIGKILL)
        Storage.replace(self, name, content)


@dataclass(frozen=True, slots=True)
class Full(Storage):
    """Has no room for the third level."""

    def write(self, name: str, content: Any) -> StoredFile:
        with self._translate_errors("cannot take what is written"):
            if name.startswith("level-00003/"):
                raise OSError(28, "No space left on device")
        return Storage.write(self, name, content)


@dataclass(frozen=True, slots=True)
class Harming(Storage):
    """Changes a bit of every file of the third level that goes from one task to another."""

    at: int = 0

    @contextmanager
    def open_writer(self, name: str) -> Iterator[Any]:
        with Storage.open_writer(self, name) as stream:
            yield stream
        if "/sent-00003-" in name:
            file = Path(_open(self.url)[1]) / name
            content = bytearray(file.read_bytes())
            content[self.at] ^= 1
            file.write_bytes(content)


class _Objects:
    """A file system as an object store: a file appears when its stream closes, and moves by a copy; no append."""

    def __init__(self, system: Any) -> None:
        self._system = system

    def __getattr__(self, name: str) -> Any:
        assert name in ("create_dir", "get_file_info", "open_input_file", "delete_dir", "delete_file"), name
        return getattr(self._system, name)

    @contextmanager
    def open_output_stream(self, path: str, **_: Any) -> Iterator[Any]:
        stream = pa.BufferOutputStream()
        yield stream
        Path(path).write_bytes(stream.getvalue())

    def move(self, old: str, new: str) -> None:
        self._system.copy_file(old, new)
        self._system.delete_file(old)


@dataclass(frozen=True, slots=True)
class ObjectStore(Storage):
    """Has neither append nor rename."""

    def _file(self, name: str) -> tuple[Any, str]:
        system, path = Storage._file(self, name)
        return _Objects(system), path
