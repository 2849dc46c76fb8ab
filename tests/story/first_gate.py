"""The tutorial, followed to the letter: its files are written, its commands run, its outputs looked for."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "first-gate.md"
_FENCE = re.compile(r"```(\w+)(?: ([^\n]+))?\n(.*?)```", re.DOTALL)
_ONE = re.compile(r"exit (\d+)")


@dataclass(frozen=True)
class Command:
    """A command, the lines that it prints among others, and its exit code where the page says it."""

    words: str
    printed: tuple[str, ...]
    code: int


@dataclass(frozen=True)
class File:
    """A file that the reader is told to save."""

    name: str
    text: str


def steps() -> Iterator[Command | File]:
    """What the page says to do, in its order."""
    for kind, name, text in _FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "console":
            yield from _commands(text)
        else:
            assert name, f"a block of {kind} without the name of a file"
            yield File(name, text)


def _commands(text: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        words, *lines = part.splitlines()
        code = int(match[1]) if lines and (match := _ONE.fullmatch(lines[-1])) else 0
        yield Command(words, tuple(line for line in lines if not _ONE.fullmatch(line)), code)


def follow(folder: Path, environment: dict[str, str], *left_out: str) -> None:
    """Does it all in one shell's folder; commands that hold one of `left_out` are passed over."""
    for step in steps():
        if isinstance(step, File):
            (folder / step.name).parent.mkdir(exist_ok=True)
            (folder / step.name).write_text(step.text, encoding="utf-8")
        elif not any(part in step.words for part in left_out):
            _run(step, folder, environment)


def _run(step: Command, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", step.words],
        cwd=folder,
        env={**environment, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == step.code, f"{step.words}\n{done.stdout}{done.stderr}"
    shown = " ".join(done.stdout.split())
    for line in step.printed:
        assert " ".join(line.split()) in shown, f"{step.words}\n{line}\n{done.stdout}"


def bare(path: str) -> dict[str, str]:
    """An environment with this PATH and nothing of Python's, GitHub's or a virtual environment."""
    wrong = ("PYTHON", "VIRTUAL_ENV", "GITHUB_", "PIP_", "COV_")
    return {**{n: v for n, v in os.environ.items() if not n.startswith(wrong)}, "PATH": path}
