"""Values of a state that a drawing's marks name, and their wording."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from isrcheck.lang.drawing import (
    HOLE,
    Badge,
    Blame,
    Cells,
    Change,
    Crown,
    Mark,
    Note,
    Phrase,
    Receipt,
    Ribbon,
    Sentence,
    Since,
)
from isrcheck.run.trace import Trace, TraceStep, Value, differences, show_encoded

W = TypeVar("W", Cells, Mark, Crown, Ribbon, Note)
_FIELD = re.compile(r"\{(\w+)(?:\?([^{}]*))?\}")  # {field}, {field?text}


def put_phrases(value: Value, phrases: Sequence[Phrase]) -> Value:
    """Replace every record that a phrase is for by that phrase."""
    if not phrases:
        return value
    match value:
        case {"record": _, "fields": dict() as fields}:
            return next((_fill_phrase(p.caption, fields) for p in phrases if _is_for(p, fields)), value)
        case {"map": list() as entries}:
            return {"map": [[key, put_phrases(one, phrases)] for key, one in entries]}
        case list():
            return ", ".join(show_encoded(put_phrases(one, phrases)) for one in value) or "none"
        case _:
            return value


def phrase_value(trace: Trace, name: str, value: Value) -> Value:
    """Put a variable's value into the model's own phrases."""
    words = trace.drawing.words if trace.drawing else ()
    return put_phrases(value, [mark for mark in words if isinstance(mark, Phrase) and mark.variable == name])


def changes(trace: Trace, before: dict[str, Value], after: dict[str, Value]) -> Iterator[tuple[str, str, str]]:
    """(path, value before, value after) of what differs, in the model's words."""
    for name, value in after.items():
        yield from differences(phrase_value(trace, name, before[name]), phrase_value(trace, name, value), name)


def fill_template(template: str, step: TraceStep, before: TraceStep, phrases: Sequence[Phrase]) -> str:
    """Fill a template with the values of its {parameter}s, and of its {variable[parameter]}s before the step."""

    def substitute(hole: re.Match[str]) -> str:
        names, keys, field = hole[1].split(", "), re.findall(r"\w+", hole[2]), hole[3][1:]
        if not keys:
            values = [step.arguments.get(name, hole[0]) for name in names]
            values = [_field(value, field) if field and isinstance(value, dict | list) else value for value in values]
            return " and ".join(dict.fromkeys(map(plain_value, values)))
        value = value_of(before, names[0])
        for key in keys:
            value = element_at(value, key_of(key, step.arguments))
        if value is None:
            return hole[0]
        value = put_phrases(value, [p for p in phrases if p.variable == names[0]])
        return plain_value(_field(value, field) if field else value)

    return HOLE.sub(substitute, template)


def sentence_of(words: Sequence[Any], step: TraceStep, before: TraceStep) -> str:
    """The sentence of a step, with what it changed; "" if its action has none."""
    said = bare_sentence_of(words, step, before)
    changed = dict.fromkeys(
        c for w in words if isinstance(w, Change) and said for c in _changes_of(w, step, before, words) if c
    )
    return f"{said}: {', '.join(changed)}" if changed else said


def bare_sentence_of(words: Sequence[Any], step: TraceStep, before: TraceStep) -> str:
    """The sentence of a step without what it changed."""
    caption = next((w.caption for w in words if isinstance(w, Sentence) and w.action == step.action), "")
    return fill_template(caption, step, before, [w for w in words if isinstance(w, Phrase)])


def cause_of(words: Sequence[Any], step: TraceStep, before: TraceStep) -> str:
    """The step as what did something: whose log it cut, or its sentence, or its call."""
    return step.truncation or bare_sentence_of(words, step, before) or step.call


