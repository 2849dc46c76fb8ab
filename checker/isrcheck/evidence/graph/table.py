"""The forms in which a state graph can be shown, by the word that asks for them."""

from collections.abc import Callable

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.png import png
from isrcheck.evidence.forms.wrap import plain
from isrcheck.evidence.graph.advice import LIMIT
from isrcheck.evidence.graph.dot import dot_text
from isrcheck.evidence.graph.graphml import graphml
from isrcheck.evidence.graph.layout import laid_out
from isrcheck.evidence.graph.view import View

GRAPH_FORMS: dict[str, Callable[[View, float], str | bytes]] = {
    "dot": lambda view, _: dot_text(drawable(view)),
    "svg": lambda view, _: laid_out(dot_text(drawable(view))),
    "png": lambda view, scale: png(laid_out(dot_text(drawable(view))), scale),
    "graphml": lambda view, _: graphml(view),
}


def drawable(view: View) -> View:
    """The view itself. Raises UsageError, with what to ask for instead, if a picture of it could not be read."""
    if len(view.nodes) <= LIMIT:
        return view
    at_least = "at least " if view.cut else ""
    what = "groups" if view.grouped else "states"
    instead = f"Try {view.advice}; " if view.advice else ""
    raise UsageError(
        f"{plain(view.title)} has {at_least}{len(view.nodes):,} {what} to draw, and a picture of more than {LIMIT} "
        f"cannot be read. {instead}--to graphml takes any size."
    )
