"""The lane drawing as SVG: lanes side by side, time downwards, and only what changed drawn in full."""

from collections.abc import Iterator

from isrcheck.evidence.forms.mail import Mail
from isrcheck.evidence.forms.row import Card, Fact, LogCell, SceneRow, Shot, Strip
from isrcheck.evidence.forms.scene import FOLLOWS, Scene
from isrcheck.evidence.forms.shapes import SvgText, box, printable, stroke
from isrcheck.evidence.forms.style import FILLS, PLAIN_FILL, STYLE
from isrcheck.wrap import columns, wrapped

MARGIN, STORY = 16, 268  # pixels: around everything, and the column that tells the steps
GAP, PAD = 14, 9  # between lanes, and inside a card
CELL, CELL_HEIGHT = 36, 32
LINE = 17  # of small text
LETTER, SMALL_LETTER = 6.7, 6.1  # a letter at 12 and at 10.5 pixels, on the safe side


def svg(seen: Scene) -> str:
    """The drawing of a whole trace, as an SVG file. Each step is a group, step-N; step-0 is the initial state."""
    return Sheet(seen).whole()


def step_svgs(seen: Scene) -> Iterator[str]:
    """A drawing of each state by itself, all lanes in full, to be part of a page."""
    sheet = Sheet(seen)
    return (sheet.state(row) for row in (*seen.rows, *seen.follows))


