"""The cache that isrcheck keeps between runs: never needed nor believed if damaged.

It takes about a gibibyte at most: what was used least recently goes first. A file that another run removes is a file
that is not there, so runs side by side may remove what they like.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.files import write_aside

MOST_BYTES = 1 << 30  # two hours of trying things out wrote 0.7 GiB
_LEFT = 3 / 4  # of them after old files went
_LOOK_BYTES = 16 << 20  # between two looks at the size, about: a look takes 10 ms for 2,000 files
_SIGNATURE_BYTES = 65  # SHA-256 of the name and the content, as a line of hexadecimal digits; the content follows


@dataclass(frozen=True)
class CacheFolder:
    """A folder of cached files, each with its name."""

    path: Path

    def get(self, name: str) -> bytes | None:
        """Read a file of the cache; None if there is none or it is damaged."""
        try:
            data = (self.path / name).read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(self.path / name)
        content = data[_SIGNATURE_BYTES:]
        return content if data[:_SIGNATURE_BYTES] == _signature(name, content) else None

    def put(self, name: str, content: bytes) -> None:
        signature = _signature(name, content)
        with suppress(UsageError):
            write_aside(self.path / name, signature + content)
        # A look for each 16 MiB written, by all runs together: the signature is a random number.
        if int(signature[:16], 16) % _LOOK_BYTES < len(content):
            self.trim()

    def trim(self, most: int = MOST_BYTES) -> None:
        """Remove the files used least recently, if all take more bytes."""
        files = sorted(self._files(), key=lambda file: file.used_ns)
        left = sum(file.bytes for file in files)
        if left <= most:
            return
        for file in files:
            if left <= _LEFT * most:
                return
            left -= file.bytes
            file.remove()

    def _files(self) -> Iterator["_CachedFile"]:
        with suppress(OSError), os.scandir(self.path) as listing:
            for each in listing:
                with suppress(OSError):
                    if each.is_file(follow_symlinks=False):
                        status = each.stat(follow_symlinks=False)
                        size = max(status.st_size, status.st_blocks * 512)
                        yield _CachedFile(Path(each.path), size, status.st_mtime_ns)


@dataclass(frozen=True)
class _CachedFile:
    path: Path
    bytes: int
    used_ns: int

    def remove(self) -> None:
        """Remove the file if isrcheck wrote it; another run may remove it at the same time."""
        with suppress(OSError):
            if self._is_of_isrcheck():
                self.path.unlink()

    def _is_of_isrcheck(self) -> bool:
        if re.fullmatch(_UNSIGNED, self.path.name):
            return True
        with self.path.open("rb") as file:
            return re.fullmatch(rb"[0-9a-f]{64}\n", file.read(_SIGNATURE_BYTES)) is not None


# Files of the cache that carry no signature: times of the gate's runs, questions of `risk` as models.
_UNSIGNED = r"gate-times\.json|question_\w+\.py"


def _signature(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + content).hexdigest().encode() + b"\n"


def user_cache() -> CacheFolder:
    """ISRCHECK_CACHE_DIR, or isrcheck's folder in the user's cache; unusable without a home."""
    chosen, base = os.environ.get("ISRCHECK_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return CacheFolder(Path(chosen))
    try:
        return CacheFolder((Path(base) if base else Path.home() / ".cache") / "isrcheck")
    except RuntimeError:
        return CacheFolder(Path(os.devnull) / "isrcheck")
