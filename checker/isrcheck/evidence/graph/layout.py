"""From Graphviz text to SVG by graphviz-pure, one program in a wheel: it needs no library, no font and no `dot`."""

import subprocess
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.evidence.graph.dot import FONT

_NAME = "graphviz-pure"
_FONTS = f"{FONT},Verdana,sans-serif"  # for whoever shows the picture; the first two are equally wide


def laid_out(text: str) -> str:
    """The drawing as SVG, the same bytes on every machine. Raises UsageError if it cannot be laid out."""
    try:
        done = subprocess.run([program(), "-Tsvg"], input=text.encode(), capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"{_NAME} does not start ({error.strerror}): ask for dot or graphml.") from None
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            f"{_NAME} could not lay the graph out ({said[-1] if said else 'it said nothing'}): ask for dot or graphml."
        )
    return done.stdout.decode("utf-8").replace(f'font-family="{FONT}"', f'font-family="{_FONTS}"')


def program() -> Path:
    """Where pip put the program. Raises UsageError if it did not."""
    try:
        return next(Path(str(file.locate())) for file in files(_NAME) or () if file.stem == _NAME)
    except (PackageNotFoundError, StopIteration):
        raise UsageError(
            f"laying out a graph needs the program {_NAME}, which is not installed though isrcheck depends on it: "
            "ask for dot, which is text, or install isrcheck again."
        ) from None
