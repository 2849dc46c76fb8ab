"""The list of models as a document."""

from collections.abc import Mapping

from isrcheck.evidence import document as doc


def models_document(summaries: Mapping[str, str]) -> doc.Document:
    """A line each: its name, and what it is."""
    name = doc.Column("model", fixed=True, tone=doc.Tone.STRONG)
    return [doc.Table([name, "what it is"], [[model, summary] for model, summary in summaries.items()])]
