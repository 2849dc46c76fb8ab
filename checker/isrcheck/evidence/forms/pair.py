"""Two lane drawings beside each other, aligned by the steps that they share."""

from collections.abc import Iterator, Sequence

from isrcheck.evidence.forms.scene import Scene
from isrcheck.evidence.forms.shapes import printable
from isrcheck.evidence.forms.style import STYLE
from isrcheck.evidence.forms.svg import MARGIN, Sheet
from isrcheck.wrap import wrapped

_BETWEEN = 24  # pixels
_LINE = 17

Places = Sequence[int]  # positions of rows in a scene


class _Half(Sheet):
    """One drawing, laid out a group of rows at a time from a height that is given."""

    def head(self, parts: list[str]) -> float:
        """What the drawing shows, and where that ends."""
        return self._head(parts, MARGIN)

    def names(self, parts: list[str], y: float) -> float:
        """The names of the lanes, and where they end."""
        return self._names(parts, y)

    def group(self, parts: list[str], places: Places, y: float) -> float:
        """Some rows of the drawing, and where they end."""
        for place in places:
            row = self.seen.rows[place]
            y = self._row(parts, row, y, self.seen.is_whole(row))
        return y

    def lives(self, top: float, end: float) -> list[str]:
        """The lifelines of all lanes."""
        return self._lives(top, end)


def pair_svg(left: Scene, right: Scene, groups: Sequence[tuple[Places, Places]], parting: int | None) -> str:
    """The two drawings as one SVG file; group by group they begin at the same height.

    `parting` is the group at which a rule says that they part. Groups of steps have the ids left-step-N, right-step-N.
    """
    halves = (_Half(left), _Half(right))
    sides: tuple[list[str], list[str]] = ([], [])
    across: list[str] = []
    width = halves[0].width + _BETWEEN + halves[1].width
    y = max(half.head(parts) for half, parts in zip(halves, sides, strict=True))
    y = top = max(half.names(parts, y) for half, parts in zip(halves, sides, strict=True))
    for number, group in enumerate(groups):
        if number == parting:
            across += [_rule(y + 18, width), _text(width / 2, y + 13, "they differ from here on", "bad", "middle")]
            y += 26
        ends = [half.group(parts, places, y) for half, parts, places in zip(halves, sides, group, strict=True)]
        y = max(y, *ends)
    bottom = y
    lives = [half.lives(top, bottom) for half in halves]
    for seen in (left, right):
        text = " ".join((f"{seen.model}: {seen.title}.", seen.statement, *seen.explanation))
        for part in wrapped(text, int((width - 2 * MARGIN) / 7)):
            y += _LINE
            across.append(_text(MARGIN, y, part, "bad" if seen.broken else "ink"))
    y += MARGIN
    title = printable(f"{left.model} and {right.model} under one schedule")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{y:g}" viewBox="0 0 {width:g} {y:g}" '
        f'role="img" aria-labelledby="title"><title id="title">{title}</title><style>{STYLE}</style>'
    )
    body = [f'<rect width="{width:g}" height="{y:g}" class="paper"/>']
    for name, parts, lines, at in zip(("left", "right"), sides, lives, _places(halves), strict=True):
        body.append(f'<g transform="translate({at:g} 0)">')
        body += [*lines, *(part.replace('<g id="step-', f'<g id="{name}-step-') for part in parts), "</g>"]
    return "\n".join([head, *body, *across, "</svg>\n"])


def _text(x: float, y: float, text: str, style: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}">{printable(text)}</text>'


def _rule(y: float, width: float) -> str:
    return f'<line x1="{MARGIN}" y1="{y:g}" x2="{width - MARGIN:g}" y2="{y:g}" class="gone"/>'


def _places(halves: tuple[_Half, _Half]) -> Iterator[float]:
    yield 0
    yield halves[0].width + _BETWEEN
