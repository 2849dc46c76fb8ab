"""Two lane drawings beside each other."""

from collections.abc import Sequence

from isrcheck.evidence.forms.cards import MARGIN
from isrcheck.evidence.forms.scene import Scene
from isrcheck.evidence.forms.shapes import STYLE, Canvas, printable
from isrcheck.evidence.forms.svg import Sheet
from isrcheck.wrap import wrap

_BETWEEN = 24  # pixels
_HALF = 500  # of one drawing
_LINE = 17

Places = Sequence[int]  # of rows in a scene


def pair_svg(left: Scene, right: Scene, groups: Sequence[tuple[Places, Places]], parting: int | None) -> str:
    """Two drawings as one SVG file; each group of rows begins at one height in both, and `parting` below a rule."""
    halves = (Sheet(left, wide=_HALF), Sheet(right, wide=_HALF))
    sides = (Canvas(), Canvas())
    across = Canvas()
    width = halves[0].width + _BETWEEN + halves[1].width
    y = max(half.head(side, MARGIN) for half, side in zip(halves, sides, strict=True))
    y = max(half.names(side, y) for half, side in zip(halves, sides, strict=True))
    for number, group in enumerate(groups):
        if number == parting:
            across.line(MARGIN, y + 18, width - MARGIN, y + 18, "gone")
            across.label(width / 2, y + 13, "they differ from here on", "bad", "middle")
            y += 26
        y = max(y, *(_rows(half, side, places, y) for half, side, places in zip(halves, sides, group, strict=True)))
    y += _LINE
    for drawn in (left, right):
        paragraph = " ".join((f"{drawn.heading}.", drawn.statement, *drawn.explanation))
        lines = wrap(paragraph, int((width - 2 * MARGIN) / 7))
        y = across.lines(MARGIN, y, lines, "bad" if drawn.broken else "ink", _LINE)
    y += MARGIN - _LINE
    title = printable(f"{left.model} and {right.model} under one schedule")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{y:g}" viewBox="0 0 {width:g} {y:g}" '
        f'role="img" aria-labelledby="title"><title id="title">{title}</title><style>{STYLE}</style>'
    )
    body = [f'<rect width="{width:g}" height="{y:g}" class="paper"/>']
    for name, side, at in zip(("left", "right"), sides, (0, halves[0].width + _BETWEEN), strict=True):
        steps = (element.replace('<g id="step-', f'<g id="{name}-step-') for element in side.parts)
        body += [f'<g transform="translate({at:g} 0)">', *steps, "</g>"]
    return "\n".join([head, *body, *across.parts, "</svg>\n"])


def _rows(half: Sheet, canvas: Canvas, places: Places, y: float) -> float:
    for row in (half.scene.rows[place] for place in places):
        y = half.row(canvas, row, y, half.is_whole(row))
    return y
