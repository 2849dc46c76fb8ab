"""The words of a drawing as the JSON inside a trace."""

from dataclasses import MISSING, asdict, fields
from typing import Any, get_args

from isrcheck.lang.drawing import Drawing, Word

_WORDS: dict[str, type[Word]] = {w.__name__.lower(): w for w in get_args(Word)}


def drawing_to_json(drawing: Drawing) -> list[dict[str, Any]]:
    """The words as plain data; what is left out of one has its default."""
    return [{"word": type(word).__name__.lower(), **_given(word)} for word in drawing.words]


def _given(word: Word) -> dict[str, Any]:
    defaults = {f.name: f.default for f in fields(word)}
    return {n: v for n, v in asdict(word).items() if defaults[n] is MISSING or v != defaults[n]}


def drawing_from_json(data: list[dict[str, Any]]) -> Drawing:
    """The drawing that a trace holds. Raises ValueError, TypeError or KeyError for one that is none."""
    return Drawing(*(_word(dict(entry)) for entry in data))


def _word(entry: dict[str, Any]) -> Word:
    kind = _WORDS[entry.pop("word")]
    types = {f.name: f.type for f in fields(kind)}
    if any(type(value) is not types[name] for name, value in entry.items()):
        raise ValueError("a word of the drawing that can be read")
    return kind(**entry)
