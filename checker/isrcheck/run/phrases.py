"""Records as a model wants them said, such as a message by its name: texts in the place of encoded values."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from isrcheck.lang.drawing import Phrase
from isrcheck.run.trace import Trace, TraceStep, Value, differences, shown

_HOLE = re.compile(r"\{(\w+)(?:\?([^{}]*))?\}")  # {field}, {field?text}
_WAY = re.compile(r"\{(\w+)((?:\[\w+\])*)((?:\.\w+)?)\}")  # {parameter}, {parameter.field}, {variable[parameter]}


def said(value: Value, phrases: Sequence[Phrase]) -> Value:
    """A value with every record that a phrase is for as its text, and a list of such texts as one."""
    if not phrases:
        return value
    match value:
        case {"record": _, "fields": dict() as fields}:
            return next((_worded(p.text, fields) for p in phrases if _is_for(p, fields)), value)
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
    """(path, value before, value after) of what differs between two states; records as the model wants them said."""
    for name, value in after.items():
        yield from differences(wording(trace, name, before[name]), wording(trace, name, value), name)


def filled(text: str, step: TraceStep, before: TraceStep, phrases: Iterable[Phrase]) -> str:
    """The text with arguments for its {parameter}s, and with values of the state before for {variable[parameter]}."""
    known = tuple(phrases)

    def worded(found: re.Match[str]) -> str:
        name, keys = found[1], re.findall(r"\w+", found[2])
        if not keys:
            value = step.arguments.get(name, found[0])
            if found[3]:
                value = value.get("fields", {}).get(found[3][1:]) if isinstance(value, dict) else found[0]
            return shown(value)
        value = before.state.get(name)
        for key in keys:
            value = entry(value, step.arguments.get(key))
        return found[0] if value is None else shown(said(value, [p for p in known if p.variable == name]))

    return _WAY.sub(worded, text)


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
