"""A document on a terminal."""

from collections.abc import Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.wrap import columns, plain, wrap

_STYLES = {
    Tone.PLAIN: "",
    Tone.STRONG: "bold",
    Tone.QUIET: "dim",
    Tone.CODE: "",
    Tone.GOOD: "green",
    Tone.WITHIN: "green",
    Tone.UNSURE: "yellow",
    Tone.BAD: "bold red",
}
_INDENT = 2  # letters before a table
_GAP = 2  # letters between two columns
_READABLE = 48  # letters of the shortest line in which a sentence beside a name is read at ease
_KEY = 34  # letters of a key, in blocks
_NARROW = 12  # of a title, in blocks
_CELL = 14  # of a cell, in blocks
_RULE = 120  # letters of a heading's rule at most
ENDLESS = 1_000_000  # columns: no line is broken


def print_document(document: doc.Document, console: Console) -> None:
    before: doc.Block | None = None
    for block in _unfold(document):
        if before is not None and not isinstance(before, doc.Heading):
            console.print()
        _print(block, console)
        before = block


def plain_text(document: doc.Document, width: int = ENDLESS) -> str:
    console = Console(width=width, file=StringIO(), color_system=None, force_terminal=False)
    print_document(document, console)
    printed: StringIO = console.file  # type: ignore[assignment]  # the one above
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())


def _unfold(document: doc.Document) -> Iterator[doc.Block]:
    for block in document:
        if isinstance(block, doc.Fold):
            yield doc.Paragraph(block.summary)
            yield from _unfold(block.blocks)
        elif not isinstance(block, doc.Picture):
            yield block


def _print(block: doc.Block, console: Console) -> None:
    match block:
        case doc.Heading(line=line, level=level):
            _print_heading(line, level, console)
        case doc.Paragraph(lines=lines, tone=tone):
            for line in lines:
                _print_line(line, console, tone=tone)
        case doc.Bullets(items=items):
            grid = Grid.grid(padding=(0, 1, 0, 0))
            for item in items:
                grid.add_row("-", _with_style(item))
            console.print(grid)
        case doc.Table():
            _print_table(block, console)
        case doc.Verbatim(content=content):
            for row in content.splitlines():
                console.print(Text(plain(row)), soft_wrap=True)


def _print_heading(line: doc.Line, level: int, console: Console) -> None:
    title = doc.line_text(line)
    if level < 3:
        console.print(_with_style(line, Tone.STRONG))
    else:
        rule = "─" * (min(console.width, _RULE) - columns(title) - 4)
        console.print(Text(f"── {plain(title)} {rule}".rstrip()))


def _print_line(line: doc.Line, console: Console, indent: int = 0, tone: Tone = Tone.PLAIN) -> None:
    content = _with_style(line, tone)
    blanks = len(content.plain) - len(content.plain.lstrip())
    console.print(Padding(content[blanks:], (0, 0, 0, indent + blanks), expand=False))


def _with_style(line: doc.Line, tone: Tone = Tone.PLAIN) -> Text:
    return Text.assemble(*((plain(s.content), _STYLES[s.tone]) for s in doc.pieces(line)), style=_STYLES[tone])


def _print_table(table: doc.Table, console: Console) -> None:
    if table.caption:
        _print_line(table.caption, console)
    if table.stacked:
        _print_stacked(table, console)
        return
    if _is_list_of_names(table) and not _fits_beside(table, console.width - _INDENT):
        _print_names(table, console)
        return
    for number, grid in enumerate(_grids(table, console.width - _INDENT)):
        if number:
            console.print()
        console.print(Padding(grid, (0, 0, 0, _INDENT), expand=False))


def _is_list_of_names(table: doc.Table) -> bool:
    """Whether a table has sentences about names, which may as well stand below them."""
    heads = table.heads
    return len(heads) == 2 and heads[0].fixed and not heads[1].is_number


def _fits_beside(table: doc.Table, width: int) -> bool:
    """Whether the sentences about names are read at ease beside them, in so many columns for both."""
    name, sentence = (_widest([row[place] for row in table.rows]) for place in range(2))
    return min(sentence, _READABLE) <= width - name - _GAP


