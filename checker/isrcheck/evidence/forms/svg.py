"""The lane drawing as SVG."""

from collections.abc import Iterator

from isrcheck.evidence.forms.cards import (
    BOLD_SMALL_LETTER,
    GAP,
    LETTER,
    LINE,
    MARGIN,
    PAD,
    SMALL_LETTER,
    CardSheet,
)
from isrcheck.evidence.forms.messages import Departure, Mail
from isrcheck.evidence.forms.row import Card, MessageArrow, SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene
from isrcheck.evidence.forms.shapes import Canvas, explain, printable
from isrcheck.files import read_beside
from isrcheck.wrap import columns, wrap

HIGH = 1200  # pixels at most, if the steps leave a choice
INDENT = 26  # from the margin to the sentence of a step
BELOW = 5  # below the lowest card
_MOST_LOG_LINES = 2  # lines of what one line of a log says
# all that is new; only logs, marks and who leads; sentences, and the first and the last state; the last alone; no arrow
DETAILS = range(5)
_NO_FIRST, _NO_ARROW = DETAILS[-2:]


def svg(drawn: Scene) -> str:
    """Draw a trace as SVG, each step a group with the id step-N, in as much detail as leaves it readable."""
    picture = ""
    for detail in DETAILS:
        sheet = Sheet(drawn, detail)
        picture = sheet.draw()
        if sheet.height <= HIGH:
            break
    return picture


def step_svgs(drawn: Scene) -> Iterator[str]:
    sheet = Sheet(drawn)
    return map(sheet.state, drawn.all_rows)


