"""The few shapes of which drawings are made, as SVG text."""

from dataclasses import dataclass
from html import escape

from isrcheck.wrap import plain


def printable(text: str) -> str:
    """A name as XML text: markup shown and not read."""
    return escape(plain(text))


@dataclass(frozen=True)
class SvgText:
    """A line of text somewhere on the sheet."""

    x: float
    y: float
    text: str
    style: str = "ink"
    anchor: str = "start"

    def __str__(self) -> str:
        return (
            f'<text x="{self.x:g}" y="{self.y:g}" class="{self.style}" text-anchor="{self.anchor}">'
            f"{printable(self.text)}</text>"
        )


def box(x: float, y: float, width: float, height: float, style: str, more: str = "") -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" class="{style}" {more}/>'


def stroke(x: float, y: float, to_x: float, to_y: float, style: str) -> str:
    """A straight line."""
    return f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" class="{style}"/>'
