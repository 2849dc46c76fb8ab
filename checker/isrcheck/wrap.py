"""Text that fits and does no harm."""

import unicodedata
from collections.abc import Iterator

_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # letters that turn a line of text around


def plain(text: str) -> str:
    """The text with whatever a terminal or a page would act upon replaced."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs", "Cn") or c in _TURNS else c for c in text)


def columns(text: str) -> int:
    """How many letters wide a text is; East Asian ones count twice."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(text: str, width: int) -> list[str]:
    """The plain text in lines of at most this many letters, broken between words if it can be."""
    lines = [""]
    for word in text.split():
        for part in _parts(plain(word), max(width, 2)):
            together = f"{lines[-1]} {part}" if lines[-1] else part
            if columns(together) <= width:
                lines[-1] = together
            else:
                lines.append(part)
    return lines


def _parts(word: str, width: int) -> Iterator[str]:
    if columns(word) <= width:
        yield word
        return
    part, wide = "", 0
    for letter in word:
        if wide + columns(letter) > width:
            yield part
            part, wide = "", 0
        part += letter
        wide += columns(letter)
    yield part


def first_paragraph(doc: str) -> str:
    return " ".join(doc.split("\n\n")[0].split())
