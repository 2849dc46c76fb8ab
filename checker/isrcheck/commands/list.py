"""isrcheck list."""

import click

from isrcheck.catalogue import find_model, known_models
from isrcheck.commands.options import console
from isrcheck.evidence import document as doc
from isrcheck.evidence.writers.terminal import print_document
from isrcheck.summaries import summaries


@click.command("list")
@click.argument("model", required=False)
@click.option("--sizes", is_flag=True, help="What each model is lowered to at its default constants.")
def list_models(model: str | None, sizes: bool) -> None:
    """Show the models, or all there is to know about one MODEL (a name, or FILE.py:Class)."""
    if not model and not sizes:
        name = doc.Column("model", fixed=True, tone=doc.Tone.STRONG)
        print_document([doc.Table([name, "what it is"], list(summaries().items()))], console())
        return
    from isrcheck.evidence.model_document import model_document, sizes_document  # here: a plain list reads no model
    from isrcheck.lang.read import read_model

    if model:
        print_document(model_document(model, read_model(find_model(model))), console())
    else:
        print_document(sizes_document(known_models()), console())
