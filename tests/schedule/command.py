"""The command line in this process: what a person types and what comes back, without Python's start each time."""

import os
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner

from isrcheck.cli import commands, wrong_usage_sentence
from isrcheck.errors import IsrcheckError


@dataclass(frozen=True)
class Done:
    """What a run left: its exit code and its texts."""

    returncode: int
    stdout: str
    stderr: str


def isrcheck(*words: str, cwd: Path | None = None) -> Done:
    """One run of the command, in a folder."""
    here = Path.cwd()
    os.chdir(cwd or here)
    try:
        result = CliRunner().invoke(commands, words, prog_name="isrcheck", standalone_mode=False)
    finally:
        os.chdir(here)
    if isinstance(result.exception, IsrcheckError):
        return Done(result.exception.exit_code, result.stdout, result.stderr + f"isrcheck: {result.exception}\n")
    if isinstance(result.exception, click.ClickException):
        return Done(2, result.stdout, f"{result.stderr}isrcheck: {wrong_usage_sentence(result.exception)}\n")
    if result.exception is not None:
        raise result.exception
    return Done(result.return_value or 0, result.stdout, result.stderr)
