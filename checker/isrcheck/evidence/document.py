"""What a report says before it has a form: headings, paragraphs, lists, tables, code and pictures.

The functions in `writers` give a document its form: for a terminal, as Markdown, or as a page for a browser. They
replace what a terminal or a browser would act upon, so that texts here are as they come.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial


class Tone(Enum):
    """What a text means for its reader; each writer has its own look for it."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    CODE = "code"
    GOOD = "good"
    WITHIN = "within"  # good as far as bounds let one see
    UNSURE = "unsure"
    BAD = "bad"


@dataclass(frozen=True)
class Piece:
    """A piece of a line; `link` is an address, which only pages show."""

    text: str
    tone: Tone = Tone.PLAIN
    link: str = ""


strong = partial(Piece, tone=Tone.STRONG)
quiet = partial(Piece, tone=Tone.QUIET)
code = partial(Piece, tone=Tone.CODE)
good = partial(Piece, tone=Tone.GOOD)
unsure = partial(Piece, tone=Tone.UNSURE)
bad = partial(Piece, tone=Tone.BAD)

Line = str | Piece | tuple[str | Piece, ...]


def pieces(line: Line) -> Iterator[Piece]:
    for piece in line if isinstance(line, tuple) else (line,):
        yield piece if isinstance(piece, Piece) else Piece(piece)


def line_text(line: Line) -> str:
    """A line without its tones."""
    return "".join(piece.text for piece in pieces(line))


@dataclass(frozen=True)
class Heading:
    """A title; the first of a document is also the title of its page. Levels are 1 to 3."""

    line: Line
    level: int = 2


@dataclass(frozen=True, init=False)
class Paragraph:
    """Lines that belong together; one that begins with blanks is indented on a terminal."""

    lines: tuple[Line, ...]
    tone: Tone

    def __init__(self, *lines: Line, tone: Tone = Tone.PLAIN) -> None:
        object.__setattr__(self, "lines", lines)
        object.__setattr__(self, "tone", tone)


@dataclass(frozen=True)
class Bullets:
    items: Sequence[Line]


@dataclass(frozen=True)
class Column:
    """A column by its title. Numbers stand on the right; what is `fixed` is never broken."""

    title: "Line | Lines" = ""
    is_number: bool = False
    fixed: bool = False
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Lines:
    """A cell of several lines, or of a tone; `hint` is for whoever points at it or hears it."""

    lines: Sequence[Line]
    tone: Tone = Tone.PLAIN
    hint: str = ""


TableRow = Sequence[Line | Lines]


@dataclass(frozen=True)
class Table:
    """Rows under columns; without any title there is no head.

    On a terminal, a table with `keys` that is too wide is shown in blocks which all begin with so many columns, and one
    that is `stacked` has its last column below the others.
    """

    columns: Sequence[Column | str]
    rows: Sequence[TableRow]
    caption: Line = ""
    keys: int = 0
    stacked: bool = False

    @property
    def heads(self) -> list[Column]:
        return [column if isinstance(column, Column) else Column(column) for column in self.columns]

    @property
    def has_titles(self) -> bool:
        return any(title_text(head) for head in self.heads)


@dataclass(frozen=True)
class Verbatim:
    """Text that is shown as it stands, such as a command."""

    text: str


@dataclass(frozen=True)
class Fold:
    """Blocks behind a summary, which a page and Markdown fold away."""

    summary: Line
    blocks: Iterable["Block"]


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, which only pages show; `about` says what it is of."""

    svg: str
    about: str


Block = Heading | Paragraph | Bullets | Table | Verbatim | Picture | Fold
Document = Iterable[Block]


def lines_of(cell: Line | Lines) -> Lines:
    return cell if isinstance(cell, Lines) else Lines((cell,))


def title_text(column: Column) -> str:
    """The first line of a column's title."""
    return line_text(lines_of(column.title).lines[0])
