"""isrcheck distinguish."""

from pathlib import Path

import click

from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import FILE, console, limit_options, parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.evidence.progress import ProgressLine
from isrcheck.files import write_aside
from isrcheck.process.budget import budget, phase, poll_by_timer
from isrcheck.schedule import compare as pairs

_FORMS = ("txt", "md", "html")


@click.command()
@click.argument("models", metavar="A B", nargs=2)
@click.option("--property", "name", required=True, metavar="NAME", help="What one violates and the other keeps.")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it.")
@click.option("--script", type=FILE, metavar="FILE", help="Write the schedule there, for `isrcheck schedule`.")
@limit_options("states", "seconds", "memory", of="the search")
@click.option(
    "--to", "form", type=click.Choice(_FORMS), default="txt", show_default=True, help="The form of the output."
)
@click.option("-o", "output", type=FILE, metavar="FILE", help="Write it there.")
def distinguish(
    models: tuple[str, str],
    name: str,
    constants: tuple[str, ...],
    script: Path | None,
    form: str,
    output: Path | None,
    limits: Limits,
) -> int:
    """Find the shortest schedule on which two models differ.

    A schedule is what the environment does, step by step. Both models are shown under it side by side
    (docs/schedules.md).
    """
    with budget(limits.seconds, limits.memory), poll_by_timer():
        phase("reading the models")
        first, second = pairs.variants_of(models, parse_constants(constants))
        phase("looking for a schedule")
        with ProgressLine(console(stderr=True)) as progress:
            result = pairs.distinguish(first, second, name, most=limits.states, progress=progress)
        if script and result.script is not None:
            write_aside(script, result.script)
        document = pairs.document_of_distinction(result, name, f"{first.name} and {second.name}")
        if result.pair is None:
            show_document(document)
            return 20 if result.distinction.cut else 0
        show_document(document, form, output)
        return 0
