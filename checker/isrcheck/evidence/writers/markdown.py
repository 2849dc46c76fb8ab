"""A document as Markdown, for a pull request or an issue."""

import re
from collections.abc import Iterator

from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.forms.wrap import plain

_BOLD = (Tone.STRONG, Tone.BAD, Tone.UNSURE)


def markdown_of(document: doc.Document) -> str:
    """The blocks, a blank line between two of them. The highest heading is of Markdown's second level."""
    return "\n\n".join(_block(block) for block in document if not isinstance(block, doc.Picture)) + "\n"


def _block(block: doc.Block) -> str:
    match block:
        case doc.Heading(line=line, level=level):
            return f"{'#' * (level + 1)} {_line(line)}"
        case doc.Paragraph(lines=lines, tone=tone):
            return "  \n".join(_line(line, tone) for line in lines)
        case doc.Bullets(items=items):
            return "\n".join(f"- {_line(item)}" for item in items)
        case doc.Table():
            return "\n".join(_table(block))
        case doc.Verbatim(text=text):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            return "\n".join([fence, *map(plain, text.splitlines()), fence])
        case doc.Fold(summary=summary, blocks=blocks):
            return f"<details><summary>{_line(summary)}</summary>\n\n{markdown_of(blocks)}\n</details>"
    return ""


def _line(line: doc.Line, tone: Tone = Tone.PLAIN) -> str:
    texts = "".join(_piece(piece, tone) for piece in doc.pieces(line)).strip()
    return texts.replace("****", "")  # two bold pieces beside each other are one


def _piece(piece: doc.Piece, tone: Tone) -> str:
    if piece.tone is Tone.CODE:
        return code(piece.text)
    text, tone = safe(piece.text), tone if piece.tone is Tone.PLAIN else piece.tone
    if text.strip() and tone in _BOLD:
        blanks = len(text) - len(text.lstrip())
        return f"{text[:blanks]}**{text.strip()}**{' ' * (len(text) - len(text.rstrip()))}"
    return text


def _table(table: doc.Table) -> Iterator[str]:
    heads = table.heads()
    if table.caption:
        yield from (_line(table.caption), "")
    yield _row([_line(head.title) for head in heads])
    yield "|" + "|".join("---:" if head.is_number else "---" for head in heads) + "|"
    for row in table.rows:
        tones = [_tone(cell, head) for cell, head in zip(row, heads, strict=True)]
        yield _row(
            [
                "<br>".join(_line(line, tone) for line in doc.cell_lines(cell))
                for cell, tone in zip(row, tones, strict=True)
            ]
        )


def _tone(cell: doc.Line | doc.Lines, head: doc.Column) -> Tone:
    tone = doc.cell_tone(cell)
    return head.tone if tone is Tone.PLAIN else tone


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def code(text: str) -> str:
    """Text as code; a table's bar and a back quote would end it."""
    text = plain(text).replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def safe(text: str) -> str:
    """Text in which Markdown and HTML read nothing but text."""
    return re.sub(r"([\\`*_\[\]<>|~#&])", r"\\\1", plain(text))
