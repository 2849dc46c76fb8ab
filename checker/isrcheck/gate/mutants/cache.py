"""Findings kept on disk by the content that they depend on: a damaged one is as good as none."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from isrcheck.gate.mutants.finding import MutantOutcome
from isrcheck.user_cache import CacheFolder, user_cache

_MOST = 20_000  # findings of about 300 bytes; the oldest make room for new ones


@dataclass(frozen=True)
class Cache:
    """A folder of findings; without one nothing is kept or found. `version` is isrcheck's, and a part of every key."""

    folder: Path | None
    version: str = ""

    @staticmethod
    def of_user(version: str) -> "Cache":
        """Beside the native engine's own."""
        return Cache(user_cache().path / "mutants", version)

    def get(self, key: str) -> MutantOutcome | None:
        """What was found for this content, unless there is nothing or it is damaged."""
        if self.folder is None:
            return None
        try:
            content = CacheFolder(self.folder).get(f"{key}.json")
            return None if content is None else MutantOutcome.from_dict(json.loads(content))
        except (ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, finding: MutantOutcome) -> None:
        """Keep a finding; a folder that cannot be written is no reason to fail."""
        if self.folder is not None:
            CacheFolder(self.folder).put(f"{key}.json", json.dumps(finding.to_dict()).encode())

    def trim(self, most: int = _MOST) -> None:
        """Drop the oldest findings beyond `most`."""
        if self.folder is None:
            return
        try:
            files = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(self.folder))
            for _, path in files[: max(0, len(files) - most)]:
                Path(path).unlink(missing_ok=True)
        except OSError:
            pass
