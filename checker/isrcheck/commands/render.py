"""isrcheck render."""

from pathlib import Path

import click

from isrcheck.commands.deliver import hand_over
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.png import SCALE
from isrcheck.evidence.forms.table import FORMS, PICTURES, pictured, rendered
from isrcheck.evidence.trace import read_trace


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice([*FORMS, *PICTURES]), required=True, help="The form to render.")
@click.option("--scale", type=click.FloatRange(0.1, 10), help=f"Size of a PNG; {SCALE:g} if not given.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write there instead of standard output.")
def render(trace: Path, form: str, scale: float | None, output: Path | None) -> None:
    """Show a TRACE that check wrote with --trace-dir."""
    if form in PICTURES:
        hand_over(pictured(read_trace(trace), form, scale or SCALE), form, output)
        return
    if scale is not None:
        raise UsageError(f"--scale is the size of a PNG; {form} has none: leave --scale out, or write --to png.")
    hand_over(rendered(read_trace(trace), form), form, output)
