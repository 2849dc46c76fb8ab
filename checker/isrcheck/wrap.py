"""Text that fits and does no harm."""

import unicodedata
from collections.abc import Iterator

_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # letters that turn a line of text around


def plain(raw: str) -> str:
    """The text with whatever a terminal or a page would act upon replaced."""
    if raw.isascii() and raw.isprintable():
        return raw
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs", "Cn") or c in _TURNS else c for c in raw)


def columns(line: str) -> int:
    """How many letters wide a text is; East Asian ones count twice."""
    if line.isascii():
        return len(line)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def wrap(paragraph: str, width: int) -> list[str]:
    """The plain text in lines of at most this many letters, broken between words if it can be."""
    lines = [""]
    for token in paragraph.split():
        for piece in _pieces(plain(token), max(width, 2)):
            together = f"{lines[-1]} {piece}" if lines[-1] else piece
            if columns(together) <= width:
                lines[-1] = together
            else:
                lines.append(piece)
    return lines


def _pieces(token: str, width: int) -> Iterator[str]:
    if columns(token) <= width:
        yield token
        return
    piece, wide = "", 0
    for letter in token:
        if wide + columns(letter) > width:
            yield piece
            piece, wide = "", 0
        piece += letter
        wide += columns(letter)
    yield piece


def compact(value: str) -> str:
    """Return a value without blanks, by which two ways of writing it are compared."""
    return "".join(value.split())


def first_paragraph(doc: str) -> str:
    return " ".join(doc.split("\n\n")[0].split())
