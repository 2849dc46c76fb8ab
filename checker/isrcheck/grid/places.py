"""Where the keys of a TOML text stand: tomllib says what is there, not where."""

import re

_HEADER = re.compile(r"^\s*\[\[?\s*([^\]]*?)\s*\]\]?")


def line_of(text: str, table: str, position: int, *keys: str) -> int:
    """The line, from 1, of a key in the table [[`table`]] with this position, from 0; a key in a key is given after it.

    Where the key cannot be found, the line of what it should be in.
    """
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines) if _header(line) == table]
    if position >= len(starts):
        return 1
    first = starts[position]
    last = starts[position + 1] if position + 1 < len(starts) else len(lines)
    found = first
    for key in keys:
        found = _next(lines, found, last, table, key)
    return found + 1


def _header(line: str) -> str | None:
    match = _HEADER.match(line.partition("#")[0])
    return match[1] if match and "=" not in line.partition("[")[0] else None


def _next(lines: list[str], first: int, last: int, table: str, key: str) -> int:
    quoted = re.escape(key)
    written = re.compile(rf"""(?:^|[\s{{,])["']?{quoted}["']?\s*=(?!=)""")
    for number in range(first, last):
        if written.search(lines[number]) or _header(lines[number]) == f"{table}.{key}":
            return number
    return first