class Sheet(CardSheet):
    """Lays one scene out, top to bottom."""

    def __init__(self, drawn: Scene, detail: int = 0) -> None:
        super().__init__(drawn)
        self.detail, self.height = detail, 0.0
        self.mail = Mail()  # none waits

    @property
    def width(self) -> float:
        return 2 * MARGIN + len(self.scene.lanes) * (self.lane + self.gap) - self.gap

    def draw(self) -> str:
        canvas, drawn, cycle = Canvas(), self.scene, 0.0
        self.mail = Mail(drawn.all_rows if self.detail < _NO_ARROW else ())
        self.gap = GAP + self.mail.room
        y = self.names(canvas, self.head(canvas, MARGIN - 6))
        for row in self.list_rows():
            if drawn.begins_cycle(row):
                y = cycle = self._forever(canvas, drawn.trace.forever, y)
            y = self.row(canvas, row, y, self.is_whole(row))
        if drawn.closing:
            self._bracket(canvas, cycle, y)
            y = self._forever(canvas, drawn.closing, y)
        y = self._verdict(canvas, y)
        if drawn.follows:
            y = self._follows(canvas, y)
        self.height = y = self._legend(canvas, y)
        paper = Canvas()
        paper.box(0, 0, self.width, y, "paper")
        paper.parts += self.mail.lines()
        title = printable(self.scene.heading)
        about = printable(" ".join((self.scene.verdict, *self.scene.explanation)))
        style = read_beside(__file__, "drawing.css")
        names = f'<title id="title">{title}</title><desc id="about">{about}</desc>\n<style>\n{style}</style>'
        size = f'width="{self.width:g}" height="{y:g}" viewBox="0 0 {self.width:g} {y:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title about">'
        return "\n".join([head, names, *paper.parts, *canvas.parts, "</svg>\n"])

    def is_whole(self, row: SceneRow) -> bool:
        """Whether the cards of a row hold all of its state."""
        rows = self.scene.rows
        return row is rows[-1] or (row is rows[0] and self.detail < _NO_FIRST)

    def list_rows(self) -> tuple[SceneRow, ...]:
        """The rows that are drawn: a story begins with its first step, and a long drawing as well."""
        leaves_first = self.scene.is_story or self.detail >= _NO_FIRST
        return self.scene.rows[1:] if leaves_first and len(self.scene.rows) > 1 else self.scene.rows

    def _forever(self, canvas: Canvas, label: str, y: float) -> float:
        canvas.label(MARGIN, y + LINE, f"↻ {label}", "changed")
        return y + LINE + 8

    def _bracket(self, canvas: Canvas, start: float, end: float) -> None:
        """Draw the bracket beside the steps of a cycle, if there is one."""
        x = MARGIN / 2 - 3
        if start:
            canvas.path(f"M{x + 5:g} {start + 4:g}H{x:g}V{end - 4:g}h5", "open")

    def state(self, row: SceneRow) -> str:
        """One state with all lanes, without text beside it and without a style sheet."""
        canvas = Canvas()
        top = self.names(canvas, 0)
        if row.truncation:
            lines = wrap(row.truncation, self._wide)
            top = canvas.lines(MARGIN, top + 2, lines, "changed small", LINE) - 2
        canvas.parts.append(f'<g id="step-{row.number}">')
        y = self._cards(canvas, row, top, True)
        canvas.parts.append("</g>")
        about = printable(f"Step {row.number}: {row.action} {row.arguments}" if row.number else row.action)
        size = f'width="{self.width:g}" height="{y:g}" viewBox="0 0 {self.width:g} {y:g}"'
        inside = "".join(canvas.parts)
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{about}">{inside}</svg>'

    def _start_of(self, lane: int) -> float:
        return MARGIN + lane * (self.lane + self.gap)

    def _middle(self, lane: int) -> float:
        return self._start_of(lane) + self.lane / 2

    def head(self, canvas: Canvas, y: float) -> float:
        lines = wrap(self.scene.heading, int((self.width - 2 * MARGIN) / 10))
        y = canvas.lines(MARGIN, y + 20, lines, "ink large", 20) - 20 + LINE
        y = canvas.lines(MARGIN, y, wrap(self.scene.statement, self._wide), "soft", LINE)
        blamed = (line for sentence in self.scene.explanation[:1] for line in wrap(sentence, self._bold))
        return canvas.lines(MARGIN, y, blamed, "bad", LINE) - LINE

    def names(self, canvas: Canvas, y: float) -> float:
        for lane, name in enumerate(self.scene.lanes):
            canvas.label(self._middle(lane), y + 26, name, "name large", "middle")
        return y + 34

    @property
    def _wide(self) -> int:
        return int((self.width - 2 * MARGIN) / LETTER)

    @property
    def _bold(self) -> int:
        return int((self.width - 2 * MARGIN - 2 * PAD) / (LETTER * 1.16))

    def row(self, canvas: Canvas, row: SceneRow, y: float, all_lanes: bool) -> float:
        canvas.parts.append(f'<g id="step-{row.number}">')
        canvas.line(MARGIN, y, self.width - MARGIN, y, "rule")
        y = self._cards(canvas, row, self._story(canvas, row, y + 14) - 10, all_lanes)
        canvas.parts.append("</g>")
        return y

    def _story(self, canvas: Canvas, row: SceneRow, y: float) -> float:
        canvas.label(MARGIN, y, str(row.number), "soft")
        sent = f" (sent in step {row.shot.sent})" if row.shot and row.shot.sent is not None else ""
        called = f"{row.action} ({row.arguments})" if row.arguments else row.action
        texts = [("ink halo", row.story + sent)] if row.story else [("name halo", called + sent)]
        if not row.story and not row.log_lines and not self.detail:
            texts.append(("soft small", row.sentence))
        if self.detail < _NO_FIRST:
            texts.append(("changed small halo", row.truncation))
        for style, content in texts:
            if content:
                y = canvas.lines(MARGIN + INDENT, y, wrap(content, self._wide - 6), style, LINE - 2)
        style = "inferred small" if row.is_inferred else "told small"
        most = None if self.detail < 2 else 1 if self.detail < _NO_ARROW else 0
        for log_line in row.log_lines[:most]:
            lines = wrap(log_line, self._wide)[: most or _MOST_LOG_LINES]
            y = canvas.lines(MARGIN + INDENT, y, lines, style, LINE - 2)
        return self._marks(canvas, row, y)

    def _marks(self, canvas: Canvas, row: SceneRow, y: float) -> float:
        """Draw what is acknowledged, exposed or lost, each as a label with a border."""
        x: float = MARGIN + INDENT
        for mark in row.marks:
            width = columns(mark.signed) * BOLD_SMALL_LETTER + 14
            if x + width > self.width - MARGIN and x > MARGIN + INDENT:
                x, y = MARGIN + INDENT, y + LINE + 3
            canvas.box(x, y - 10, width, LINE, "verdict" if mark.is_loss else "reached", 'rx="8"')
            canvas.label(
                x + width / 2, y + 2, mark.signed, "bad small" if mark.is_loss else "told small bold", "middle"
            )
            x += width + 6
        return y + LINE + 4 if row.marks else y

    def _cards(self, canvas: Canvas, row: SceneRow, y: float, all_lanes: bool) -> float:
        shown = {lane for lane, card in enumerate(row.cards) if all_lanes or self._is_shown(card)}
        top = y
        ahead = Canvas()
        if self.detail < _NO_ARROW and (row.shot or row.number in self.mail.leaving):
            y = self._messages(ahead, row, y + (4 if row.story else 18))
        lowest = y + 2
        for lane, card in enumerate(row.cards):
            if lane in shown:
                news = card.changed and row.number > 0
                low = self.card(ahead, card, self._start_of(lane), y + 4, news, not all_lanes)
                lowest = max(lowest, low)
        lowest += BELOW
        for lane, card in enumerate(row.cards if shown else ()):
            style = "dead" if card.stopped else "life"
            canvas.line(self._middle(lane), top + 2, self._middle(lane), lowest, style)
        canvas.parts += ahead.parts
        return lowest

    def _is_shown(self, card: Card) -> bool:
        """Whether a card says something in this detail."""
        return bool(card.blame) or (card.changed and (self.detail == 0 or (self.detail == 1 and card.is_news)))

    def _messages(self, canvas: Canvas, row: SceneRow, y: float) -> float:
        for key in self.mail.leaving.get(row.number, ()):
            start, x = self._middle(key.source), self._gutter(key)
            canvas.line(start, y, x, y, "shot")
            canvas.dot(start, y)
            self.mail.starts[key] = x, y
        if row.shot:
            self._draw_shot(canvas, row.shot, y, not row.story and bool(row.shot.label))
        return y + 2

    def _gutter(self, key: Departure) -> float:
        left = self._start_of(key.source)
        off = self.mail.track(key)
        if key.is_right:
            return left + self.lane + off
        return left - off

    def _draw_shot(self, canvas: Canvas, shot: MessageArrow, y: float, named: bool) -> None:
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
        if named and key and not shot.leaves:
            free = self._start_of(shot.source + way) + (0 if way > 0 else self.lane)  # beyond all tracks
            canvas.label(free, y - 6, shot.caption, "said small", "start" if way > 0 else "end")
        elif named:
            canvas.label((start + end) / 2, y - 6, shot.label if shot.leaves else shot.caption, "said small", "middle")

    def _verdict(self, canvas: Canvas, y: float) -> float:
        drawn = self.scene
        texts = drawn.explanation[:4] or (drawn.statement,)
        return self._conclusion(canvas, [f"{drawn.sign} {drawn.ending}", *texts], y + 4)

    def _follows(self, canvas: Canvas, y: float) -> float:
        canvas.label(MARGIN, y + 14, FOLLOWS, "name")
        y += 26
        for row in self.scene.follows:
            y = self.row(canvas, row, y, False)
        signs = [f"{self.scene.sign} ", "", "", ""]
        return self._conclusion(canvas, list(map(str.__add__, signs, self.scene.consequence)), y + 6)

    def _conclusion(self, canvas: Canvas, texts: list[str], y: float) -> float:
        drawn = self.scene
        bold = [line for sentence in texts[:1] for line in wrap(sentence, self._bold)]
        lines = [*bold, *(line for sentence in texts[1:] for line in wrap(sentence, self._wide - 6))]
        height = len(lines) * LINE + 14
        canvas.box(MARGIN, y, self.width - 2 * MARGIN, height, "verdict" if drawn.broken else "reached", 'rx="7"')
        for n, line in enumerate(lines):
            style = "ink" if n >= len(bold) else "bad" if drawn.broken else "name"
            canvas.label(MARGIN + 14, y + 20 + n * LINE, line, style)
        return y + height + 12

    def _legend(self, canvas: Canvas, y: float) -> float:
        settings = f"constants not at their default: {self.scene.constants}" if self.scene.constants else ""
        legend = " · ".join(explain(self.scene, bool(self.slots), bool(self.mail.lines())))
        small = int((self.width - 2 * MARGIN) / SMALL_LETTER)
        lines = (*wrap(legend, small), *(wrap(settings, small) if settings else ()))
        return canvas.lines(MARGIN, y + LINE - 2, lines, "soft small", LINE - 2) - LINE + 2 + MARGIN
