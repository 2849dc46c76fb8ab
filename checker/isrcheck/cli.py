"""The command line: arguments to calls, errors to exit codes; no logic."""

import re
import sys
import traceback
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from isrcheck.api import check as run_check
from isrcheck.api import simulate as run_simulation
from isrcheck.catalogue import find_model, known_models
from isrcheck.engines.contract import Checkpoint
from isrcheck.engines.registry import ENGINES
from isrcheck.errors import IsrcheckError, UsageError
from isrcheck.evidence.forms import FORMS, rendered
from isrcheck.evidence.listing import print_model, print_models
from isrcheck.evidence.outcome import Outcome
from isrcheck.evidence.progress import ProgressLine
from isrcheck.evidence.save import save_traces, write_aside
from isrcheck.evidence.text import print_outcome
from isrcheck.evidence.trace import read_trace
from isrcheck.lang.read import read_model
from isrcheck.version import __version__

PLAIN_WIDTH = 120  # columns where the output is not a terminal


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="isrcheck")
def commands() -> None:
    """Decide whether a change to Kafka's replication is safe, by trying every interleaving of a small cluster."""


@commands.command("list")
@click.argument("model", required=False)
@click.option("--sizes", is_flag=True, help="What each model is lowered to at its default constants.")
def list_models(model: str | None, sizes: bool) -> None:
    """Show the models, or all there is to know about one MODEL (a name, or FILE.py:Class)."""
    console = _console()
    if model:
        print_model(model, read_model(find_model(model)), console)
    else:
        print_models(known_models(), console, sizes)


@commands.command()
@click.argument("model")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Decide this one only; none: count only.")
@click.option("--engine", default=next(iter(ENGINES)), show_default=True, help="Which engine searches.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Threads that search.")
@click.option("--symmetry/--no-symmetry", help="Treat states alike that differ only in who is who.")
@click.option("--deadlock", is_flag=True, help="A state without steps is a violation.")
@click.option("--stop-at-first", is_flag=True, help="End at the first violation.")
@click.option("--max-states", type=click.IntRange(min=1), help="Cut the run off after this many distinct states.")
@click.option("--max-depth", type=click.IntRange(min=1), help="Cut the run off at this depth.")
@click.option("--max-seconds", type=click.FloatRange(min=0), help="Cut the run off after this long.")
@click.option("--max-memory", metavar="SIZE", help="Cut the run off at this resident size, such as 8G.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Keep the search in this directory.")
@click.option("--checkpoint-seconds", type=click.FloatRange(min=0), default=60, show_default=True, help="How often.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on from the search kept in this directory.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the outcome as JSON; - is standard output.")
@click.option("--events", type=click.Path(path_type=Path), help="Write progress there, one JSON object a line.")
@click.option("--trace-dir", type=click.Path(path_type=Path), help="Write each trace there as JSON.")
@click.option("--strict", is_flag=True, help="Exit 22 if an action never happens.")
def check(
    model: str,
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    max_memory: str | None,
    checkpoint: Path | None,
    checkpoint_seconds: float,
    resume: Path | None,
    json_file: str | None,
    events: Path | None,
    trace_dir: Path | None,
    strict: bool,
    **options: Any,
) -> int:
    """Decide the properties of MODEL: a name from the list, or FILE.py:Class."""
    chosen = None if not properties else [p for p in properties if p != "none"]
    with ProgressLine(_console(stderr=True), events) as progress:
        progress.event("started", {"model": model, "constants": parse_constants(constants)})
        outcome = run_check(
            model,
            properties=chosen,
            max_memory=parse_size(max_memory),
            checkpoint=_checkpoint(checkpoint, checkpoint_seconds, resume),
            progress=progress,
            constants=parse_constants(constants),
            **options,
        )
        progress.event("finished", {"outcome": outcome.to_dict()})
    code = _deliver(outcome, json_file, trace_dir)
    return code or (22 if strict and outcome.never_taken else 0)


