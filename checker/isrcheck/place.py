"""Places in a model's source."""

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_WIDEST = 160  # letters around a place


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A span of one line; lines count from 1, columns from 0. Line 0: no text is known."""

    file: str
    line: int
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{_short(self.file)}:{self.line}:{self.column + 1}" if self.line else _short(self.file)

    def picture(self) -> str:
        """Return the line of the place, underlined; empty if it cannot be read."""
        source = source_line(self.file, self.line)
        if not source.strip():
            return ""
        number = f"  {self.line} | "
        start = max(0, self.column - _WIDEST // 2) if len(source) > _WIDEST else 0
        shown = source[start : start + _WIDEST]
        width = max(1, min(self.end_column - start, len(shown)) - (self.column - start))
        return f"{number}{shown}\n{' ' * (len(number) - 2)}| {' ' * (self.column - start)}{'^' * width}"


NOWHERE = Place("", 0)
unsaved: dict[str, bytes] = {}  # what an editor has of files, in the process that reads them for it; empty elsewhere


def source_text(file: str | Path) -> str:
    """A Python file as CPython decodes it. Raises OSError, SyntaxError or UnicodeDecodeError."""
    return importlib.util.decode_source(source_bytes(file))


def source_bytes(file: str | Path) -> bytes:
    """Return a file's bytes, or those that an editor has not saved yet. Raises OSError."""
    known = unsaved.get(str(file))
    return Path(file).read_bytes() if known is None else known


@cache
def source_lines(file: str) -> tuple[str, ...]:
    """All lines of a file, as CPython counts them; none if it cannot be read."""
    try:
        return tuple(source_text(file).split("\n"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ()


def character(file: str, line: int, byte: int) -> int:
    """The column in characters for one in bytes of UTF-8, as `ast` and tracebacks count."""
    source = source_line(file, line)
    return byte if source.isascii() else len(source.encode()[:byte].decode(errors="ignore"))


def source_line(file: str, line: int) -> str:
    """Return a line of a file; empty if there is none."""
    lines = source_lines(file)
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _short(file: str) -> str:
    """The path relative to the working directory where it lies below it."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file
