"""The lane drawing as SVG."""

from collections.abc import Iterator

from isrcheck.evidence.forms.messages import Departure, Mail
from isrcheck.evidence.forms.row import Card, Fact, LogCell, MessageArrow, SceneRow, Strip
from isrcheck.evidence.forms.scene import FOLLOWS, Scene
from isrcheck.evidence.forms.shapes import FILLS, PLAIN_FILL, STYLE, Canvas, printable
from isrcheck.wrap import columns, wrap

MARGIN = 16  # pixels around everything
STORY = 268  # pixels of the steps' column
GAP = 14  # between lanes
PAD = 9  # inside a card
CELL, CELL_HEIGHT = 36, 32
LINE = 17  # of small text
_MOST_LOG_LINES = 3  # lines of what one line of a log says
LETTER = 6.7  # at 12 pixels, at the most
SMALL_LETTER = 6.1  # at 10.5 pixels
_BOLD_SMALL_LETTER = 7.2  # at 10.5 pixels: DejaVu Sans Bold, of the fonts of the style sheet the widest


def svg(drawn: Scene) -> str:
    """Draw a trace as SVG, each step a group with the id step-N."""
    return Sheet(drawn).draw()


def step_svgs(drawn: Scene) -> Iterator[str]:
    sheet = Sheet(drawn)
    return map(sheet.state, drawn.all_rows)


