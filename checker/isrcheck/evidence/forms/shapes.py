"""A style sheet, and shapes as SVG text."""

from collections.abc import Iterable, Iterator
from html import escape

from isrcheck.evidence.forms.scene import Scene
from isrcheck.wrap import plain

# Fills under black text, by Okabe and Ito;
# vermilion is kept for what is lost.
FILLS = ("#56b4e9", "#e69f00", "#3fbf95", "#f0e442", "#cc79a7", "#b8a9e8")
PLAIN_FILL = "#c9d1d9"
_MOST_UNDRAWN = 9  # names of what is not drawn

STYLE = """
.paper{fill:#ffffff}.ink{fill:#1f2328}.soft{fill:#59636e}.name{fill:#1f2328;font-weight:600}
.rule{stroke:#d1d9e0}.life{stroke:#afb8c1;stroke-dasharray:2 4}.card{fill:#f6f8fa;stroke:#d1d9e0}
.dead{stroke:#cf222e;stroke-dasharray:1 9;stroke-width:2}.bold{font-weight:600}
.halo{paint-order:stroke;stroke:#ffffff;stroke-width:4px}
.stopped{fill:#e6e9ed;stroke:#57606a;stroke-dasharray:5 3}
.news{fill:#ffffff;stroke:#1f2328;stroke-width:1.6}.slot{fill:none;stroke:#afb8c1;stroke-dasharray:2 3}
.cell{stroke:#1f2328}.fresh{stroke:#1f2328;stroke-width:2.6}.on{fill:#101418}.lost{fill:#ffebe9;stroke:#cf222e;stroke-width:2.2}
.gone{stroke:#cf222e;stroke-width:1.6}.bad{fill:#cf222e;font-weight:600}.mark{stroke:#0550ae;stroke-width:2.4}
.marked{fill:#0550ae;font-weight:700}.unmarked{fill:#0550ae}.chip{fill:#ddf4ff;stroke:#54aeff}.chipped{fill:#0a3069}.added{stroke:#1f2328;stroke-width:2}
.out{fill:none;stroke:#cf222e;stroke-dasharray:3 2}.changed{fill:#1f2328;font-weight:700}
.used{fill:#54aeff}.over{fill:#cf222e}
.blamed{stroke:#cf222e;stroke-width:2}.shot{stroke:#6639ba;stroke-width:1.8}.open{fill:none;stroke:#6639ba;stroke-width:1.8}.head{fill:#6639ba}.said{fill:#6639ba;font-weight:600}
.told{fill:#1a7f37}.inferred{fill:#9a6700;font-style:italic}
.verdict{fill:#ffebe9;stroke:#cf222e}.reached{fill:#dafbe1;stroke:#1a7f37}
text{font-family:ui-sans-serif,system-ui,"Segoe UI","DejaVu Sans",sans-serif;font-size:12px}
.small{font-size:10.5px}.large{font-size:17px;font-weight:700}
@media (prefers-color-scheme: dark){
.paper{fill:#0d1117}.ink,.name,.changed{fill:#f0f6fc}.soft{fill:#9198a1}.rule,.card{stroke:#3d444d}.life{stroke:#656c76}.dead{stroke:#ff7b72}.halo{stroke:#0d1117}
.card{fill:#151b23}.stopped{fill:#262c36;stroke:#9198a1}.news{fill:#0d1117;stroke:#f0f6fc}.slot{stroke:#656c76}.fresh{stroke:#f0f6fc}.cell{stroke:#0d1117}
.cell.fresh{stroke:#f0f6fc}.lost{fill:#3c1618;stroke:#ff7b72}.gone{stroke:#ff7b72}.bad{fill:#ff7b72}.mark{stroke:#79c0ff}
.marked,.unmarked{fill:#79c0ff}.chip{fill:#0c2d4b;stroke:#1f6feb}.chipped{fill:#cae8ff}.added{stroke:#f0f6fc}.out{stroke:#ff7b72}
.used{fill:#1f6feb}.over{fill:#ff7b72}.shot,.open{stroke:#d2a8ff}.blamed{stroke:#ff7b72}.head,.said{fill:#d2a8ff}.verdict{fill:#3c1618;stroke:#ff7b72}
.told{fill:#3fb950}.inferred{fill:#d29922}.reached{fill:#0f2d1a;stroke:#3fb950}}
"""


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
