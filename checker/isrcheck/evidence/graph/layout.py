"""From Graphviz text to SVG: by the machine's `dot`, or where there is none by the libraries in pygraphviz's wheel."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from isrcheck.errors import UsageError

_BUNDLED = Path(__file__).with_name("bundled.py")


def laid_out(text: str) -> str:
    """The drawing as SVG. Raises UsageError if nothing at hand can lay it out."""
    drawn = _by_dot(text) or by_libraries(text)
    return drawn.decode("utf-8")


def _by_dot(text: str) -> bytes | None:
    """What `dot` on the path makes of it; None if there is none, or it fails."""
    try:
        import graphviz
    except ImportError:
        return None
    try:
        return bytes(graphviz.pipe("dot", "svg", text.encode(), quiet=True))
    except (graphviz.ExecutableNotFound, subprocess.CalledProcessError):
        return None


def by_libraries(text: str) -> bytes:
    """What the libraries in pygraphviz's wheel make of it. Raises UsageError like `laid_out`."""
    if find_spec("pygraphviz") is None:
        raise UsageError(
            "laying out a graph needs the library pygraphviz, which is not installed: pip install 'isrcheck[graph]', "
            "or ask for dot, which is text."
        )
    done = subprocess.run([sys.executable, str(_BUNDLED)], input=text.encode(), capture_output=True, check=False)
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            f"Graphviz could not lay the graph out ({said[-1] if said else 'it said nothing'}): ask for dot or graphml."
        )
    return done.stdout
