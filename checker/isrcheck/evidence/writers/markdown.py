"""A document as Markdown."""

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby

from isrcheck.evidence import document as doc
from isrcheck.wrap import plain

_BOLD = (doc.Tone.STRONG, doc.Tone.BAD, doc.Tone.UNSURE)


def markdown_of(document: doc.Document) -> str:
    """Write a document as Markdown, its title as a heading ##."""
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
        case doc.Verbatim(content=content, language=language):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", content)), default=0))
            return "\n".join([fence + language, *map(plain, content.splitlines()), fence])
        case doc.Fold(summary=summary, blocks=blocks):
            # HTML up to the next empty line: Markdown's escapes would be shown
            title = escape(plain(doc.line_text(summary)))
            return f"<details><summary>{title}</summary>\n\n{markdown_of(blocks)}\n</details>"
    return ""


def _line(line: doc.Line, tone: doc.Tone = doc.Tone.PLAIN) -> str:
    looks = groupby(doc.pieces(line), lambda piece: _mark_up(tone if piece.tone is doc.Tone.PLAIN else piece.tone))
    return "".join(look("".join(piece.content for piece in pieces)) for look, pieces in looks).strip()


def _mark_up(tone: doc.Tone) -> Callable[[str], str]:
    return code if tone is doc.Tone.CODE else _bold if tone in _BOLD else safe


def _bold(content: str) -> str:
    before, after = content[: len(content) - len(content.lstrip())], content[len(content.rstrip()) :]
    return f"{before}**{safe(content.strip())}**{after}" if content.strip() else content


def _table(table: doc.Table) -> Iterator[str]:
    heads = table.heads
    if table.caption:
        yield from (_line(table.caption), "")
    yield _row(["<br>".join(map(_line, doc.lines_of(head.title).lines)) for head in heads])
    yield "|" + "|".join("---:" if head.is_number else "---" for head in heads) + "|"
    for row in table.rows:
        yield _row([_cell(doc.lines_of(cell), head) for cell, head in zip(row, heads, strict=True)])


def _cell(cell: doc.Lines, head: doc.Column) -> str:
    tone = head.tone if cell.tone is doc.Tone.PLAIN else cell.tone
    return "<br>".join(_line(line, tone) for line in cell.lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def code(content: str) -> str:
    content = plain(content).replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", content)), default=0))
    gap = " " if "`" in content else ""
    return f"{ticks}{gap}{content}{gap}{ticks}"


def safe(content: str) -> str:
    """Escape all that would be markup."""
    return re.sub(r"([\\`*_\[\]<>|~#&])", r"\\\1", plain(content))
