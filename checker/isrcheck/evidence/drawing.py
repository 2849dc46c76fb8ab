"""The words of a drawing inside a trace, and the drawing of a model that says nothing."""

from collections import Counter
from dataclasses import MISSING, asdict, fields
from typing import Any, get_args

from isrcheck.lang.drawing import Cells, Drawing, Lane, Note, Ribbon, Word

_WORDS: dict[str, type[Word]] = {w.__name__.lower(): w for w in get_args(Word)}

STATE = "state"  # the lane of whatever belongs to nobody


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


def guess(first: dict[str, Any]) -> Drawing:
    """A drawing for a trace, from the encoded values of a state: a lane per member of the sort that keys most maps."""
    keys = Counter(owners for value in first.values() if (owners := _owners(value)))
    lanes = keys.most_common(1)[0][0] if keys else ()
    own = [n for n, v in first.items() if lanes and _owners(v) == lanes]
    rest = [n for n in first if n not in own]
    words: list[Word] = [Lane(STATE)] if rest else []
    words += [Lane("", own[0])] if own else []
    words += [_shown(name, first[name]["map"][0][1]) for name in own]
    return Drawing(*words, *(Note(name, name, on=STATE) for name in rest))


def _owners(value: Any) -> tuple[str, ...]:
    """The keys of a map from named things."""
    if not (isinstance(value, dict) and value.get("map")):
        return ()
    keys = tuple(key for key, _ in value["map"])
    return keys if all(isinstance(key, str) for key in keys) else ()


def _shown(name: str, value: Any) -> Word:
    if isinstance(value, list):
        return Cells(name)
    return Ribbon(name, name) if isinstance(value, dict) and "set" in value else Note(name, name)