def blame_of(words: Sequence[Any], trace: Trace, lanes: Sequence[str]) -> tuple[str, str, str]:
    """The lane that broke the property, if known, how, and since when what it broke it by is as it is."""
    last = trace.steps[-1]
    about = TraceStep("", {**last.state, **last.answers, **last.arguments, **trace.witness}, {})
    for blame in (w for w in words if isinstance(w, Blame) and w.property == trace.name):
        lane = show_encoded(about.arguments.get(blame.lane, blame.lane))
        if lane in lanes:
            how = fill_template(blame.caption, about, last, [w for w in words if isinstance(w, Phrase)])
            marks = (w for w in words if isinstance(w, Since) and w.property == trace.name)
            return lane, f"{lane} {how}", "".join(f" {s}." for w in marks for s in _since(w, words, trace, lane, about))
    return "", "", ""


def _since(mark: Since, words: Sequence[Any], trace: Trace, lane: str, about: TraceStep) -> Iterator[str]:
    """Say in which step a set last became what the mark asks of it, if in any."""
    sets = [set(members_of(value_of(step, mark.variable))) for step in trace.steps]
    for number in range(len(sets) - 1, 0, -1):
        gone, new = sets[number - 1] - sets[number] - sets[-1], sets[-1] & sets[number] - sets[number - 1]
        if gone if "{gone}" in mark.caption else lane in new:
            holes = {"culprit": lane, "gone": " and ".join(sorted(gone)), "number": str(number)}
            said = _fill(fill_template(mark.caption, about, trace.steps[-1], ()), holes)
            cause = cause_of(words, trace.steps[number], trace.steps[number - 1])
            yield said if "{number}" in mark.caption else f"{said} step {number}: {cause}"
            return


def _changes_of(change: Change, step: TraceStep, before: TraceStep, words: Sequence[Any]) -> Iterator[str]:
    if change.action not in ("", step.action):
        return
    now, then = value_of(step, change.variable), value_of(before, change.variable)
    alike: dict[str, tuple[list[str], Value]] = {}
    for key, value, old in _values_of(None, now, then):
        if value != old:
            alike.setdefault(show_encoded(value), ([], value))[0].append(show_encoded(key))
    for shown, (keys, value) in alike.items():
        members = " and ".join(members_of(value))
        holes = {"value": shown, "key": " and ".join(keys), "members": members}
        holes["end"] = str(len(value) if isinstance(value, list) else value)
        ribbons = (w for w in words if isinstance(w, Ribbon) and w.on)
        sources = (w.name for w in ribbons if holes["value"] in members_of(value_of(before, w.variable)))
        holes["among"] = next((f" from the {name}" for name in sources), "")
        is_absent = value is None or ("{members}" in change.caption and not members)
        yield _fill(change.absent if is_absent else change.caption, holes)


def _values_of(key: Value, now: Value, then: Value) -> Iterator[tuple[Value, Value, Value]]:
    """The values of a map, and of maps in it, each with its key and the value before."""
    if not entries_of(now):
        yield key, now, then
    for inner, value in entries_of(now):
        yield from _values_of(inner, value, element_at(then, inner))


def _fill(caption: str, holes: dict[str, str]) -> str:
    return _FIELD.sub(lambda hole: holes.get(hole[1], hole[0]), caption)


def receipts_of(receipt: Receipt, step: TraceStep, cells: Cells | None) -> Iterator[tuple[int, str]]:
    """Offset and name of each record of which somebody was told that it is safe."""
    value = value_of(step, receipt.variable)
    cells = cells or Cells("")
    if isinstance(value, list):
        yield from ((offset, record_name(cells, record, offset)) for offset, record in enumerate(value))
    for record in value.get("set", []) if isinstance(value, dict) else []:
        fields = record.get("fields", {})
        record_value = fields.get(cells.colour) if "offset" in fields and cells.colour else record
        yield fields.get("offset", 0), record_name(cells, record_value, fields.get("offset", 0))


