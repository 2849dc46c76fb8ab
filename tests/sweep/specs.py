"""Specs as texts, expanded."""

from isrcheck.grid.cells import Expansion, expand
from isrcheck.grid.spec import parse_spec


def expanded(text: str) -> Expansion:
    return expand(parse_spec(text, "s.toml"))


def grid(**keys: str) -> str:
    """A spec of one grid: a key a line, from line 2."""
    return "[[grid]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
