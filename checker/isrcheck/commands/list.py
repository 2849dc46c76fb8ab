"""isrcheck list."""

import click

from isrcheck.catalogue import find_model, known_models
from isrcheck.commands.options import console
from isrcheck.evidence.listing import print_model, print_models
from isrcheck.lang.read import read_model


@click.command("list")
@click.argument("model", required=False)
@click.option("--sizes", is_flag=True, help="What each model is lowered to at its default constants.")
def list_models(model: str | None, sizes: bool) -> None:
    """Show the models, or all there is to know about one MODEL (a name, or FILE.py:Class)."""
    screen = console()
    if model:
        print_model(model, read_model(find_model(model)), screen)
    else:
        print_models(known_models(), screen, sizes)