def badges_of(words: Iterable[Any], lane: str, step: TraceStep) -> tuple[str, ...]:
    """The names that a lane wears, such as "down"."""
    badges = (w for w in words if isinstance(w, Badge))
    return tuple(badge.name for badge in badges if lane in members_of(value_of(step, badge.variable)))


def key_of(name: str, arguments: Mapping[str, Value]) -> Value:
    """The key that a template's text means: a parameter's value, an index, or an enumeration member."""
    return arguments[name] if name in arguments else int(name) if name.isdecimal() else name


def element_at(value: Value, key: Value) -> Value:
    """The element of a map or a list at a key; None if there is none."""
    match value:
        case {"map": list() as entries}:
            return next((one for known, one in entries if known == key), None)
        case list() if isinstance(key, int) and 0 <= key < len(value):
            return value[key]
        case _:
            return None


def _is_for(phrase: Phrase, fields: dict[str, Any]) -> bool:
    return not phrase.field or (phrase.field in fields and show_encoded(fields[phrase.field]) == phrase.value)


def _fill_phrase(template: str, fields: dict[str, Any]) -> str:
    def hole(field: re.Match[str]) -> str:
        name, more = field[1], field[2]
        if name not in fields:
            return field[0]
        return show_encoded(fields[name]) if more is None else more * bool(fields[name])

    return _FIELD.sub(hole, template)


def value_of(step: TraceStep, path: str) -> Value:
    """A variable, a field of one or of each of a map's values, or what was asked of the state; or None."""
    name, *fields = path.split(".")
    value = step.state.get(name, step.answers.get(name))
    for field in fields:
        value = _field(value, field)
    return value


def _field(value: Value, field: str) -> Value:
    if not isinstance(value, dict):
        return len(value) if isinstance(value, list) and field == "end" else None
    if "map" in value:
        return {"map": [[key, _field(inner, field)] for key, inner in value["map"]]}
    return value.get("fields", {}).get(field)


def entries_of(value: Value) -> list[tuple[Value, Value]]:
    return value.get("map", []) if isinstance(value, dict) else []


def at_lane(mark: W, lane: str, step: TraceStep) -> Value:
    """The value of a mark's variable in a lane; None where it has none."""
    if mark.on:
        return value_of(step, mark.variable) if mark.on == lane else None
    return next((v for k, v in entries_of(value_of(step, mark.variable)) if show_encoded(k) == lane), None)


def is_placed(note: Note, lane: str, step: TraceStep) -> bool:
    """Whether a note belongs to a lane, whatever its value is."""
    keys = (show_encoded(key) for key, _ in entries_of(value_of(step, note.variable)))
    return note.on == lane if note.on else lane in keys


def members_of(value: Value) -> list[str]:
    return [show_encoded(v) for v in value["set"]] if isinstance(value, dict) and "set" in value else []


def record_name(cells: Cells, record: Value, offset: int) -> str:
    if record is None:
        return f"record {offset}"
    label, colour = label_of(cells, record, offset), colour_of(cells, record)
    label = f"with {cells.label} {label}" if cells.label and label != str(offset) else label
    return f"record {label} of {cells.colour} {colour}" if colour else f"record {label}"


def label_of(cells: Cells, record: Value, offset: int) -> str:
    fields = record.get("fields", {}) if isinstance(record, dict) else {}
    if record is None or (cells.colour and not (fields and cells.label)):
        return str(offset)
    return show_encoded(fields[cells.label]) if cells.label in fields else show_encoded(record)


def colour_of(cells: Cells, record: Value) -> str:
    fields = record.get("fields", {}) if isinstance(record, dict) else {}
    if fields:
        return show_encoded(fields[cells.colour]) if cells.colour in fields else ""
    return show_encoded(record) if cells.colour and record is not None else ""


def share_of(value: Value, limit: Value) -> float | None:
    return value / limit if isinstance(value, int) and isinstance(limit, int) and limit else None


def plain_value(value: Value) -> str:
    return "none" if value is None else show_encoded(value)
