"""The lane drawing as plain text, for a terminal or a mail: a column per lane, at most 100 columns wide."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from isrcheck.evidence.forms.row import Card, Cell, Row
from isrcheck.evidence.forms.scene import FOLLOWS, Scene
from isrcheck.evidence.forms.wrap import columns, plain, wrapped

WIDTH = 100
_LEAST = 18  # columns of a lane; narrower than that, lanes stand below each other


def lanes_text(seen: Scene) -> str:
    """The drawing of a trace. Cells are [record epoch]; | is the high watermark; ✗ is committed and not there.

    ▶ is a message that arrives, ▷ one that leaves.
    """
    return "\n".join(line.rstrip() for line in _lines(seen)) + "\n"


def _lines(seen: Scene) -> Iterator[str]:
    yield from wrapped(f"{seen.model}: {seen.title}", WIDTH)
    yield from wrapped(seen.constants, WIDTH)
    width = WIDTH // max(len(seen.lanes), 1)
    if width >= _LEAST:
        yield ""
        yield "".join(_padded(f"  {plain(name)}", width) for name in seen.lanes)
    yield from _rows(seen.rows, seen, width)
    yield ""
    yield from wrapped(f"{seen.sign} {seen.promise}", WIDTH)
    yield from _sentences(seen.explanation)
    if seen.follows:
        yield from ("", *wrapped(FOLLOWS, WIDTH))
        yield from _rows(seen.follows, seen, width)
        yield from ("", *_sentences(seen.consequence))


def _rows(rows: tuple[Row, ...], seen: Scene, width: int) -> Iterator[str]:
    for row in rows:
        yield ""
        yield from _heading(row, seen)
        yield from _row(row, seen, width)


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (f"  {line}" for line in wrapped(text, WIDTH - 2))


def _heading(row: Row, seen: Scene) -> Iterator[str]:
    text = f"── {row.number} {row.action}" + (f" ({row.arguments})" if row.arguments else "")
    first, *rest = wrapped(text, WIDTH)
    yield first + (" " + "─" * (WIDTH - columns(first) - 1) if columns(first) < WIDTH - 1 and not rest else "")
    yield from rest
    if row.shot:
        line = "──▷" if row.shot.leaves else "──▶" if row.shot.text else "──"
        ends = f"{seen.lanes[row.shot.source]} {line} {seen.lanes[row.shot.target]}"
        yield from _sentences([f"{ends}  {row.shot.told}"])
    if row.truncation:
        yield from _sentences([row.truncation])


def _row(row: Row, seen: Scene, width: int) -> Iterator[str]:
    every = seen.is_whole(row)
    cards = [(name, card if every or card.changed else None) for name, card in zip(seen.lanes, row.cards, strict=True)]
    if width >= _LEAST:
        blocks = [list(_card(card, width - 2)) if card else ["·"] for _, card in cards]
        for parts in zip_longest(*blocks, fillvalue=""):
            yield "".join(_padded(part, width) for part in parts)
        return
    for name, card in cards:
        if card:
            yield plain(name)
            yield from (f"  {line}" for line in _card(card, WIDTH - 2))


def _card(card: Card, width: int) -> Iterator[str]:
    """What a lane is; what is new there stands behind a >, and how it breaks the property behind a ✗."""
    if card.blame:
        yield from (f"✗ {line}" for line in wrapped(card.blame, width - 2))
    if card.leads:
        yield from _news("♛ leads", False, width)
    if card.cells is not None:
        yield from _news(_cells(card), any(cell.state == "new" for cell in card.cells), width)
        flags = ", ".join(f"{flag.name} {flag.offset}" for flag in card.flags)
        yield from _news(flags, any(flag.changed for flag in card.flags), width)
    for strip in card.strips:
        members = " ".join({"kept": "", "added": "+", "dropped": "-"}[how] + name for name, how in strip.members)
        yield from _news(f"{strip.name} {{{members}}}", strip.changed, width)
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


def _cell(cell: Cell) -> str:
    inside = cell.text
    if cell.state in ("lost", "missing"):
        return f"[✗{inside} {cell.state}{', has ' * bool(cell.instead)}{cell.instead}]"
    return "[]" if cell.state == "empty" else f"[{inside}]"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))
