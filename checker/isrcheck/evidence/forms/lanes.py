"""The lane drawing as text."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from isrcheck.evidence.forms.row import Card, LogCell, SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene
from isrcheck.wrap import columns, plain, wrapped

WIDTH = 100  # columns of a printed page
LEAST = 40  # columns that records need
_LEAST = 18  # for a lane beside another


def lanes_text(seen: Scene, width: int = WIDTH) -> str:
    """Cells are [record epoch]; | is the high watermark; ✗ is committed and not there.

    ▶ is a message that arrives, ▷ one that leaves, ✗ one that is lost. A line has at most `width` columns.
    """
    return "\n".join(line.rstrip() for line in _Lanes(seen, width).lines()) + "\n"


class _Lanes:
    def __init__(self, seen: Scene, width: int) -> None:
        self.seen, self.width = seen, width
        lane = width // max(len(seen.lanes), 1)
        self.lane = lane if lane >= _LEAST else 0  # 0: lanes stand below each other

    def lines(self) -> Iterator[str]:
        seen = self.seen
        yield from wrapped(seen.heading, self.width)
        yield from wrapped(seen.constants, self.width)
        if self.lane:
            yield ""
            yield "".join(_padded(f"  {plain(name)}", self.lane) for name in seen.lanes)
        yield from self._rows(seen.rows)
        yield ""
        if seen.closing:
            yield from (self._ruled("══", seen.closing), "")
        yield from wrapped(f"{seen.sign} {seen.statement}", self.width)
        yield from self._sentences(seen.explanation)
        if seen.follows:
            yield from ("", *wrapped(FOLLOWS, self.width))
            yield from self._rows(seen.follows)
            yield from ("", *self._sentences(seen.consequence))

    def _rows(self, rows: tuple[SceneRow, ...]) -> Iterator[str]:
        for row in rows:
            yield ""
            if self.seen.begins_cycle(row):
                yield self._ruled("══", self.seen.forever)
            yield from self._heading(row)
            yield from self._row(row)

    def _ruled(self, rule: str, text: str) -> str:
        return f"{rule} {text} ".ljust(self.width, rule[0])

    def _sentences(self, texts: Iterable[str]) -> Iterator[str]:
        for text in texts:
            yield from (f"  {line}" for line in wrapped(text, self.width - 2))

    def _heading(self, row: SceneRow) -> Iterator[str]:
        lanes = self.seen.lanes
        width = self.width
        text = f"── {row.number} {row.action}" + (f" ({row.arguments})" if row.arguments else "")
        first, *rest = wrapped(text, width)
        yield first + (" " + "─" * (width - columns(first) - 1) if columns(first) < width - 1 and not rest else "")
        yield from rest
        if row.shot:
            line = "──✗" if row.shot.lost else "──▷" if row.shot.leaves else "──▶" if row.shot.text else "──"
            ends = f"{lanes[row.shot.source]} {line} {lanes[row.shot.target]}"
            yield from self._sentences([f"{ends}  {row.shot.sentence}"])
        if row.truncation:
            yield from self._sentences([row.truncation])

    def _row(self, row: SceneRow) -> Iterator[str]:
        drawn = [card if self.seen.is_whole(row) or card.changed or card.blame else None for card in row.cards]
        if self.lane:
            blocks = [list(_card(card, self.lane - 2)) if card else ["·"] for card in drawn]
            for parts in zip_longest(*blocks, fillvalue=""):
                yield "".join(_padded(part, self.lane) for part in parts)
            return
        for name, card in zip(self.seen.lanes, drawn, strict=True):
            if card:
                yield plain(name)
                yield from (f"  {line}" for line in _card(card, self.width - 2))


def _card(card: Card, width: int) -> Iterator[str]:
    """New behind >, broken behind ✗."""
    if card.blame:
        yield from (f"✗ {line}" for line in wrapped(card.blame, width - 2))
    if card.leads:
        yield from _news("♛ leads", False, width)
    if card.cells is not None:
        yield from _news(_cells(card), any(cell.state == "new" for cell in card.cells), width)
        flags = ", ".join(f"{flag.name} {flag.offset}" for flag in card.flags)
        yield from _news(flags, any(flag.changed for flag in card.flags), width)
    for strip in card.strips:
        yield from _news(strip.marked, strip.changed, width)
    for fact in card.facts:
        change = f"{fact.before} → " if fact.before else ""
        yield from _news(f"{fact.name} {change}{fact.value}", bool(fact.before), width)


def _news(text: str, new: bool, width: int) -> Iterator[str]:
    for line in wrapped(text, width - 2):
        yield ("> " if new else "  ") + line


def _cells(card: Card) -> str:
    hw = {flag.offset for flag in card.flags if flag.name != "LEO"}
    cells = card.cells or ()
    shown = [("|" if place in hw else "") + _cell(cell) for place, cell in enumerate(cells)]
    return "log " + ("".join(shown) + ("|" if len(cells) in hw else "") or "empty")


def _cell(cell: LogCell) -> str:
    inside = cell.text
    if cell.is_bad:
        return f"[✗{inside} {cell.state}{', has ' * bool(cell.instead)}{cell.instead}]"
    return "[]" if cell.state == "empty" else f"[{inside}]"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))
