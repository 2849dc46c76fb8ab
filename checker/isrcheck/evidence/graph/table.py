"""The forms of a state graph."""

import subprocess
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.evidence.graph.dot import FONT, dot_text
from isrcheck.evidence.graph.explored import LIMIT, View

_NAME = "graphviz-pure"
_FONTS = f"{FONT},Verdana,sans-serif"  # for whoever shows the picture; the first two are equally wide

GRAPH_FORMS: dict[str, Callable[[View], str]] = {
    "dot": lambda view: dot_text(drawable(view)),
    "svg": lambda view: lay_out(dot_text(drawable(view))),
}


def drawable(view: View) -> View:
    """The view itself. Raises UsageError if it is too large to draw."""
    refuse_to_draw(view.title, len(view.nodes), "groups" if view.grouped else "states", view.cut, view.advice)
    return view


def refuse_to_draw(title: str, nodes: int, what: str, cut: str | None, instead: str) -> None:
    if nodes > LIMIT:
        raise UsageError(
            f"{title} has {'at least ' if cut else ''}{nodes:,} {what} to draw, and a picture of more than {LIMIT} "
            f"cannot be read. {f'Try {instead}. ' if instead else ''}--to parquet takes any size."
        )


def lay_out(dot: str) -> str:
    """SVG, the same bytes on every machine. Raises UsageError."""
    try:
        done = subprocess.run([program(), "-Tsvg"], input=dot.encode(), capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"{_NAME} does not start ({error.strerror}): ask for dot.") from None
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            f"{_NAME} could not lay the graph out ({said[-1] if said else 'it said nothing'}): ask for dot."
        )
    return done.stdout.decode("utf-8").replace(f'font-family="{FONT}"', f'font-family="{_FONTS}"')


def program() -> Path:
    """The path of the program that pip installed. Raises UsageError without it."""
    try:
        return next(Path(str(file.locate())) for file in files(_NAME) or () if file.stem == _NAME)
    except (PackageNotFoundError, StopIteration):
        raise UsageError(
            f"laying out a graph needs the program {_NAME}, which is not installed though isrcheck depends on it: "
            "ask for dot, which is text, or install isrcheck again."
        ) from None
