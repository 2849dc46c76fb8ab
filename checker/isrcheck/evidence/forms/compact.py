"""The lane drawing at half the height, for a README or a pull request: of each state only what is new."""

from collections.abc import Iterator

from isrcheck.evidence.forms.row import Card, Fact, LogCell, SceneRow
from isrcheck.evidence.forms.scene import Scene
from isrcheck.evidence.forms.shapes import SvgText, box, stroke
from isrcheck.evidence.forms.svg import LETTER, LINE, MARGIN, PAD, SMALL_LETTER, STORY, Sheet
from isrcheck.wrap import wrapped

_CELL_HEIGHT = 20  # pixels: one line of text in each cell


def compact_svg(seen: Scene) -> str:
    """The drawing of a whole trace as an SVG file, with steps in one line and without sentences."""
    return CompactSheet(seen).whole()


class CompactSheet(Sheet):
    """Lays one scene out with low rows: marks above cells on one line, and sets and values only where they change."""

    BAND, BELOW = 18, 6

    def _is_whole(self, row: SceneRow) -> bool:
        return row.number == 0

    def _story(self, parts: list[str], row: SceneRow, y: float) -> float:
        letters = int((STORY - 40) / LETTER)
        parts.append(str(SvgText(MARGIN, y - 2, str(row.number), "soft")))
        lines = [(line, "name") for line in wrapped(row.action, letters)]
        lines += [(line, "ink small") for line in wrapped(row.arguments, letters + 4) if line]
        lines += [(line, "changed small") for line in wrapped(row.truncation, letters) if line]
        for text, style in lines:
            parts.append(str(SvgText(MARGIN + 28, y - 2, text, style)))
            y += LINE - 3
        return y - 6

    def _card(self, parts: list[str], card: Card, x: float, y: float, news: bool) -> float:
        inner: list[str] = []
        y -= 5
        end = y + 4
        if card.cells is not None:
            end = self._log(inner, card, x + PAD, end)
        for strip in card.strips:
            if strip.changed or not news:
                end = self._strip(inner, strip, x + PAD, end - 2) - 2
        facts = tuple(fact for fact in card.facts if fact.before or not (news or fact.value == "none"))
        end = self._facts(inner, facts, x + PAD, end - 2)
        for line in wrapped(card.blame, self.letters) if card.blame else ():
            inner.append(str(SvgText(x + PAD, end + 11, line, "bad small")))
            end += LINE - 3
        style = "card blamed" if card.blame else "news" if news else "card"
        parts.append(box(x, y, self.lane, end + 5 - y, style, 'rx="6"'))
        parts += inner
        return end + 2

    def _log(self, parts: list[str], card: Card, x: float, y: float) -> float:
        """Who leads and the marks on one line, and the cells below it."""
        marks = " · ".join(self._marks(card))
        news = any(flag.changed for flag in card.flags)
        parts.append(str(SvgText(x, y + 10, marks, "changed small" if news else "soft small")))
        y += 14
        cells = card.cells or ()
        for place, cell in enumerate(cells):
            bad, at = cell.state in ("lost", "missing"), x + place * self.cell
            style = (
                "lost" if bad else "slot" if cell.state == "empty" else "cell fresh" if cell.state == "new" else "cell"
            )
            fill = "" if bad or cell.state == "empty" else f'fill="{self._fill(cell.colour)}"'
            parts.append(box(at + 1, y + 1, self.cell - 2, _CELL_HEIGHT - 2, style, fill))
            parts.append(
                str(SvgText(at + self.cell / 2, y + 14, cell.text, "bad small" if bad else "on small", "middle"))
            )
        for flag in card.flags:
            if flag.name != "LEO" and cells:
                at = x + flag.offset * self.cell
                parts.append(stroke(at, y - 2, at, y + _CELL_HEIGHT + 2, "mark"))
        bad_words = ", ".join(dict.fromkeys(cell.state for cell in cells if cell.state in ("lost", "missing")))
        if bad_words:
            parts.append(str(SvgText(x + len(cells) * self.cell + 8, y + 14, bad_words, "bad")))
        return y + (_CELL_HEIGHT + 3 if cells else 0)

    def _cell(self, parts: list[str], cell: LogCell, x: float, y: float) -> None:
        bad = cell.state in ("lost", "missing")
        style = {"empty": "slot", "new": "cell fresh", "kept": "cell"}.get(cell.state, "lost")
        fill = "" if bad or cell.state == "empty" else f'fill="{self._fill(cell.colour)}"'
        parts.append(box(x + 1, y + 1, self.cell - 2, _CELL_HEIGHT - 2, style, fill))
        parts.append(str(SvgText(x + self.cell / 2, y + 14, cell.text, f"{'bad' if bad else 'on'} small", "middle")))

    def _marks(self, card: Card) -> Iterator[str]:
        if card.leads:
            yield "♛ leads"
        yield from (f"{flag.name} {flag.offset}" for flag in card.flags)

    def _fact(self, fact: Fact) -> str:
        return f"{fact.name} {fact.value}"

    def _verdict(self, parts: list[str], y: float) -> float:
        seen = self.seen
        return self._conclusion(parts, [f"{seen.sign} {seen.statement}", *seen.explanation[:4]], y + 4)

    def _head(self, parts: list[str], y: float) -> float:
        for line in wrapped(f"{self.seen.model}: {self.seen.title}", int((self.width - 2 * MARGIN) / 10)):
            y += 18
            parts.append(str(SvgText(MARGIN, y, line, "ink large")))
        return y - 8

    def _legend(self, parts: list[str], y: float) -> float:
        for line in wrapped(self.seen.constants, int((self.width - 2 * MARGIN) / SMALL_LETTER)):
            y += LINE - 4
            parts.append(str(SvgText(MARGIN, y, line, "soft small")))
        return y + MARGIN / 2
