"""Findings kept on disk by the content that they depend on: a damaged one is as good as none."""

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from isrcheck.engines.native.compile import cache_directory
from isrcheck.gate.mutants.finding import MutantOutcome

_MOST = 20_000  # findings of about 300 bytes; the oldest make room for new ones


@dataclass(frozen=True)
class Cache:
    """A folder of findings; without one nothing is kept or found. `version` is isrcheck's, and a part of every key."""

    folder: Path | None
    version: str = ""

    @staticmethod
    def of_user(version: str) -> "Cache":
        """Beside the native engine's own."""
        return Cache(cache_directory() / "mutants", version)

    def get(self, key: str) -> MutantOutcome | None:
        """What was found for this content, unless there is nothing or it is damaged."""
        if self.folder is None:
            return None
        try:
            signature, _, content = (self.folder / f"{key}.json").read_text(encoding="utf-8").partition("\n")
            return MutantOutcome.from_dict(json.loads(content)) if signature == _signature(key, content) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, finding: MutantOutcome) -> None:
        """Keep a finding; a folder that cannot be written is no reason to fail."""
        if self.folder is None:
            return
        content = json.dumps(finding.to_dict())
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self.folder, delete=False) as file:
                file.write(f"{_signature(key, content)}\n{content}")
            Path(file.name).replace(self.folder / f"{key}.json")
        except OSError:
            pass

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


def _signature(key: str, content: str) -> str:
    return hashlib.sha256(f"{key}\n{content}".encode()).hexdigest()