class Sheet:
    """Lays one scene out, top to bottom."""

    BAND, BELOW = 22, 10  # pixels from a row's rule to its messages, and below its lowest card

    def __init__(self, seen: Scene) -> None:
        self.seen = seen
        cards = [card for row in (*seen.rows, *seen.follows) for card in row.cards]
        self.mail = Mail()  # empty: messages are drawn where they arrive
        self.gap = GAP
        self.slots = max((len(card.cells) for card in cards if card.cells is not None), default=0)
        lengthy = max((columns(cell.label) for card in cards for cell in card.cells or ()), default=1)
        self.cell = min(120, max(CELL, lengthy * 7 + 10))
        self.lane = max(196, self.slots * self.cell + 2 * PAD + 58, *(columns(n) * 8 + 40 for n in seen.lanes))
        self.letters = int((self.lane - 2 * PAD) / LETTER)
        self.fills: dict[str, str] = {}

    @property
    def width(self) -> float:
        """How wide the drawing is, in pixels."""
        return 2 * MARGIN + STORY + len(self.seen.lanes) * (self.lane + self.gap)

    def whole(self) -> str:
        """The file: head, steps, verdict, legend."""
        parts: list[str] = []
        self.mail = Mail((*self.seen.rows, *self.seen.follows))
        self.gap = GAP + self.mail.room
        y = top = self._names(parts, self._head(parts, MARGIN))
        for row in self.seen.rows:
            y = self._row(parts, row, y, self._is_whole(row))
        lives = self._lives(top, y)
        y = self._verdict(parts, y)
        if self.seen.follows:
            y = self._follows(parts, lives, y)
        y = self._legend(parts, y)
        lives += self.mail.lines()
        title = printable(f"{self.seen.model}: {self.seen.title}")
        about = printable(" ".join((self.seen.verdict, *self.seen.explanation)))
        names = f'<title id="title">{title}</title><desc id="about">{about}</desc>\n<style>{STYLE}</style>'
        size = f'width="{self.width:g}" height="{y:g}" viewBox="0 0 {self.width:g} {y:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title about">'
        return "\n".join([head, names, box(0, 0, self.width, y, "paper"), *lives, *parts, "</svg>\n"])

    def state(self, row: SceneRow) -> str:
        """One state, all lanes in full, without the column that tells the story and without its style sheet."""
        parts: list[str] = []
        left = MARGIN + STORY
        top = self._names(parts, 0)
        for line in wrapped(row.truncation, int((self.width - left) / LETTER)) if row.truncation else ():
            parts.append(str(SvgText(left + self.gap, top + 2, line, "changed small")))
            top += LINE
        y = self._row(parts, row, top, True)
        about = printable(f"Step {row.number}: {row.action} {row.arguments}" if row.number else row.action)
        size = f'width="{self.width - left:g}" height="{y:g}" viewBox="{left:g} 0 {self.width - left:g} {y:g}"'
        inside = "".join([*self._lives(top, y), *parts])
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{about}">{inside}</svg>'

    def _is_whole(self, row: SceneRow) -> bool:
        """Whether all lanes of a row are drawn."""
        return self.seen.is_whole(row)

    def _lives(self, top: float, end: float) -> list[str]:
        """The lifelines of all lanes."""
        return [stroke(self._middle(i), top, self._middle(i), end, "life") for i in range(len(self.seen.lanes))]

    def _left(self, lane: int) -> float:
        return MARGIN + STORY + lane * (self.lane + self.gap) + self.gap

    def _middle(self, lane: int) -> float:
        return self._left(lane) + self.lane / 2

    # The head

    def _head(self, parts: list[str], y: float) -> float:
        seen = self.seen
        for line in wrapped(f"{seen.model}: {seen.title}", int((self.width - 2 * MARGIN) / 10)):
            y += 20
            parts.append(str(SvgText(MARGIN, y, line, "ink large")))
        lines = [(line, "soft") for line in wrapped(seen.statement, self._wide)]
        lines += [(line, "bad") for text in seen.explanation[:1] for line in wrapped(text, self._wide)]
        for line, style in lines:
            y += LINE
            parts.append(str(SvgText(MARGIN, y, line, style)))
        return y

    def _names(self, parts: list[str], y: float) -> float:
        """The names of the lanes, above them."""
        y += 30
        parts += [str(SvgText(self._middle(i), y, n, "name large", "middle")) for i, n in enumerate(self.seen.lanes)]
        return y + 14

    @property
    def _wide(self) -> int:
        return int((self.width - 2 * MARGIN) / LETTER)

    # Rows

    def _row(self, parts: list[str], row: SceneRow, y: float, all_lanes: bool) -> float:
        parts.append(f'<g id="step-{row.number}">')
        parts.append(stroke(MARGIN, y, self.width - MARGIN, y, "rule"))
        told = self._story(parts, row, y + 20)
        if row.shot or self.mail.leaves(row.number):
            y = self._messages(parts, row, y + self.BAND)
        lowest = y
        for lane, card in enumerate(row.cards):
            if all_lanes or card.changed or card.blame:
                news = card.changed and row.number > 0
                lowest = max(lowest, self._card(parts, card, self._left(lane), y + 10, news))
        parts.append("</g>")
        return max(told, lowest + self.BELOW)

    def _story(self, parts: list[str], row: SceneRow, y: float) -> float:
        letters = int((STORY - 40) / LETTER)
        parts.append(str(SvgText(MARGIN, y, str(row.number), "soft")))
        lines = [(line, "name") for line in wrapped(row.action, letters)]
        lines += [(line, "ink small") for line in wrapped(row.arguments, letters + 4) if line]
        lines += [(line, "changed small") for line in wrapped(row.truncation, letters) if line]
        lines += [(line, "soft small") for line in wrapped(row.sentence, letters + 5) if line]
        for text, style in lines:
            parts.append(str(SvgText(MARGIN + 28, y, text, style)))
            y += LINE - 2
        return y

    def _messages(self, parts: list[str], row: SceneRow, y: float) -> float:
        """The message of a row, and where those leave that arrive further down."""
        for source, is_right in self.mail.leaves(row.number):
            x = self._gutter(row.number, source, is_right)
            parts.append(stroke(self._middle(source), y, x, y, "shot"))
            parts.append(f'<circle cx="{self._middle(source):g}" cy="{y:g}" r="3.5" class="head"/>')
            self.mail.starts(row.number, source, is_right, x, y)
        if row.shot and row.shot.leaves:
            self._leaving(parts, row.shot, y)
        elif row.shot and self.mail.has(row.shot):
            self._arriving(parts, row.shot, y)
        elif row.shot:
            self._shot(parts, row.shot, y)
        return y + 2

    def _gutter(self, number: int, source: int, is_right: bool) -> float:
        """Where between the lanes a message waits."""
        edge = self._left(source) + self.lane if is_right else self._left(source)
        return edge + (1 if is_right else -1) * self.mail.track(number, source, is_right)

    def _leaving(self, parts: list[str], shot: Shot, y: float) -> None:
        way = 1 if shot.target > shot.source else -1
        start, end = self._middle(shot.source), self._middle(shot.source) + way * (self.lane + GAP) / 2
        parts.append(stroke(start, y, end - way * 4, y, "shot"))
        parts.append(f'<circle cx="{start:g}" cy="{y:g}" r="3.5" class="head"/>')
        parts.append(
            f'<path d="M{end - way * 11:g} {y - 5.5:g}L{end:g} {y:g}L{end - way * 11:g} {y + 5.5:g}" class="open"/>'
        )
        parts.append(str(SvgText((start + end) / 2, y - 6, shot.text, "said small", "middle")))

    def _arriving(self, parts: list[str], shot: Shot, y: float) -> None:
        """A message that has waited: it comes down between the lanes."""
        assert shot.sent is not None
        way = 1 if shot.target > shot.source else -1
        x, end = self._gutter(shot.sent, shot.source, way > 0), self._middle(shot.target)
        self.mail.ends(shot, y)
        parts.append(stroke(x, y, end - way * 9, y, "shot"))
        parts.append(f'<path d="M{end:g} {y:g}l{-way * 11:g} -5.5v11z" class="head"/>')
        free = self._left(shot.source + way) + (0 if way > 0 else self.lane)  # beyond all tracks
        parts.append(str(SvgText(free, y - 6, shot.caption, "said small", "start" if way > 0 else "end")))

    def _shot(self, parts: list[str], shot: Shot, y: float) -> None:
        start, end = self._middle(shot.source), self._middle(shot.target)
        way = 1 if end > start else -1
        parts.append(stroke(start, y, end - way * (9 if shot.text else 0), y, "shot"))
        parts.append(f'<circle cx="{start:g}" cy="{y:g}" r="3.5" class="head"/>')
        if shot.text:
            parts.append(f'<path d="M{end:g} {y:g}l{-way * 11:g} -5.5v11z" class="head"/>')
            parts.append(str(SvgText((start + end) / 2, y - 6, shot.caption, "said small", "middle")))
        else:
            parts.append(f'<circle cx="{end:g}" cy="{y:g}" r="3.5" class="head"/>')

    # Cards

    def _card(self, parts: list[str], card: Card, x: float, y: float, news: bool) -> float:
        inner: list[str] = []
        end = y + PAD
        if card.leads:
            inner.append(str(SvgText(x + PAD, end + 11, "♛ leads", "name")))
            end += LINE
        if card.cells is not None:
            end = self._cells(inner, card, x + PAD, end)
        for strip in card.strips:
            end = self._strip(inner, strip, x + PAD, end)
        end = self._facts(inner, card.facts, x + PAD, end)
        for line in wrapped(card.blame, self.letters) if card.blame else ():
            inner.append(str(SvgText(x + PAD, end + 12, line, "bad small")))
            end += LINE - 3
        end += PAD - 3
        style = "card blamed" if card.blame else "news" if news else "card"
        parts.append(box(x, y, self.lane, end - y, style, 'rx="7"'))
        parts += inner
        return end

    def _cells(self, parts: list[str], card: Card, x: float, y: float) -> float:
        cells = card.cells or ()
        y += LINE - 3
        parts += [
            box(x + slot * self.cell, y, self.cell, CELL_HEIGHT, "slot") for slot in range(len(cells), self.slots)
        ]
        for place, cell in enumerate(cells):
            self._cell(parts, cell, x + place * self.cell, y)
        self._flags(parts, card, x, y)
        bad = ", ".join(dict.fromkeys(cell.state for cell in cells if cell.state in ("lost", "missing")))
        if bad:
            parts.append(str(SvgText(x + self.slots * self.cell + 8, y + 14, bad, "bad")))
            instead = ", ".join(cell.instead for cell in cells if cell.instead)
            if instead:
                parts.append(str(SvgText(x + self.slots * self.cell + 8, y + 28, f"has {instead}", "soft small")))
        return y + CELL_HEIGHT + LINE

    def _cell(self, parts: list[str], cell: LogCell, x: float, y: float) -> None:
        middle, bad = x + self.cell / 2, cell.state in ("lost", "missing")
        if cell.state == "empty":
            parts.append(box(x, y, self.cell, CELL_HEIGHT, "slot"))
            return
        style = "lost" if bad else "cell fresh" if cell.state == "new" else "cell"
        fill = "" if bad else f'fill="{self._fill(cell.colour)}"'
        inset = 1.5 if bad or cell.state == "new" else 0.5
        parts.append(box(x + inset, y + inset, self.cell - 2 * inset, CELL_HEIGHT - 2 * inset, style, fill))
        if bad:
            parts.append(stroke(x + 3, y + CELL_HEIGHT - 3, x + self.cell - 3, y + 3, "gone"))
        ink = "bad" if bad else "on"
        parts.append(str(SvgText(middle, y + (14 if cell.colour else 20), cell.label, ink, "middle")))
        if cell.colour:
            parts.append(str(SvgText(middle, y + 27, cell.under, f"{ink} small", "middle")))

    def _fill(self, colour: str) -> str:
        if not colour:
            return PLAIN_FILL
        place = int(colour) if colour.isdecimal() and len(colour) < 9 else len(self.fills)
        return self.fills.setdefault(colour, FILLS[place % len(FILLS)])

    def _flags(self, parts: list[str], card: Card, x: float, y: float) -> None:
        """Marks above the cells, the log end below them, each at the edge that it means."""
        for flag in card.flags:
            at = x + min(flag.offset, self.slots) * self.cell
            style = "changed small" if flag.changed else "soft small"
            if flag.name == "LEO":
                parts.append(str(SvgText(at, y + CELL_HEIGHT + 12, f"LEO {flag.offset}", style, self._side(at, x))))
            else:
                style = "marked small" if flag.changed else "unmarked small"
                parts.append(stroke(at, y - 4, at, y + CELL_HEIGHT + 2, "mark"))
                parts.append(str(SvgText(at, y - 5, f"{flag.name} {flag.offset}", style, self._side(at, x))))

    def _side(self, at: float, left: float) -> str:
        return "start" if at == left else "middle"

    def _strip(self, parts: list[str], strip: Strip, x: float, y: float) -> float:
        parts.append(str(SvgText(x, y + 13, strip.name, "changed small" if strip.changed else "soft small")))
        at = x + columns(strip.name) * SMALL_LETTER + 8
        for member, how in strip.members:
            width = columns(member) * SMALL_LETTER + 12
            if at + width > x + self.lane - 2 * PAD and at > x:
                at, y = x, y + LINE + 3
            style = {"kept": "chip", "added": "chip added", "dropped": "out"}[how]
            parts.append(box(at, y + 1, width, LINE - 1, style, 'rx="8"'))
            ink = "bad small" if how == "dropped" else "chipped small"
            parts.append(str(SvgText(at + width / 2, y + 13, member, ink, "middle")))
            if how == "dropped":
                parts.append(stroke(at + 3, y + 9, at + width - 3, y + 9, "gone"))
            at += width + 4
        if not strip.members:
            parts.append(str(SvgText(at, y + 13, "nobody", "soft small")))
        return y + LINE + 4

    def _facts(self, parts: list[str], facts: tuple[Fact, ...], x: float, y: float) -> float:
        """Named values one after the other, as many on a line as there is room for."""
        at, low = x, y
        for fact in facts:
            lines = wrapped(self._fact(fact), self.letters)
            width = columns(lines[0]) * (LETTER if fact.before else SMALL_LETTER) + 12
            if at > x and (len(lines) > 1 or at + width > x + self.lane - PAD):
                at, low = x, low + LINE - 2
            style = "changed small" if fact.before else "soft small"
            parts += [str(SvgText(at, low + 12 + i * (LINE - 2), line, style)) for i, line in enumerate(lines)]
            at, low = at + width, low + (len(lines) - 1) * (LINE - 2)
            if fact.share is not None:
                at, low = x + self.lane, self._gauge(parts, fact.share, x, low)
        return low + (LINE - 2 if facts else 0)

    def _fact(self, fact: Fact) -> str:
        return f"{fact.name} {fact.before} → {fact.value}" if fact.before else f"{fact.name} {fact.value}"

    def _gauge(self, parts: list[str], share: float, x: float, y: float) -> float:
        """A bar below a clock's text, full where its limit is reached."""
        room = self.lane - 2 * PAD
        parts.append(box(x, y + LINE, room, 5, "slot"))
        parts.append(box(x, y + LINE, room * min(max(share, 0), 1), 5, "over" if share > 1 else "used"))
        return y + 7

    # The foot

    def _verdict(self, parts: list[str], y: float) -> float:
        seen = self.seen
        texts = (seen.statement, *seen.explanation[:4])
        return self._conclusion(parts, [f"{seen.sign} {seen.ending}", *texts], y + 6)

    def _follows(self, parts: list[str], lives: list[str], y: float) -> float:
        """What can follow, below the verdict: not a part of the trace."""
        parts.append(str(SvgText(MARGIN, y + 14, FOLLOWS, "name")))
        y = top = y + 26
        for row in self.seen.follows:
            y = self._row(parts, row, y, False)
        lives += self._lives(top, y)
        return self._conclusion(parts, [f"{self.seen.sign} {text}" for text in self.seen.consequence[:4]], y + 6)

    def _conclusion(self, parts: list[str], texts: list[str], y: float) -> float:
        """A box of sentences, of which the first weighs most."""
        seen = self.seen
        lines = [line for text in texts for line in wrapped(text, self._wide - 6)]
        height = len(lines) * LINE + 14
        parts.append(box(MARGIN, y, self.width - 2 * MARGIN, height, "verdict" if seen.broken else "reached", 'rx="7"'))
        for number, line in enumerate(lines):
            style = "ink" if number else "bad" if seen.broken else "name"
            parts.append(str(SvgText(MARGIN + 14, y + 20 + number * LINE, line, style)))
        return y + height + 12

    def _legend(self, parts: list[str], y: float) -> float:
        settings = f"constants: {self.seen.constants}" if self.seen.constants else ""
        for line in (*wrapped(" · ".join(self._explained()), self._wide), *wrapped(settings, self._wide)):
            y += LINE - 2
            parts.append(str(SvgText(MARGIN, y, line, "soft small")))
        return y + MARGIN

    def _explained(self) -> Iterator[str]:
        cards = [card for row in (*self.seen.rows, *self.seen.follows) for card in row.cards]
        flags = {flag.name for card in cards for flag in card.flags}
        states = {cell.state for card in cards for cell in card.cells or ()}
        if any(cell.colour for card in cards for cell in card.cells or ()):
            yield f"a cell is a record, with its {self.seen.coloured} below it and as its colour"
        elif self.slots:
            yield "a cell is a record"
        if "HW" in flags:
            yield "HW: high watermark, consumers see what is left of it"
        if "LEO" in flags:
            yield "LEO: log end offset"
        if any(strip.name == "ISR" for card in cards for strip in card.strips):
            yield "ISR: in-sync replicas, which a new leader is chosen from; bold when added, crossed out when dropped"
        if any(fact.share is not None for card in cards for fact in card.facts):
            yield f"a bar: how much of {' or '.join(self.seen.limits)} a clock has used, red once it is over"
        if states & {"lost", "missing"}:
            yield "red: committed, and missing here; lost once a leader is without it"
        if self.mail.lines():
            yield "an arrow from further up: sent in an earlier step"
        yield "a dotted line: nothing changed"
        if self.seen.undrawn:
            yield f"not drawn: {', '.join(self.seen.undrawn)}"
