"""What the words of a drawing name in a state, and how they are said."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from isrcheck.lang.drawing import Cells, Crown, Mark, Note, Phrase, Ribbon
from isrcheck.run.trace import Trace, TraceStep, Value, differences, shown

W = TypeVar("W", Cells, Mark, Crown, Ribbon, Note)
_HOLE = re.compile(r"\{(\w+)(?:\?([^{}]*))?\}")  # {field}, {field?text}
_WAY = re.compile(r"\{(\w+)((?:\[\w+\])*)((?:\.\w+)?)\}")  # {parameter}, {parameter.field}, {variable[parameter]}


def said(value: Value, phrases: Sequence[Phrase]) -> Value:
    """A value with every record that a phrase is for as its text."""
    if not phrases:
        return value
    match value:
        case {"record": _, "fields": dict() as fields}:
            return next((_worded(p.caption, fields) for p in phrases if _is_for(p, fields)), value)
        case {"map": list() as entries}:
            return {"map": [[key, said(one, phrases)] for key, one in entries]}
        case list():
            return ", ".join(shown(said(one, phrases)) for one in value) or "none"
        case _:
            return value


def wording(trace: Trace, name: str, value: Value) -> Value:
    """A variable's value as the model wants it said."""
    words = trace.drawing.words if trace.drawing else ()
    return said(value, [word for word in words if isinstance(word, Phrase) and word.variable == name])


def changes(trace: Trace, before: dict[str, Value], after: dict[str, Value]) -> Iterator[tuple[str, str, str]]:
    """(path, value before, value after) of what differs, in the model's words."""
    for name, value in after.items():
        yield from differences(wording(trace, name, before[name]), wording(trace, name, value), name)


def filled(text: str, step: TraceStep, before: TraceStep, phrases: Iterable[Phrase]) -> str:
    """The text with the values of its {parameter}s and {variable[parameter]}s before."""
    known = tuple(phrases)

    def worded(found: re.Match[str]) -> str:
        name = found[1]
        keys = re.findall(r"\w+", found[2])
        if not keys:
            value = step.arguments.get(name, found[0])
            if found[3]:
                value = value.get("fields", {}).get(found[3][1:]) if isinstance(value, dict) else found[0]
            return shown(value)
        value = before.state.get(name)
        for key in keys:
            value = entry(value, key_of(key, step.arguments))
        return found[0] if value is None else shown(said(value, [p for p in known if p.variable == name]))

    return _WAY.sub(worded, text)


def key_of(word: str, arguments: Mapping[str, Value]) -> Value:
    """Of a text that names a parameter, a place such as 0, or a member of an enumeration by its name."""
    return arguments[word] if word in arguments else int(word) if word.isdecimal() else word


def entry(value: Value, key: Value) -> Value:
    """What a map or a list has there; None if it has nothing."""
    match value:
        case {"map": list() as entries}:
            return next((one for known, one in entries if known == key), None)
        case list() if isinstance(key, int) and 0 <= key < len(value):
            return value[key]
        case _:
            return None


def _is_for(phrase: Phrase, fields: dict[str, Any]) -> bool:
    return not phrase.field or (phrase.field in fields and shown(fields[phrase.field]) == phrase.value)


def _worded(text: str, fields: dict[str, Any]) -> str:
    def hole(found: re.Match[str]) -> str:
        name, more = found[1], found[2]
        if name not in fields:
            return found[0]
        if more is None:
            return shown(fields[name])
        return more if fields[name] else ""

    return _HOLE.sub(hole, text)


def value_of(step: TraceStep, path: str) -> Value:
    """A variable, a field of one or of each of a map's values, or what was asked of the state; or None."""
    name, *fields = path.split(".")
    value = step.state.get(name, step.seen.get(name))
    for field in fields:
        value = _field(value, field)
    return value


def _field(value: Value, field: str) -> Value:
    if not isinstance(value, dict):
        return None
    if "map" in value:
        return {"map": [[key, _field(entry, field)] for key, entry in value["map"]]}
    return value.get("fields", {}).get(field)


def entries_of(value: Value) -> list[tuple[Value, Value]]:
    return value.get("map", []) if isinstance(value, dict) else []


def at_lane(word: W, lane: str, step: TraceStep) -> Value:
    """What a word's variable is in a lane; None where it has nothing to say."""
    if word.on:
        return value_of(step, word.variable) if word.on == lane else None
    return next((v for k, v in entries_of(value_of(step, word.variable)) if shown(k) == lane), None)


def is_placed(word: Note, lane: str, step: TraceStep) -> bool:
    """Whether a note belongs to a lane, whatever its value is."""
    return word.on == lane if word.on else any(shown(k) == lane for k, _ in entries_of(value_of(step, word.variable)))


def members_of(value: Value) -> list[str]:
    return [shown(v) for v in value["set"]] if isinstance(value, dict) and "set" in value else []


def record_name(word: Cells, entry: Value, offset: int) -> str:
    if entry is None:
        return f"record {offset}"
    label, colour = label_of(word, entry, offset), colour_of(word, entry)
    return f"record {label} of {word.colour} {colour}" if colour else f"record {label}"


def label_of(word: Cells, entry: Value, offset: int) -> str:
    fields = entry.get("fields", {}) if isinstance(entry, dict) else {}
    if entry is None or (word.colour and not fields):
        return str(offset)
    return shown(fields[word.label]) if word.label in fields else shown(entry)


def colour_of(word: Cells, entry: Value) -> str:
    fields = entry.get("fields", {}) if isinstance(entry, dict) else {}
    if fields:
        return shown(fields[word.colour]) if word.colour in fields else ""
    return shown(entry) if word.colour and entry is not None else ""


def share_of(value: Value, limit: Value) -> float | None:
    return value / limit if isinstance(value, int) and isinstance(limit, int) and limit else None


def plain_value(value: Value) -> str:
    return "none" if value is None else shown(value)
