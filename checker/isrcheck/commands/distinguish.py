"""isrcheck distinguish."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import FILE, console, limit_options, parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.progress import ProgressLine
from isrcheck.files import write_aside
from isrcheck.process.budget import budget, phase, poll_by_timer
from isrcheck.run.trace import Trace, read_trace, show_encoded
from isrcheck.schedule import compare as pairs
from isrcheck.schedule.pair import pair_document

_FORMS = ("txt", "md", "html")


@dataclass(frozen=True)
class DistinguishOptions:
    models: tuple[str, str]
    name: str | None
    trace_file: Path | None
    constants: tuple[str, ...]
    engine: str | None
    script: Path | None
    form: str
    output: Path | None
    limits: Limits


@click.command()
@click.argument("models", metavar="A B", nargs=2)
@click.option("--property", "name", metavar="NAME", help="What one violates and the other keeps.")
@click.option("--trace", "trace_file", type=FILE, metavar="FILE", help="A counterexample of A, run under B as well.")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it.")
@click.option("--engine", type=click.Choice(list(pairs.STEPPERS)), help="What searches.  [default: evaluator]")
@click.option("--script", type=FILE, metavar="FILE", help="Write the schedule there, for `isrcheck schedule`.")
@limit_options("states", "seconds", "memory", of="the search")
@click.option(
    "--to", "form", type=click.Choice(_FORMS), default="txt", show_default=True, help="The form of the output."
)
@click.option("-o", "output", type=FILE, metavar="FILE", help="Write it there.")
def distinguish(**given: Any) -> int:
    """Find the shortest schedule on which two models differ.

    A schedule is what the environment does, step by step. With --property it is searched for; with --trace it is that
    of a counterexample. Both models are shown under it side by side (docs/schedules.md).
    """
    options = DistinguishOptions(**given)
    _refuse_clashes(options)
    with budget(options.limits.seconds, options.limits.memory), poll_by_timer():
        if options.trace_file is None:
            return _search(options, options.name or "")
        return _follow(options, read_trace(options.trace_file))


def _refuse_clashes(options: DistinguishOptions) -> None:
    """Require either a property to search for or a trace, and no option of the other. Raises UsageError."""
    if (options.name is None) == (options.trace_file is None):
        raise UsageError("give one of the two: --property NAME searches a schedule, --trace TRACE.json brings one.")
    for option, value in {"-c": options.constants, "--script": options.script, "--engine": options.engine}.items():
        if options.trace_file is not None and value:
            raise UsageError(f"--trace brings its own constants and schedule: leave {option} out.")


def _follow(options: DistinguishOptions, trace: Trace) -> int:
    """Show a counterexample of the first model under the second as well; 20 if cut short."""
    phase("reading the models")
    constants = {name: show_encoded(value) for name, value in trace.constants.items()}
    first, second = pairs.variants_of(options.models, constants)
    phase("running the trace")
    pair = pairs.compare_trace(trace, first, second, options.limits)
    show_document(pair_document(pair), options.form, options.output)
    return 20 if pair.left.run.cut or pair.right.run.cut else 0


def _search(options: DistinguishOptions, name: str) -> int:
    """Search the shortest schedule that distinguishes two models; 20 if cut short."""
    phase("reading the models")
    first, second = pairs.variants_of(options.models, parse_constants(options.constants))
    phase("looking for a schedule")
    with ProgressLine(console(stderr=True)) as progress:
        stepper = options.engine or "evaluator"
        result = pairs.distinguish(first, second, name, limits=options.limits, stepper=stepper, progress=progress)
    if options.script and result.script is not None:
        write_aside(options.script, result.script)
    names = f"{first.name} and {second.name}"
    document = pairs.document_of_distinction(result, name, names)
    if result.pair is None:
        show_document(document)
        return 20 if result.distinction.cut else 0
    show_document(document, options.form, options.output)
    return 0