def _print_names(table: doc.Table, console: Console) -> None:
    for name, about in table.rows:
        for line in doc.lines_of(name).lines:
            _print_line(line, console, _INDENT, table.heads[0].tone)
        for line in filter(doc.line_text, doc.lines_of(about).lines):
            _print_line(line, console, 2 * _INDENT + _GAP, doc.lines_of(about).tone)


def _print_stacked(table: doc.Table, console: Console) -> None:
    wide = max((columns(doc.line_text(doc.lines_of(row[0]).lines[0])) for row in table.rows), default=0)
    for number, *heads, body in table.rows:
        start = f"{doc.line_text(doc.lines_of(number).lines[0]):>{wide}}  "
        pieces = [piece for head in heads for piece in doc.pieces(doc.lines_of(head).lines[0])]
        room = max(console.width - _INDENT - len(start), _NARROW)
        for row_of_text in _with_style(tuple(pieces)).wrap(console, room):
            console.print(Padding(Text.assemble((start, "dim"), row_of_text), (0, 0, 0, _INDENT), expand=False))
            start = " " * len(start)
        for line in doc.lines_of(body).lines:
            _print_line(line, console, _INDENT + wide + 4)


def _grids(table: doc.Table, width: int) -> Iterator[Grid]:
    heads = table.heads
    widths = [_widest([head.title, *(row[place] for row in table.rows)]) for place, head in enumerate(heads)]
    if not table.keys or sum(widths) + _GAP * (len(widths) - 1) <= width:
        yield _grid(table, list(range(len(heads))), None)
        return
    keys = list(range(table.keys))
    widths = [
        min(wide, _KEY, width // 2)
        if place in keys
        else max(min(_widest([heads[place].title]), _NARROW), min(_widest([row[place] for row in table.rows]), _CELL))
        for place, wide in enumerate(widths)
    ]
    block, room = list(keys), 0
    left = width - sum(widths[place] + _GAP for place in keys)
    for place in range(table.keys, len(heads)):
        if room + widths[place] > left and len(block) > len(keys):
            yield _grid(table, block, widths)
            table = _with_short_keys(table)
            block, room = list(keys), 0
        block.append(place)
        room += widths[place] + _GAP
    yield _grid(table, block, widths)


def _widest(cells: Sequence[doc.Line | doc.Lines]) -> int:
    return max((columns(doc.line_text(line)) for cell in cells for line in doc.lines_of(cell).lines), default=0)


def _with_short_keys(table: doc.Table) -> doc.Table:
    firsts = [doc.lines_of(row[0]).lines[0] for row in table.rows]
    if len({doc.line_text(first) for first in firsts}) < len(firsts):
        return table
    rows = [(first, *row[1:]) for first, row in zip(firsts, table.rows, strict=True)]
    return doc.Table(table.columns, rows, keys=table.keys)


def _grid(table: doc.Table, places: Sequence[int], widths: Sequence[int] | None) -> Grid:
    heads = [table.heads[place] for place in places]
    grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim")
    grid.show_header = table.has_titles
    for place, head in zip(places, heads, strict=True):
        grid.add_column(
            _cell(head.title) if widths is None else _fold(head.title, widths[place]),
            justify="right" if head.is_number else "left",
            style=_STYLES[head.tone],
            width=None if widths is None else widths[place],
            no_wrap=head.fixed,
            overflow="fold",
        )
    for row in table.rows:
        grid.add_row(*(_cell(row[place]) for place in places))
    return grid


def _cell(cell: doc.Line | doc.Lines) -> Text:
    return Text("\n").join(_with_style(line, doc.lines_of(cell).tone) for line in doc.lines_of(cell).lines)


def _fold(title: doc.Line | doc.Lines, width: int) -> Text:
    lines = [""]
    for name in map(doc.line_text, doc.lines_of(title).lines):
        lines.append("")
        for syllable in plain(name).replace("_", "_\0").split("\0"):
            for piece in wrap(syllable, width):
                lines[-1:] = [lines[-1] + piece] if columns(lines[-1] + piece) <= width else [lines[-1], piece]
    return Text("\n".join(lines[1:]))
