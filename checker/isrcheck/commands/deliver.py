"""What commands do with what they made: an outcome, or a file that was asked for."""

import sys
from pathlib import Path

import click

from isrcheck.commands.options import console
from isrcheck.errors import UsageError
from isrcheck.evidence.outcome import Outcome
from isrcheck.evidence.save import save_traces
from isrcheck.evidence.text import print_outcome
from isrcheck.files import write_aside


def deliver(outcome: Outcome, json_file: str | None, trace_dir: Path | None) -> int:
    """Writes and prints what was asked for; standard output is JSON alone or text alone."""
    if trace_dir:
        outcome = save_traces(outcome, trace_dir)
    if json_file != "-":
        print_outcome(outcome, console())
    if json_file:
        write_json(outcome, json_file)
    return outcome.exit


def write_json(outcome: Outcome, file: str) -> None:
    """Writes the outcome to a file, or to standard output for -."""
    if file == "-":
        click.echo(outcome.to_json(), nl=False)
    else:
        write_aside(Path(file), outcome.to_json())


def hand_over(content: str | bytes, form: str, output: Path | None) -> None:
    """Writes a file, or prints it. Raises UsageError if bytes would go to a terminal."""
    if output:
        write_aside(output, content)
    elif isinstance(content, bytes) and sys.stdout.isatty():
        raise UsageError(f"{form} is no text for a terminal: write it to a file with -o FILE.")
    else:
        click.echo(content, nl=False)
