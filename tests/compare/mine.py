"""Repositories with one small model in them, changed from commit to commit."""

import os
import subprocess
from pathlib import Path

from tests.fixtures.command_line import Done, in_process

MINE = '''from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, require


class Mine(Model):
    """A counter that stops."""

    most: int = constant(4, "How far numbers go.")
    n: Annotated[int, UpTo("most")] = 0

    @action
    def grow(self) -> None:
        """One more."""
        require(self.n < 2)
        self.n += 1

    @invariant
    def small(self) -> bool:
        """It stays small."""
        return self.n <= 2
'''
_GIT = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *words: str) -> None:
    """One git command, whoever runs the test."""
    command = ["git", "-C", str(folder), *words]
    subprocess.run(
        command, check=True, capture_output=True, env={**os.environ, **_GIT, "GIT_CONFIG_GLOBAL": str(folder / "none")}
    )


def repository(folder: Path, text: str = MINE) -> Path:
    """A repository whose only commit has this model in models/mine.py."""
    (folder / "models").mkdir(parents=True)
    (folder / "models" / "mine.py").write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet", ".")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "one")
    return folder


def change(folder: Path, old: str, new: str) -> None:
    """Changes the text of the model that is checked out."""
    file = folder / "models" / "mine.py"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def since(folder: Path, *words: str, ref: str = "HEAD") -> Done:
    """isrcheck diff, from the top of the repository."""
    return in_process("diff", *words, "--", ref, "models/mine.py:Mine", cwd=folder)
