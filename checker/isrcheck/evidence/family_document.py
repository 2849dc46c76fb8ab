"""Families of models as documents; nothing here reads a model."""

from collections.abc import Mapping

from isrcheck.evidence import document as doc
from isrcheck.summaries import Family

_NAME = doc.Column(fixed=True, tone=doc.Tone.STRONG)


def families_document(families: Mapping[str, Family]) -> doc.Document:
    """Return a line for each family, and the commands that say more."""
    rows = [(f"{name} ({len(family.models)})", family.sentence) for name, family in families.items()]
    name, family = next(iter(families.items()))
    return [doc.Table([_NAME, ""], rows), _commands({f"isrcheck list {name}": "the models of a family"}, family)]


def family_document(name: str, family: Family) -> doc.Document:
    """Return the models of a family, each with its sentence."""
    heading = doc.Heading((doc.strong(name), f": {family.sentence}"), 1)
    return [heading, doc.Table([_NAME, ""], list(family.models.items())), _commands({}, family)]


def _commands(first: Mapping[str, str], family: Family) -> doc.Table:
    """Return lines to copy: those that come first, and two for the first model of a family."""
    model = next(iter(family.models))
    more = {f"isrcheck list {model}": "one model", f"isrcheck check {model}": "its verdict"}
    return doc.Table([doc.Column(fixed=True), ""], [*first.items(), *more.items()])
