"""Outcomes of mutants kept on disk by the content that they depend on: a damaged one is as good as none."""

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from isrcheck.gate.mutants.outcome import MutantOutcome
from isrcheck.user_cache import CacheFolder, user_cache

_MOST = 20_000  # outcomes of about 300 bytes; the oldest make room for new ones


@dataclass(frozen=True)
class Cache:
    """A folder of outcomes; without one nothing is kept or found. `version` is isrcheck's, and a part of every key."""

    folder: Path | None
    version: str = ""

    @staticmethod
    def of_user(version: str) -> "Cache":
        """Beside the native engine's own."""
        return Cache(user_cache().path / "mutants", version)

    def get(self, key: str) -> MutantOutcome | None:
        """What is kept for this content, unless there is nothing or it is damaged."""
        content = None if self.folder is None else CacheFolder(self.folder).get(f"{key}.json")
        try:
            return None if content is None else msgspec.json.decode(content, type=MutantOutcome)
        except msgspec.DecodeError:
            return None

    def put(self, key: str, outcome: MutantOutcome) -> None:
        """Keep an outcome; a folder that cannot be written is not an error."""
        if self.folder is not None:
            CacheFolder(self.folder).put(f"{key}.json", msgspec.json.encode(outcome))

    def trim(self, most: int = _MOST) -> None:
        """Drop the oldest outcomes beyond `most`."""
        if self.folder is None:
            return
        try:
            files = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(self.folder))
            for _, path in files[: max(0, len(files) - most)]:
                Path(path).unlink(missing_ok=True)
        except OSError:
            pass
