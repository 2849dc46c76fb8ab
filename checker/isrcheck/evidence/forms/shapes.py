"""The few shapes of which drawings are made, as SVG text."""

from collections.abc import Iterable
from html import escape

from isrcheck.wrap import plain


def printable(text: str) -> str:
    """A name as XML text: markup shown and not read."""
    return escape(plain(text))


class Canvas:
    """Shapes in the order in which they are drawn."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(self, x: float, y: float, text: str, style: str = "ink", anchor: str = "start") -> None:
        """A line of text."""
        place = f'x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}"'
        self.parts.append(f"<text {place}>{printable(text)}</text>")

    def lines(self, x: float, y: float, texts: Iterable[str], style: str, step: float) -> float:
        """Lines below each other, the first at `y`, and where the next would stand."""
        for text in texts:
            self.text(x, y, text, style)
            y += step
        return y

    def box(self, x: float, y: float, width: float, height: float, style: str, more: str = "") -> None:
        """A rectangle."""
        size = f'width="{width:g}" height="{height:g}"'
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" {size} class="{style}" {more}/>')

    def line(self, x: float, y: float, to_x: float, to_y: float, style: str) -> None:
        """A straight line."""
        self.parts.append(f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" class="{style}"/>')

    def dot(self, x: float, y: float) -> None:
        """Where a message leaves."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.5" class="head"/>')

    def path(self, path: str, style: str) -> None:
        """Any other shape."""
        self.parts.append(f'<path d="{path}" class="{style}"/>')
