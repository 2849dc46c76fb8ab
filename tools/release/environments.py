"""Clean environments of every Python that is here, with a wheel in them and nothing else of this checkout."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MINORS = ("3.11", "3.12", "3.13", "3.14")
_VERSION = "import ensurepip, venv, platform; print(platform.python_version())"


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and an empty folder in which its commands run."""

    folder: Path
    away: Path

    def python(self, *words: str, check: bool = True, more: Mapping[str, str] = {}) -> subprocess.CompletedProcess[str]:
        """Runs its Python, with these variables besides."""
        return self._run([str(self.folder / "bin" / "python"), *words], check, more)

    def isrcheck(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs the command that the wheel installed."""
        return self._run([str(self.folder / "bin" / "isrcheck"), *words], False, {})

    def _run(self, command: list[str], check: bool, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        clean = {**kept, "XDG_CACHE_HOME": str(self.away / "cache"), "COLUMNS": "120", **more}
        return subprocess.run(command, cwd=self.away, env=clean, capture_output=True, text=True, check=check)


def pythons() -> dict[str, str]:
    """The Pythons on the path and those of pyenv that can make environments, by version: one of each."""
    on_path = [shutil.which(f"python{minor}", path=os.defpath) for minor in MINORS]
    of_pyenv = sorted(Path.home().glob(".pyenv/versions/3.1[1-4].*/bin/python"))
    by_version: dict[str, str] = {}
    for python in [*filter(None, on_path), *map(str, of_pyenv)]:
        asked = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            by_version.setdefault(asked.stdout.strip(), python)
    return by_version


def new(python: str, folder: Path) -> Environment:
    """An environment with pip alone."""
    away = folder / "away"
    away.mkdir(parents=True)
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True, capture_output=True)
    return Environment(folder / "venv", away)
