"""Shapes as SVG text."""

from collections.abc import Iterable, Iterator
from html import escape

from isrcheck.evidence.forms.scene import Scene
from isrcheck.wrap import plain

# Fills under black text, by Okabe and Ito;
# vermilion is kept for what is lost.
FILLS = ("#56b4e9", "#e69f00", "#3fbf95", "#f0e442", "#cc79a7", "#b8a9e8")
PLAIN_FILL = "#c9d1d9"
_MOST_UNDRAWN = 9  # names of what is not drawn


def printable(label: str) -> str:
    return escape(plain(label))


class Canvas:
    """Shapes in the order drawn."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def label(self, x: float, y: float, write: str, style: str = "ink", anchor: str = "start") -> None:
        """Write a text, without the backticks of Markdown around names."""
        place = f'x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}"'
        self.parts.append(f"<text {place}>{printable(write.replace('`', ''))}</text>")

    def lines(self, x: float, y: float, texts: Iterable[str], style: str, step: float) -> float:
        for line in texts:
            self.label(x, y, line, style)
            y += step
        return y

    def box(self, x: float, y: float, width: float, height: float, style: str, more: str = "") -> None:
        size = f'width="{width:g}" height="{height:g}"'
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" {size} class="{style}" {more}/>')

    def line(self, x: float, y: float, to_x: float, to_y: float, style: str) -> None:
        self.parts.append(f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" class="{style}"/>')

    def dot(self, x: float, y: float) -> None:
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.5" class="head"/>')

    def path(self, path: str, style: str) -> None:
        self.parts.append(f'<path d="{path}" class="{style}"/>')


def explain(drawn: Scene, has_logs: bool, has_tracks: bool) -> Iterator[str]:
    """The legend of a drawing, for what is in it."""
    cards = [card for row in drawn.all_rows for card in row.cards]
    flags = {flag.name for card in cards for flag in card.flags}
    states = {cell.state for card in cards for cell in card.cells or ()}
    if any(cell.colour for card in cards for cell in card.cells or ()):
        yield f"a cell is a record, with its {drawn.coloured} below it and as its colour"
    elif has_logs:
        yield "a cell is a record"
    if "HW" in flags:
        yield "HW: high watermark"
    if "LEO" in flags:
        yield "LEO: log end offset"
    if any(strip.name == "ISR" for card in cards for strip in card.strips):
        yield "ISR: in-sync replicas; bold when added, crossed out when dropped"
    if any(fact.share is not None for card in cards for fact in card.facts):
        yield f"a bar: how much of {' or '.join(drawn.limits)} a clock has used, red once it is over"
    if states & {"lost", "missing"}:
        yield "red: missing here; lost once a leader is without it, or no log has it"
    if has_tracks:
        yield "an arrow from further up: sent in an earlier step"
    if any(row.log_lines for row in drawn.all_rows):
        yield "green: the line that tells of the step; brown: no line tells of it, it is inferred"
    yield "a dotted line: nothing changed"
    leads = {card.lead for card in cards}
    if "leads by its own mind" in leads:
        yield "by its own mind: it has not read who leads now"
    if "leads on record" in leads:
        yield "on record: elected by the controller, and has not read it"
    if len(drawn.undrawn) <= _MOST_UNDRAWN and drawn.undrawn:
        yield f"not drawn: {', '.join(drawn.undrawn)}"
