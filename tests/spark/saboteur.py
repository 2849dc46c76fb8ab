"""Storages that go wrong on purpose, in whatever process writes to them."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrcheck.engines.native.checkpoint import StoredFile
from isrcheck.engines.spark.storage import Storage, _opened


@dataclass(frozen=True, slots=True)
class Killing(Storage):
    """Kills the process of the first task that writes to each level, once half of the file is there."""

    def write(self, name: str, content: Any) -> StoredFile:
        folder, _, file = name.rpartition("/")
        if file.endswith(".parquet") and folder != "level-00000":
            root = Path(_opened(self.url)[1])
            try:
                (root / f"{folder}.killed").touch(exist_ok=False)
            except FileExistsError:
                return Storage.write(self, name, content)
            Storage.write(self, f"{name}.half", content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return Storage.write(self, name, content)


@dataclass(frozen=True, slots=True)
class Full(Storage):
    """Has no room for the third level."""

    def write(self, name: str, content: Any) -> StoredFile:
        with self._saying("cannot take what is written"):
            if name.startswith("level-00003/"):
                raise OSError(28, "No space left on device")
        return Storage.write(self, name, content)
