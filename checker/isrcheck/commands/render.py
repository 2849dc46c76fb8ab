"""isrcheck render."""

from pathlib import Path

import click

from isrcheck.evidence.forms.table import FORMS, rendered
from isrcheck.evidence.trace import read_trace
from isrcheck.files import write_aside


@click.command()
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
