"""Two lane drawings beside each other, and one at half the height."""

from collections.abc import Sequence

from isrcheck.evidence.forms.row import Card, Fact, LogCell, SceneRow
from isrcheck.evidence.forms.scene import Scene
from isrcheck.evidence.forms.shapes import STYLE, Canvas, printable
from isrcheck.evidence.forms.svg import LINE, MARGIN, PAD, SMALL_LETTER, Sheet
from isrcheck.wrap import wrap

_BETWEEN = 24  # pixels
_LINE = 17

Places = Sequence[int]  # of rows in a scene


def pair_svg(left: Scene, right: Scene, groups: Sequence[tuple[Places, Places]], parting: int | None) -> str:
    """Two drawings as one SVG file; each group of rows begins at one height in both, and `parting` below a rule."""
    halves = (Sheet(left), Sheet(right))
    sides = (Canvas(), Canvas())
    across = Canvas()
    width = halves[0].width + _BETWEEN + halves[1].width
    y = max(half.head(side, MARGIN) for half, side in zip(halves, sides, strict=True))
    y = top = max(half.names(side, y) for half, side in zip(halves, sides, strict=True))
    for number, group in enumerate(groups):
        if number == parting:
            across.line(MARGIN, y + 18, width - MARGIN, y + 18, "gone")
            across.label(width / 2, y + 13, "they differ from here on", "bad", "middle")
            y += 26
        y = max(y, *(_rows(half, side, places, y) for half, side, places in zip(halves, sides, group, strict=True)))
    bottom = y
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
    for name, half, side, at in zip(("left", "right"), halves, sides, (0, halves[0].width + _BETWEEN), strict=True):
        lives = Canvas()
        half.lives(lives, top, bottom)
        steps = (element.replace('<g id="step-', f'<g id="{name}-step-') for element in side.parts)
        body += [f'<g transform="translate({at:g} 0)">', *lives.parts, *steps, "</g>"]
    return "\n".join([head, *body, *across.parts, "</svg>\n"])


def _rows(half: Sheet, canvas: Canvas, places: Places, y: float) -> float:
    for row in (half.scene.rows[place] for place in places):
        y = half.row(canvas, row, y, half.scene.is_whole(row))
    return y


_CELL_HEIGHT = 20  # pixels: a line of text


def compact_svg(drawn: Scene) -> str:
    return CompactSheet(drawn).draw()


class CompactSheet(Sheet):
    """A drawing for side-by-side comparison: sets and values are drawn only in rows where they change."""

    BAND, BELOW = 18, 6
    STEP, TELLS = LINE - 3, False

    def _is_whole(self, row: SceneRow) -> bool:
        return row.number == 0

    def _story(self, canvas: Canvas, row: SceneRow, y: float) -> float:
        return super()._story(canvas, row, y - 2) - 4

    def _card(self, canvas: Canvas, card: Card, x: float, y: float, news: bool) -> float:
        inner = Canvas()
        y -= 5
        end = y + 4
        if card.cells is not None:
            end = self._log(inner, card, x + PAD, end)
        for strip in card.strips:
            if strip.changed or not news:
                end = self._strip(inner, strip, x + PAD, end - 2) - 2
        facts = tuple(fact for fact in card.facts if fact.before or not (news or fact.value == "none"))
        end = self._facts(inner, facts, x + PAD, end - 2)
        blame = wrap(card.blame, self.letters) if card.blame else ()
        end = inner.lines(x + PAD, end + 11, blame, "bad small", LINE - 3) - 11
        style = "card blamed" if card.blame else "news" if news else "card"
        canvas.box(x, y, self.lane, end + 5 - y, style, 'rx="6"')
        canvas.parts += inner.parts
        return end + 2

    def _log(self, canvas: Canvas, card: Card, x: float, y: float) -> float:
        marks = " · ".join(["♛ leads"] * card.leads + [f"{flag.name} {flag.offset}" for flag in card.flags])
        news = any(flag.changed for flag in card.flags)
        canvas.label(x, y + 10, marks, "changed small" if news else "soft small")
        y += 14
        cells = card.cells or ()
        for place, cell in enumerate(cells):
            self._cell(canvas, cell, x + place * self.cell, y)
        for flag in card.flags:
            if flag.name != "LEO" and cells:
                at = x + flag.offset * self.cell
                canvas.line(at, y - 2, at, y + _CELL_HEIGHT + 2, "mark")
        bad_words = ", ".join(dict.fromkeys(cell.state for cell in cells if cell.is_bad))
        if bad_words:
            canvas.label(x + len(cells) * self.cell + 8, y + 14, bad_words, "bad")
        return y + (_CELL_HEIGHT + 3 if cells else 0)

    def _cell(self, canvas: Canvas, cell: LogCell, x: float, y: float) -> None:
        bad = cell.is_bad
        style = {"empty": "slot", "new": "cell fresh", "kept": "cell"}.get(cell.state, "lost")
        fill = "" if bad or cell.state == "empty" else f'fill="{self._fill(cell.colour)}"'
        canvas.box(x + 1, y + 1, self.cell - 2, _CELL_HEIGHT - 2, style, fill)
        canvas.label(x + self.cell / 2, y + 14, cell.name, f"{'bad' if bad else 'on'} small", "middle")

    def _fact(self, fact: Fact) -> str:
        return f"{fact.name} {fact.value}"

    def _verdict(self, canvas: Canvas, y: float) -> float:
        drawn = self.scene
        return self._conclusion(canvas, [f"{drawn.sign} {drawn.statement}", *drawn.explanation[:4]], y + 4)

    def head(self, canvas: Canvas, y: float) -> float:
        return self._title(canvas, y, 18) - 8

    def _legend(self, canvas: Canvas, y: float) -> float:
        lines = wrap(self.scene.constants, int((self.width - 2 * MARGIN) / SMALL_LETTER))
        return canvas.lines(MARGIN, y + LINE - 4, lines, "soft small", LINE - 4) - LINE + 4 + MARGIN / 2
