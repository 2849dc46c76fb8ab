"""The forms in which a state graph can be shown, by the word that asks for them."""

from collections.abc import Callable

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.png import png
from isrcheck.evidence.graph.advice import LIMIT, advice
from isrcheck.evidence.graph.dot import dot_text
from isrcheck.evidence.graph.explored import Explored
from isrcheck.evidence.graph.graphml import graphml
from isrcheck.evidence.graph.layout import laid_out
from isrcheck.evidence.graph.view import View

GRAPH_FORMS: dict[str, Callable[[View, float], str | bytes]] = {
    "dot": lambda view, _: dot_text(drawable(view)),
    "svg": lambda view, _: laid_out(dot_text(drawable(view))),
    "png": lambda view, scale: png(laid_out(dot_text(drawable(view))), scale),
    "graphml": lambda view, _: graphml(view),
}
ANY_SIZE = frozenset({"graphml"})


def drawable(view: View) -> View:
    """The view itself. Raises UsageError, with what to ask for instead, if a picture of it could not be read."""
    if len(view.nodes) > LIMIT:
        raise too_many(view.title, len(view.nodes), "groups" if view.grouped else "states", view.cut, view.advice)
    return view


def refuse_to_draw(found: Explored, title: str) -> None:
    """Raises UsageError like `drawable`, before a view of every state is made."""
    if len(found.states) > LIMIT:
        raise too_many(title, len(found.states), "states", found.cut, advice(found))


def too_many(title: str, nodes: int, what: str, cut: str | None, instead: str) -> UsageError:
    """The error for a graph that is too large to be drawn."""
    return UsageError(
        f"{title} has {'at least ' if cut else ''}{nodes:,} {what} to draw, and a picture of more than {LIMIT} "
        f"cannot be read. {f'Try {instead}; ' if instead else ''}--to graphml takes any size."
    )