class Sheet:
    """Lays one scene out, top to bottom."""

    BAND = 22  # from the rule to messages
    BELOW = 10  # below the lowest card
    STEP = LINE - 2  # of the text's lines
    TELLS = True  # whether with sentences

    def __init__(self, drawn: Scene) -> None:
        self.scene = drawn
        cards = [card for row in drawn.all_rows for card in row.cards]
        self.mail = Mail()  # none waits
        self.gap = GAP
        self.slots = max((len(card.cells) for card in cards if card.cells is not None), default=0)
        lengthy = max((columns(cell.label) for card in cards for cell in card.cells or ()), default=1)
        self.cell = min(120, max(CELL, lengthy * 7 + 10))
        self.lane = max(196, self.slots * self.cell + 2 * PAD + 58, *(columns(n) * 8 + 40 for n in drawn.lanes))
        self.letters = int((self.lane - 2 * PAD) / LETTER)
        self.fills: dict[str, str] = {}

    @property
    def width(self) -> float:
        return 2 * MARGIN + STORY + len(self.scene.lanes) * (self.lane + self.gap)

    def draw(self) -> str:
        canvas, behind, drawn, cycle = Canvas(), Canvas(), self.scene, 0.0
        self.mail = Mail(drawn.all_rows)
        self.gap = GAP + self.mail.room
        y = top = self.names(canvas, self.head(canvas, MARGIN))
        for row in drawn.rows:
            if drawn.begins_cycle(row):
                y = cycle = self._forever(canvas, drawn.forever, y)
            y = self.row(canvas, row, y, self._is_whole(row))
        if drawn.closing:
            self._bracket(canvas, cycle, y)
            y = self._forever(canvas, drawn.closing, y)
        self.lives(behind, top, y)
        y = self._verdict(canvas, y)
        if drawn.follows:
            y = self._follows(canvas, behind, y)
        y = self._legend(canvas, y)
        behind.parts += self.mail.lines()
        paper = Canvas()
        paper.box(0, 0, self.width, y, "paper")
        title = printable(self.scene.heading)
        about = printable(" ".join((self.scene.verdict, *self.scene.explanation)))
        names = f'<title id="title">{title}</title><desc id="about">{about}</desc>\n<style>{STYLE}</style>'
        size = f'width="{self.width:g}" height="{y:g}" viewBox="0 0 {self.width:g} {y:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title about">'
        return "\n".join([head, names, *paper.parts, *behind.parts, *canvas.parts, "</svg>\n"])

    def _forever(self, canvas: Canvas, label: str, y: float) -> float:
        canvas.label(MARGIN, y + LINE, f"↻ {label}", "changed")
        return y + LINE + 8

    def _bracket(self, canvas: Canvas, start: float, end: float) -> None:
        """Draw the bracket beside the steps of a cycle, if there is one."""
        x = MARGIN / 2
        if start:
            canvas.path(f"M{x + 5:g} {start + 4:g}H{x:g}V{end - 4:g}h5", "open")

    def state(self, row: SceneRow) -> str:
        """One state with all lanes, without text beside it and without a style sheet."""
        canvas, behind = Canvas(), Canvas()
        left = MARGIN + STORY
        top = self.names(canvas, 0)
        if row.truncation:
            lines = wrap(row.truncation, int((self.width - left) / LETTER))
            top = canvas.lines(left + self.gap, top + 2, lines, "changed small", LINE) - 2
        y = self.row(canvas, row, top, True)
        self.lives(behind, top, y)
        about = printable(f"Step {row.number}: {row.action} {row.arguments}" if row.number else row.action)
        width = self.width - left
        size = f'width="{width:g}" height="{y:g}" viewBox="{left:g} 0 {width:g} {y:g}"'
        inside = "".join([*behind.parts, *canvas.parts])
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{about}">{inside}</svg>'

    def _is_whole(self, row: SceneRow) -> bool:
        return self.scene.is_whole(row)

    def lives(self, canvas: Canvas, top: float, end: float) -> None:
        for lane in range(len(self.scene.lanes)):
            canvas.line(self._middle(lane), top, self._middle(lane), end, "life")

    def _start_of(self, lane: int) -> float:
        return MARGIN + STORY + lane * (self.lane + self.gap) + self.gap

    def _middle(self, lane: int) -> float:
        return self._start_of(lane) + self.lane / 2

    def head(self, canvas: Canvas, y: float) -> float:
        y = self._title(canvas, y, 20) + LINE
        y = canvas.lines(MARGIN, y, wrap(self.scene.statement, self._wide), "soft", LINE)
        blamed = (line for sentence in self.scene.explanation[:1] for line in wrap(sentence, self._wide))
        return canvas.lines(MARGIN, y, blamed, "bad", LINE) - LINE

    def _title(self, canvas: Canvas, y: float, step: float) -> float:
        lines = wrap(self.scene.heading, int((self.width - 2 * MARGIN) / 10))
        return canvas.lines(MARGIN, y + step, lines, "ink large", step) - step

    def names(self, canvas: Canvas, y: float) -> float:
        for lane, name in enumerate(self.scene.lanes):
            canvas.label(self._middle(lane), y + 30, name, "name large", "middle")
        return y + 44

    @property
    def _wide(self) -> int:
        return int((self.width - 2 * MARGIN) / LETTER)

    def row(self, canvas: Canvas, row: SceneRow, y: float, all_lanes: bool) -> float:
        canvas.parts.append(f'<g id="step-{row.number}">')
        canvas.line(MARGIN, y, self.width - MARGIN, y, "rule")
        text_end = self._story(canvas, row, y + 20)
        if row.shot or row.number in self.mail.leaving:
            y = self._messages(canvas, row, y + self.BAND)
        lowest = y
        for lane, card in enumerate(row.cards):
            if all_lanes or card.changed or card.blame:
                news = card.changed and row.number > 0
                low = self._card(canvas, card, self._start_of(lane), y + 10, news)
                lowest = max(lowest, low)
        canvas.parts.append("</g>")
        return max(text_end, lowest + self.BELOW)

    def _story(self, canvas: Canvas, row: SceneRow, y: float) -> float:
        letters = int((STORY - 40) / LETTER)
        canvas.label(MARGIN, y, str(row.number), "soft")
        texts = [("name", row.action, 0), ("ink small", row.arguments, 4), ("changed small", row.truncation, 0)]
        if row.story:
            texts = [("ink", row.story, 0), ("changed small", row.truncation, 0)]
            texts += [("bad small" if mark.is_loss else "told small", mark.signed, 0) for mark in row.marks]
        elif self.TELLS and not row.log_lines:
            texts.append(("soft small", row.sentence, 5))
        for style, content, more in texts:
            if content:
                y = canvas.lines(MARGIN + 28, y, wrap(content, letters + more), style, self.STEP)
        style = "inferred small" if row.is_inferred else "told small"
        for log_line in row.log_lines:
            y = canvas.lines(MARGIN + 28, y, wrap(log_line, letters + 5)[:_MOST_LOG_LINES], style, self.STEP)
        return y

    def _messages(self, canvas: Canvas, row: SceneRow, y: float) -> float:
        for key in self.mail.leaving.get(row.number, ()):
            start, x = self._middle(key.source), self._gutter(key)
            canvas.line(start, y, x, y, "shot")
            canvas.dot(start, y)
            self.mail.starts[key] = x, y
        if row.shot:
            self._draw_shot(canvas, row.shot, y)
        return y + 2

    def _gutter(self, key: Departure) -> float:
        left = self._start_of(key.source)
        off = self.mail.track(key)
        if key.is_right:
            return left + self.lane + off
        return left - off

    def _draw_shot(self, canvas: Canvas, shot: MessageArrow, y: float) -> None:
        way = 1 if shot.target > shot.source else -1
        key = self.mail.departure(shot)
        start, end = self._middle(shot.source), self._middle(shot.target)
        if shot.leaves:
            end = start + way * (self.lane + GAP) / 2
        elif key:
            start = self._gutter(key)
            self.mail.ends[key] = y
        if shot.lost:
            end = (start + end) / 2
        canvas.line(start, y, end - way * (4 if shot.leaves else 9 if shot.label else 0), y, "shot")
        if shot.leaves or not key:
            canvas.dot(start, y)
        if shot.lost:
            canvas.path(f"M{end - 5:g} {y - 5:g}l10 10m0 -10l-10 10", "open")
        elif shot.leaves:
            canvas.path(f"M{end - way * 11:g} {y - 5.5:g}L{end:g} {y:g}L{end - way * 11:g} {y + 5.5:g}", "open")
        elif shot.label:
            canvas.path(f"M{end:g} {y:g}l{-way * 11:g} -5.5v11z", "head")
        else:
            canvas.dot(end, y)
        if shot.label and key and not shot.leaves:
            free = self._start_of(shot.source + way) + (0 if way > 0 else self.lane)  # beyond all tracks
            canvas.label(free, y - 6, shot.caption, "said small", "start" if way > 0 else "end")
        elif shot.label:
            canvas.label((start + end) / 2, y - 6, shot.label if shot.leaves else shot.caption, "said small", "middle")

    def _card(self, canvas: Canvas, card: Card, x: float, y: float, news: bool) -> float:
        inner, end = Canvas(), y + PAD
        if card.leads:
            inner.label(x + PAD, end + 11, "♛ leads", "name")
            end += LINE
        if card.cells is not None:
            end = self._cells(inner, card, x + PAD, end)
        for strip in card.strips:
            end = self._strip(inner, strip, x + PAD, end)
        end = self._facts(inner, card.facts, x + PAD, end)
        blame = wrap(card.blame, self.letters) if card.blame else ()
        end = inner.lines(x + PAD, end + 12, blame, "bad small", LINE - 3) - 12 + PAD - 3
        style = "card blamed" if card.blame else "news" if news else "card"
        canvas.box(x, y, self.lane, end - y, style, 'rx="7"')
        canvas.parts += inner.parts
        return end

    def _cells(self, canvas: Canvas, card: Card, x: float, y: float) -> float:
        cells = card.cells or ()
        y += LINE - 3
        for slot in range(len(cells), self.slots):
            canvas.box(x + slot * self.cell, y, self.cell, CELL_HEIGHT, "slot")
        for place, cell in enumerate(cells):
            self._cell(canvas, cell, x + place * self.cell, y)
        self._flags(canvas, card, x, y)
        bad = ", ".join(dict.fromkeys(cell.state for cell in cells if cell.is_bad))
        if bad:
            canvas.label(x + self.slots * self.cell + 8, y + 14, bad, "bad")
            instead = ", ".join(cell.instead for cell in cells if cell.instead)
            if instead:
                canvas.label(x + self.slots * self.cell + 8, y + 28, f"has {instead}", "soft small")
        return y + CELL_HEIGHT + LINE

    def _cell(self, canvas: Canvas, cell: LogCell, x: float, y: float) -> None:
        middle = x + self.cell / 2
        bad = cell.is_bad
        if cell.state == "empty":
            canvas.box(x, y, self.cell, CELL_HEIGHT, "slot")
            return
        style = "lost" if bad else "cell fresh" if cell.state == "new" else "cell"
        fill = "" if bad else f'fill="{self._fill(cell.colour)}"'
        inset = 1.5 if bad or cell.state == "new" else 0.5
        canvas.box(x + inset, y + inset, self.cell - 2 * inset, CELL_HEIGHT - 2 * inset, style, fill)
        if bad:
            canvas.line(x + 3, y + CELL_HEIGHT - 3, x + self.cell - 3, y + 3, "gone")
        ink = "bad" if bad else "on"
        canvas.label(middle, y + (14 if cell.colour else 20), cell.label, ink, "middle")
        if cell.colour:
            canvas.label(middle, y + 27, cell.under, f"{ink} small", "middle")

    def _fill(self, colour: str) -> str:
        if not colour:
            return PLAIN_FILL
        place = int(colour) if colour.isdecimal() and len(colour) < 9 else len(self.fills)
        return self.fills.setdefault(colour, FILLS[place % len(FILLS)])

    def _flags(self, canvas: Canvas, card: Card, x: float, y: float) -> None:
        for flag in card.flags:
            at = x + min(flag.offset, self.slots) * self.cell
            anchor = "start" if at == x else "middle"
            style = "changed small" if flag.changed else "soft small"
            if flag.name == "LEO":
                canvas.label(at, y + CELL_HEIGHT + 12, f"LEO {flag.offset}", style, anchor)
            else:
                style = "marked small" if flag.changed else "unmarked small"
                canvas.line(at, y - 4, at, y + CELL_HEIGHT + 2, "mark")
                canvas.label(at, y - 5, f"{flag.name} {flag.offset}", style, anchor)

    def _strip(self, canvas: Canvas, strip: Strip, x: float, y: float) -> float:
        canvas.label(x, y + 13, strip.name, "changed small" if strip.changed else "soft small")
        at = x + columns(strip.name) * (_BOLD_SMALL_LETTER if strip.changed else SMALL_LETTER) + 8
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
        return y + LINE + 4

    def _facts(self, canvas: Canvas, facts: tuple[Fact, ...], x: float, y: float) -> float:
        at, low = x, y
        for fact in facts:
            lines = wrap(self._fact(fact), self.letters)
            width = columns(lines[0]) * (LETTER if fact.before else SMALL_LETTER) + 12
            if at > x and (len(lines) > 1 or at + width > x + self.lane - PAD):
                at, low = x, low + LINE - 2
            style = "changed small" if fact.before else "soft small"
            low = canvas.lines(at, low + 12, lines, style, LINE - 2) - 12 - (LINE - 2)
            at += width
            if fact.share is not None:
                at, low = x + self.lane, self._gauge(canvas, fact.share, x, low)
        return low + (LINE - 2 if facts else 0)

    def _fact(self, fact: Fact) -> str:
        return f"{fact.name} {fact.before} → {fact.value}" if fact.before else f"{fact.name} {fact.value}"

    def _gauge(self, canvas: Canvas, share: float, x: float, y: float) -> float:
        room = self.lane - 2 * PAD
        canvas.box(x, y + LINE, room, 5, "slot")
        canvas.box(x, y + LINE, room * min(max(share, 0), 1), 5, "over" if share > 1 else "used")
        return y + 7

    def _verdict(self, canvas: Canvas, y: float) -> float:
        drawn = self.scene
        texts = (drawn.statement, *drawn.explanation[:4])
        return self._conclusion(canvas, [f"{drawn.sign} {drawn.ending}", *texts], y + 6)

    def _follows(self, canvas: Canvas, behind: Canvas, y: float) -> float:
        canvas.label(MARGIN, y + 14, FOLLOWS, "name")
        y = top = y + 26
        for row in self.scene.follows:
            y = self.row(canvas, row, y, False)
        self.lives(behind, top, y)
        return self._conclusion(
            canvas, [f"{self.scene.sign} {sentence}" for sentence in self.scene.consequence[:4]], y + 6
        )

    def _conclusion(self, canvas: Canvas, texts: list[str], y: float) -> float:
        drawn = self.scene
        lines = [line for sentence in texts for line in wrap(sentence, self._wide - 6)]
        height = len(lines) * LINE + 14
        canvas.box(MARGIN, y, self.width - 2 * MARGIN, height, "verdict" if drawn.broken else "reached", 'rx="7"')
        for n, line in enumerate(lines):
            style = "ink" if n else "bad" if drawn.broken else "name"
            canvas.label(MARGIN + 14, y + 20 + n * LINE, line, style)
        return y + height + 12

    def _legend(self, canvas: Canvas, y: float) -> float:
        settings = f"constants: {self.scene.constants}" if self.scene.constants else ""
        lines = (*wrap(" · ".join(self._explain()), self._wide), *wrap(settings, self._wide))
        return canvas.lines(MARGIN, y + LINE - 2, lines, "soft small", LINE - 2) - LINE + 2 + MARGIN

    def _explain(self) -> Iterator[str]:
        cards = [card for row in self.scene.all_rows for card in row.cards]
        flags = {flag.name for card in cards for flag in card.flags}
        states = {cell.state for card in cards for cell in card.cells or ()}
        if any(cell.colour for card in cards for cell in card.cells or ()):
            yield f"a cell is a record, with its {self.scene.coloured} below it and as its colour"
        elif self.slots:
            yield "a cell is a record"
        if "HW" in flags:
            yield "HW: high watermark, consumers see what is left of it"
        if "LEO" in flags:
            yield "LEO: log end offset"
        if any(strip.name == "ISR" for card in cards for strip in card.strips):
            yield "ISR: in-sync replicas, which a new leader is chosen from; bold when added, crossed out when dropped"
        if any(fact.share is not None for card in cards for fact in card.facts):
            yield f"a bar: how much of {' or '.join(self.scene.limits)} a clock has used, red once it is over"
        if states & {"lost", "missing"}:
            yield "red: committed, and missing here; lost once a leader is without it"
        if self.mail.lines():
            yield "an arrow from further up: sent in an earlier step"
        if any(row.log_lines for row in self.scene.all_rows):
            yield "green: the line that tells of the step; brown: no line tells of it, it is inferred"
        yield "a dotted line: nothing changed"
        if self.scene.undrawn:
            yield f"not drawn: {', '.join(self.scene.undrawn)}"
