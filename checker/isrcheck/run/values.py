"""What the words of a drawing name in a state: values by lane, members of sets, and how records are said."""

from typing import TypeVar

from isrcheck.lang.drawing import Cells, Crown, Mark, Note, Ribbon
from isrcheck.run.trace import TraceStep, Value, shown

W = TypeVar("W", Cells, Mark, Crown, Ribbon, Note)


def value_of(step: TraceStep, path: str) -> Value:
    """A variable, a field of one, or what was asked of the state; None if there is nothing by that name."""
    name, *fields = path.split(".")
    value = step.state.get(name, step.seen.get(name))
    for field in fields:
        value = value.get("fields", {}).get(field) if isinstance(value, dict) else None
    return value


def entries_of(value: Value) -> list[tuple[Value, Value]]:
    """The keys of a map with their values; none of anything else."""
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
    """The members of a set, as text; none of anything else."""
    return [shown(v) for v in value["set"]] if isinstance(value, dict) and "set" in value else []


def record_name(word: Cells, entry: Value, offset: int) -> str:
    """A record in a sentence."""
    if entry is None:
        return f"record {offset}"
    label, colour = label_of(word, entry, offset), colour_of(word, entry)
    return f"record {label} of {word.colour} {colour}" if colour else f"record {label}"


def label_of(word: Cells, entry: Value, offset: int) -> str:
    """What is written on a record."""
    fields = entry.get("fields", {}) if isinstance(entry, dict) else {}
    if entry is None or (word.colour and not fields):
        return str(offset)
    return shown(fields[word.label]) if word.label in fields else shown(entry)


def colour_of(word: Cells, entry: Value) -> str:
    """What a record is coloured by, or nothing."""
    fields = entry.get("fields", {}) if isinstance(entry, dict) else {}
    if fields:
        return shown(fields[word.colour]) if word.colour in fields else ""
    return shown(entry) if word.colour and entry is not None else ""


def share_of(value: Value, limit: Value) -> float | None:
    """How much of its limit a value has used, if both are numbers."""
    return value / limit if isinstance(value, int) and isinstance(limit, int) and limit else None


def plain_value(value: Value) -> str:
    """A value on one line."""
    return "none" if value is None else shown(value)
