"""The cards of a drawing: what one lane holds in one state."""

from isrcheck.evidence.forms.row import Card, Fact, Flag, LogCell, Strip
from isrcheck.evidence.forms.scene import Scene
from isrcheck.evidence.forms.shapes import FILLS, PLAIN_FILL, Canvas
from isrcheck.wrap import columns, wrap

WIDE = 800  # pixels of a drawing, if its lanes leave a choice: a page of GitHub shows so many
MARGIN = 14  # pixels around everything
GAP = 10  # between lanes
NARROWEST = 150  # of a lane
PAD = 8  # inside a card
CELL, CELL_HEIGHT = 24, 22
LINE = 16  # of small text
_BESIDE = 54  # beside the cells: "missing", or marks
LETTER = 6.7  # at 12 pixels, at the most
SMALL_LETTER = 6.1  # at 10.5 pixels
BOLD_SMALL_LETTER = 7.2  # at 10.5 pixels: DejaVu Sans Bold, of the fonts of the style sheet the widest


class CardSheet:
    """Lays the cards of a scene out in lanes."""

    def __init__(self, drawn: Scene) -> None:
        self.scene = drawn
        cards = [card for row in drawn.all_rows for card in row.cards]
        self.gap: float = GAP
        self.slots = max((len(card.cells) for card in cards if card.cells is not None), default=0)
        lengthy = max((columns(cell.name) for card in cards for cell in card.cells or ()), default=1)
        self.cell = min(120, max(CELL, lengthy * SMALL_LETTER + 4))
        self.own = max(self._after_log + 2 * PAD + _BESIDE, *(columns(n) * 8 + 30 for n in drawn.lanes))
        self.fills: dict[str, str] = {}

    @property
    def lane(self) -> float:
        """The width of a lane, in pixels."""
        lanes = len(self.scene.lanes)
        return max(NARROWEST, self.own, (WIDE - 2 * MARGIN - (lanes - 1) * self.gap) / lanes)

    @property
    def letters(self) -> int:
        return int((self.lane - 2 * PAD) / LETTER)

    def card(self, canvas: Canvas, card: Card, x: float, y: float, news: bool, brief: bool) -> float:
        """Draw a card; a `brief` one has what is new alone."""
        inner, end = Canvas(), y + 4
        has_log = card.cells is not None and (not brief or card.has_new_log)
        longest = max(columns(card.heading) * BOLD_SMALL_LETTER, self._wide_marks(card))
        is_beside = has_log and self._after_log + longest <= self.lane - 2 * PAD
        if card.heading and not is_beside:
            lines = wrap(card.heading, int((self.lane - 2 * PAD) / BOLD_SMALL_LETTER))
            end = inner.lines(x + PAD, end + 11, lines, "name small", LINE - 1) - 11
        if has_log:
            end = self._log(inner, card, x + PAD, end, card.heading if is_beside else "")
        for strip in card.strips:
            if (strip.changed and not card.stopped) or not brief:
                end = self._strip(inner, strip, x + PAD, end - 1) - 1
        known = () if brief and card.stopped else card.facts
        facts = tuple(fact for fact in known if fact.before or not (brief or fact.value in ("none", "[]")))
        end = self._facts(inner, facts, x + PAD, end - 2)
        blame = wrap(card.blame, self.letters) if card.blame else ()
        end = inner.lines(x + PAD, end + 11, blame, "bad small", LINE - 3) - 11
        style = "card blamed" if card.blame else "card stopped" if card.stopped else "news" if news else "card"
        canvas.box(x, y, self.lane, max(end + 4 - y, 10), style, 'rx="6"')
        canvas.parts += inner.parts
        return end + 4

    @property
    def _after_log(self) -> float:
        return self.slots * self.cell + 7

    def _log(self, canvas: Canvas, card: Card, x: float, y: float, heading: str) -> float:
        """Draw a log, and beside it who leads and the marks."""
        cells = card.cells or ()
        for place in range(self.slots):
            if place < len(cells):
                self._cell(canvas, cells[place], x + place * self.cell, y)
            else:
                canvas.box(x + place * self.cell + 1, y + 1, self.cell - 2, CELL_HEIGHT - 2, "slot")
        for flag in card.flags:
            if flag.name != "LEO":
                end = x + min(flag.offset, self.slots) * self.cell
                canvas.line(end, y - 2, end, y + CELL_HEIGHT + 2, "mark")
        if heading:
            canvas.label(x + self._after_log, y + 9, heading, "name small")
        is_one_line = self._after_log + self._wide_marks(card) <= self.lane - 2 * PAD
        top = y + (21 if heading else 15 if is_one_line else 9)
        low = self._write_marks(canvas, card, (x + self._after_log, top), is_one_line)
        return max(y + CELL_HEIGHT, low) + 3

    def _write_marks(self, canvas: Canvas, card: Card, place: tuple[float, float], is_one_line: bool) -> float:
        at, y = place
        for label, style in _marks_of(card):
            canvas.label(at, y, label, style)
            at, y = (at + columns(label) * BOLD_SMALL_LETTER + 8, y) if is_one_line else (at, y + 12)
        return y if is_one_line else y - 12

    def _wide_marks(self, card: Card) -> float:
        return sum(columns(label) * BOLD_SMALL_LETTER + 8 for label, _ in _marks_of(card))

    def _cell(self, canvas: Canvas, cell: LogCell, x: float, y: float) -> None:
        if cell.state == "empty":
            canvas.box(x + 1, y + 1, self.cell - 2, CELL_HEIGHT - 2, "slot")
            return
        bad = cell.is_bad
        style = "lost" if bad else "cell fresh" if cell.state == "new" else "cell"
        canvas.box(
            x + 1, y + 1, self.cell - 2, CELL_HEIGHT - 2, style, "" if bad else f'fill="{self._fill(cell.colour)}"'
        )
        if bad:
            canvas.line(x + 3, y + CELL_HEIGHT - 3, x + self.cell - 3, y + 3, "gone")
        canvas.label(x + self.cell / 2, y + 15, cell.name, f"{'bad' if bad else 'on'} small", "middle")

    def _fill(self, colour: str) -> str:
        if not colour:
            return PLAIN_FILL
        place = int(colour) if colour.isdecimal() and len(colour) < 9 else len(self.fills)
        return self.fills.setdefault(colour, FILLS[place % len(FILLS)])

    def _strip(self, canvas: Canvas, strip: Strip, x: float, y: float) -> float:
        canvas.label(x, y + 13, strip.name, "changed small" if strip.changed else "soft small")
        at = x + columns(strip.name) * (BOLD_SMALL_LETTER if strip.changed else SMALL_LETTER) + 8
        for member, how in strip.members:
            width = columns(member) * SMALL_LETTER + 12
            if at + width > x + self.lane - 2 * PAD and at > x:
                at, y = x, y + LINE + 3
            style = {"kept": "chip", "added": "chip added", "dropped": "out"}[how]
            canvas.box(at, y + 1, width, LINE - 1, style, 'rx="8"')
            ink = "bad small" if how == "dropped" else "chipped small"
            canvas.label(at + width / 2, y + 13, member, ink, "middle")
            if how == "dropped":
                canvas.line(at + 3, y + 9, at + width - 3, y + 9, "gone")
            at += width + 4
        if not strip.members:
            canvas.label(at, y + 13, "nobody", "soft small")
        return y + LINE + 3

    def _facts(self, canvas: Canvas, facts: tuple[Fact, ...], x: float, y: float) -> float:
        at, low = x, y
        for fact in facts:
            change = f"{fact.before} → {fact.value}" if fact.before else fact.value
            lines = wrap(f"{fact.name} {change}", self.letters)
            width = columns(lines[0]) * (LETTER if fact.before else SMALL_LETTER) + 12
            if at > x and (len(lines) > 1 or at + width > x + self.lane - PAD):
                at, low = x, low + LINE - 2
            style = "changed small" if fact.before else "soft small"
            low = canvas.lines(at, low + 12, lines, style, LINE - 2) - 12 - (LINE - 2)
            at += width
            if fact.share is not None:
                at, low = x + self.lane, self._gauge(canvas, fact.share, x, low)
        return low + (LINE - 2 if facts else 0)

    def _gauge(self, canvas: Canvas, share: float, x: float, y: float) -> float:
        room = self.lane - 2 * PAD
        canvas.box(x, y + LINE, room, 5, "slot")
        canvas.box(x, y + LINE, room * min(max(share, 0), 1), 5, "over" if share > 1 else "used")
        return y + 7


def _marks_of(card: Card) -> list[tuple[str, str]]:
    """The texts beside a log, each with its style: what is wrong, the high watermark, the log end."""
    cells = card.cells or ()
    bad = ", ".join(dict.fromkeys(cell.state for cell in cells if cell.is_bad))
    instead = ", ".join(cell.instead for cell in cells if cell.instead)
    marks = [(words, "bad small") for words in (bad, instead and f"has {instead}") if words]
    return marks + [(f"{f.name} {f.offset}", _style_of(f)) for f in card.flags if not bad or f.name == "LEO"]


def _style_of(flag: Flag) -> str:
    if flag.name == "LEO":
        return "changed small" if flag.changed else "soft small"
    return "marked small" if flag.changed else "unmarked small"
