"""Where and when a report was made."""

import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_GIT_SECONDS = 10


def made_here(models: Iterable[Path]) -> dict[str, Any]:
    """The date (UTC), the machine, the Python, and the git commits of the files that hold the models, where known."""
    commits = sorted({found for folder in {file.parent for file in models} if (found := _commit(folder))})
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "python": platform.python_version(),
        "commits": commits,
    }


def _commit(folder: Path) -> str | None:
    """The commit that a folder is checked out at; None outside a repository, or without git."""
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return f"{commit}, with changes" if changed else commit


def _git(folder: Path, *words: str) -> str | None:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
