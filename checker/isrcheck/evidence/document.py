"""A report before it has a form."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from msgspec import Struct


class Tone(Enum):
    """The meaning of a text for its reader."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    CODE = "code"
    GOOD = "good"
    WITHIN = "within"  # good within bounds
    UNSURE = "unsure"
    BAD = "bad"


class Piece(Struct, frozen=True):
    """A piece of a line: its text, its tone, and a `link` that only pages show."""

    content: str
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
    return "".join(piece.content for piece in pieces(line))


class Heading(Struct, frozen=True):
    """A title; the first is the page's."""

    line: Line
    level: int = 2  # 1 to 3


@dataclass(init=False)
class Paragraph:
    """Lines that belong together."""

    lines: tuple[Line, ...]
    tone: Tone

    def __init__(self, *lines: Line, tone: Tone = Tone.PLAIN) -> None:
        self.lines = lines
        self.tone = tone


class Bullets(Struct, frozen=True):
    items: Sequence[Line]


class Column(Struct, frozen=True):
    title: "Line | Lines" = ""
    is_number: bool = False  # on the right
    fixed: bool = False  # never broken
    tone: Tone = Tone.PLAIN


class Lines(Struct, frozen=True):
    lines: Sequence[Line]
    tone: Tone = Tone.PLAIN
    hint: str = ""


TableRow = Sequence[Line | Lines]


class Table(Struct, frozen=True):
    """Rows; wide ones are cut in blocks."""

    columns: Sequence[Column | str]
    rows: Sequence[TableRow]
    caption: Line = ""
    keys: int = 0  # columns in every block
    stacked: bool = False  # last cell below

    @property
    def heads(self) -> list[Column]:
        return [column if isinstance(column, Column) else Column(column) for column in self.columns]

    @property
    def has_titles(self) -> bool:
        return any(map(title_text, self.heads))


class Verbatim(Struct, frozen=True):
    """Text that is shown as it stands."""

    content: str
    language: str = ""  # of the fence, in Markdown


class Fold(Struct, frozen=True):
    """Blocks that pages fold away."""

    summary: Line
    blocks: Iterable["Block"]


class Picture(Struct, frozen=True):
    """A drawing that only pages show."""

    svg: str
    about: str


Block = Heading | Paragraph | Bullets | Table | Verbatim | Picture | Fold
Document = Iterable[Block]


NAME = Column(fixed=True, tone=Tone.STRONG)


def section(title: str, rows: Sequence[TableRow]) -> Iterator[Block]:
    """Yield names with what is said of each below a title; nothing without names."""
    if rows:
        yield Heading(title)
        yield Table([NAME, ""], rows)


def lines_of(cell: Line | Lines) -> Lines:
    return cell if isinstance(cell, Lines) else Lines((cell,))


def title_text(column: Column) -> str:
    return line_text(lines_of(column.title).lines[0])