@commands.command()
@click.argument("model")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Look at this one only.")
@click.option("--walks", type=click.IntRange(min=1), default=10_000, show_default=True, help="How many random walks.")
@click.option("--steps", type=click.IntRange(min=1), default=100, show_default=True, help="The most steps of a walk.")
@click.option("--seed", type=click.IntRange(min=0), help="Makes the same walks again; printed if not given.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Threads that walk.")
@click.option("--deadlock", is_flag=True, help="A state without steps is a violation.")
@click.option("--max-seconds", type=click.FloatRange(min=0), help="Cut the run off after this long.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the outcome as JSON; - is standard output.")
@click.option("--trace-dir", type=click.Path(path_type=Path), help="Write each trace there as JSON.")
def simulate(
    model: str,
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    json_file: str | None,
    trace_dir: Path | None,
    **options: Any,
) -> int:
    """Take seeded random walks through MODEL: deep, quick, and proof of nothing but what they find."""
    with ProgressLine(_console(stderr=True)) as progress:
        outcome = run_simulation(
            model, properties=properties or None, progress=progress, constants=parse_constants(constants), **options
        )
    return _deliver(outcome, json_file, trace_dir)


@commands.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(list(FORMS)), required=True, help="The form to render.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write there instead of standard output.")
def render(trace: Path, form: str, output: Path | None) -> None:
    """Show a TRACE that check wrote with --trace-dir."""
    text = rendered(read_trace(trace), form)
    if output:
        write_aside(output, text)
    else:
        click.echo(text, nl=False)


def _deliver(outcome: Outcome, json_file: str | None, trace_dir: Path | None) -> int:
    """Writes and prints what was asked for; standard output is JSON alone or text alone."""
    if trace_dir:
        outcome = save_traces(outcome, trace_dir)
    if json_file != "-":
        print_outcome(outcome, _console())
    if json_file:
        _write_json(outcome, json_file)
    return outcome.exit


def _checkpoint(directory: Path | None, seconds: float, resume: Path | None) -> Checkpoint | None:
    if directory and resume:
        raise UsageError("--checkpoint begins a search and --resume goes on with one: give one of the two.")
    chosen = directory or resume
    return Checkpoint(chosen, seconds, resume is not None) if chosen else None


def _write_json(outcome: Outcome, file: str) -> None:
    if file == "-":
        click.echo(outcome.to_json(), nl=False)
    else:
        write_aside(Path(file), outcome.to_json())


def parse_constants(given: tuple[str, ...]) -> dict[str, str]:
    """-c NAME=VALUE words as a dict. Raises UsageError for one that is none, or comes twice."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals or not value:
            raise UsageError(f"-c {text} is no constant: write -c NAME=VALUE, such as -c replicas=3.")
        if name in found:
            raise UsageError(f"the constant {name} is given twice: {found[name]} and {value}.")
        found[name] = value
    return found


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str | None) -> int | None:
    """Bytes from 500M or 8G. Raises UsageError."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    if not match:
        raise UsageError(f"{text} is no size of memory: write bytes, or a number with K, M, G or T, such as 8G.")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def _console(stderr: bool = False) -> Console:
    """A console as wide as the terminal; elsewhere lines are as long as they are."""
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=PLAIN_WIDTH)


def main() -> None:
    """Run a command and exit with its code; a user's mistake is one sentence, never a stack trace."""
    try:
        code = commands.main(prog_name="isrcheck", standalone_mode=False)
    except IsrcheckError as error:
        click.echo(f"isrcheck: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("isrcheck: interrupted.", err=True)
        sys.exit(130)
    except Exception as error:  # whatever it is, it must not exit like a verdict
        traceback.print_exc()
        click.echo(f"isrcheck: a fault of isrcheck itself, no verdict: {type(error).__name__}: {error}", err=True)
        sys.exit(70)
    sys.exit(code if isinstance(code, int) else 0)
