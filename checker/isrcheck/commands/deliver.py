"""What every command that runs a model does with its outcome."""

from pathlib import Path

import click

from isrcheck.commands.options import console
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
