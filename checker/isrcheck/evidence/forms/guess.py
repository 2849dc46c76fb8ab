"""The drawing of a trace whose model does not say how it is drawn."""

from collections import Counter
from typing import Any

from isrcheck.lang.drawing import Cells, Drawing, DrawingMark, Lane, Note, Ribbon

STATE = "state"  # lane of other variables


def guess(first: dict[str, Any]) -> Drawing:
    """A lane per member of the sort that keys most maps of a state."""
    keys = Counter(owners for value in first.values() if (owners := _owners(value)))
    lanes = keys.most_common(1)[0][0] if keys else ()
    own = [n for n, v in first.items() if lanes and _owners(v) == lanes]
    rest = [n for n in first if n not in own]
    words: list[DrawingMark] = [Lane(STATE)] if rest else []
    words += [Lane(each=own[0])] if own else []
    words += [_mark_of(name, first[name]["map"][0][1]) for name in own]
    return Drawing(*words, *(Note(name, name, on=STATE) for name in rest))


def _owners(value: Any) -> tuple[str, ...]:
    if not (isinstance(value, dict) and value.get("map")):
        return ()
    keys = tuple(k for k, _ in value["map"])
    return keys if all(isinstance(key, str) for key in keys) else ()


def _mark_of(name: str, value: Any) -> DrawingMark:
    if isinstance(value, list):
        return Cells(name)
    return Ribbon(name, name) if isinstance(value, dict) and "set" in value else Note(name, name)
