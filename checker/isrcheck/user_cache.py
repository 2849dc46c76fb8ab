"""What isrcheck keeps between runs in the user's cache: never needed nor believed if damaged."""

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.files import write_aside

_SIGNATURE_BYTES = 65  # SHA-256 of the name and the content, as a line of hexadecimal digits; the content follows


@dataclass(frozen=True)
class CacheFolder:
    """Files by name."""

    path: Path

    def get(self, name: str) -> bytes | None:
        """What was kept, unless there is nothing or it is damaged."""
        try:
            data = (self.path / name).read_bytes()
        except OSError:
            return None
        content = data[_SIGNATURE_BYTES:]
        return content if data[:_SIGNATURE_BYTES] == _signature(name, content) else None

    def put(self, name: str, content: bytes) -> None:
        with suppress(UsageError):
            write_aside(self.path / name, _signature(name, content) + content)


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
