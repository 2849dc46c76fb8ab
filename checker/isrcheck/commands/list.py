"""isrcheck list."""

import click

from isrcheck.catalogue import find_model, known_models
from isrcheck.commands.options import console
from isrcheck.evidence.model_list import print_models
from isrcheck.summaries import summaries


@click.command("list")
@click.argument("model", required=False)
@click.option("--sizes", is_flag=True, help="What each model is lowered to at its default constants.")
def list_models(model: str | None, sizes: bool) -> None:
    """Show the models, or all there is to know about one MODEL (a name, or FILE.py:Class)."""
    screen = console()
    if not model and not sizes:
        print_models(summaries(), screen)
        return
    from isrcheck.evidence.listing import print_model, print_sizes  # here: a plain list reads and lowers no model
    from isrcheck.lang.read import read_model

    if model:
        print_model(model, read_model(find_model(model)), screen)
    else:
        print_sizes(known_models(), screen)
