"""The YAML of an Action, as far as ours uses it: mappings, steps, plain words and | blocks. Refuses the rest."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_KEY = re.compile(r"(?P<indent> *)(?P<item>- )?(?P<key>[A-Za-z_-]+):(?: (?P<value>.*))?")
_EXPRESSION = re.compile(r"\$\{\{ *([a-z_.-]+) *\}\}")

Lines = list[tuple[int, str]]  # the number of a line, from 1, and the line


def parse(text: str) -> Any:
    """The whole text as dicts, lists and texts. Raises ValueError, with the line, for anything else."""
    lines = [(n, line.rstrip()) for n, line in enumerate(text.splitlines(), 1)]
    value, rest = _block(lines, 0)
    if any(line for _, line in rest):
        raise ValueError(f"line {rest[0][0]} is not understood")
    return value


def _block(lines: Lines, indent: int) -> tuple[Any, Lines]:
    items: list[Any] = []
    table: dict[str, Any] = {}
    while lines:
        number, line = lines[0]
        if not line:
            lines = lines[1:]
            continue
        match = _KEY.fullmatch(line)
        if match is None:
            raise ValueError(f"line {number} is not understood: {line}")
        if len(match["indent"]) < indent:
            break
        if len(match["indent"]) > indent:
            raise ValueError(f"line {number} is indented too far")
        if match["item"]:
            inner: Lines = [(number, " " * (indent + 2) + line[indent + 2 :]), *lines[1:]]
            item, lines = _block(inner, indent + 2)
            items.append(item)
            continue
        if match["key"] in table:
            raise ValueError(f"line {number} says {match['key']} again")
        written = match["value"] or ""
        if match["key"] == "uses":
            written = re.sub(r" # v[0-9.]+$", "", written)  # the version of a commit
        table[match["key"]], lines = _value(written, lines[1:], indent, number)
    if items and table:
        raise ValueError("a list and a table in one place")
    return items or table, lines


def _value(written: str, lines: Lines, indent: int, number: int) -> tuple[Any, Lines]:
    if written == "|":
        count = next((n for n, (_, x) in enumerate(lines) if x and len(x) - len(x.lstrip()) <= indent), len(lines))
        block, rest = lines[:count], lines[count:]
        return "\n".join(line[indent + 2 :] for _, line in block).rstrip("\n") + "\n", rest
    if not written:
        return _block(lines, indent + 2)
    if written[0] == '"' and written[-1] == '"' and '"' not in written[1:-1] and "\\" not in written:
        return written[1:-1], lines
    if written[0] in "\"'[{&*!>%@`|#" or ": " in written or " #" in written:
        raise ValueError(f"line {number} has a value that is not understood: {written}")
    return written, lines


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its ${{ expressions }}. Raises KeyError for one that is not among the values."""
    return _EXPRESSION.sub(lambda found: values[found[1]], text)


def expressions(text: str) -> Iterator[str]:
    """What stands in ${{ }}."""
    return iter(_EXPRESSION.findall(text))
