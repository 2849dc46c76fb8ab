"""Messages that wait before they arrive: in which step each was sent."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from isrcheck.run.phrases import entry
from isrcheck.run.trace import TraceStep, Value
from isrcheck.run.values import value_of


class Past:
    """A state of a path with its number, and those before it.

    `since` has for each of some variables the first of the states that have had its value without a break.
    """

    def __init__(self, number: int, step: TraceStep, before: "Past | None", variables: Iterable[str]) -> None:
        self.number, self.step, self.before = number, step, before
        self.since: dict[str, Past] = {}
        self.sent: dict[_Place, int | None] = {}  # what was asked of this state before
        for name in variables:
            is_same = before is not None and value_of(step, name) == value_of(before.step, name)
            self.since[name] = before.since[name] if before is not None and is_same else self


def sent_in(where: str, arguments: dict[str, Value], past: Past) -> int | None:
    """The step that put there what waits in the last state at `where`, such as requests[epoch]; None if none did."""
    name, *keys = re.findall(r"\w+", where)
    *outer, last = (arguments.get(key) for key in keys)
    place = _Place(name, outer, last)
    past = past.since[name]
    walked: list[tuple[Past, _Place]] = []
    answer: int | None = None
    while past.before:
        if place in past.sent:
            answer = past.sent[place]
            break
        walked.append((past, place))
        found = place.before(past.step, past.before.step)
        if found is None:
            answer = past.number if place.holds(past.step) else None
            break
        past, place = past.before.since[name], found
    for at, there in walked:
        at.sent[there] = answer
    return answer


@dataclass(frozen=True)
class _Place:
    """An element of a set, the value of a map's key, or a position in a sequence."""

    name: str
    outer: list[Value]
    last: Value

    def __hash__(self) -> int:
        return hash(str((self.name, self.outer, self.last)))

    def _within(self, step: TraceStep) -> Value:
        value = value_of(step, self.name)
        for key in self.outer:
            value = entry(value, key)
        return value

    def holds(self, step: TraceStep) -> bool:
        """Whether there is anything in this place."""
        value = self._within(step)
        return self.last in value["set"] if _is_set(value) else entry(value, self.last) is not None

    def before(self, step: TraceStep, earlier: TraceStep) -> "_Place | None":
        """Where the same was a step earlier; None if it was not there yet."""
        now, then = self._within(step), self._within(earlier)
        if isinstance(now, list) and isinstance(then, list):
            position = _earlier_position(now, then, self.last)
            return None if position is None else _Place(self.name, self.outer, position)
        if _is_set(now) and _is_set(then):
            return self if self.last in now["set"] and self.last in then["set"] else None
        return self if entry(now, self.last) == entry(then, self.last) else None


def _is_set(value: Value) -> bool:
    return isinstance(value, dict) and "set" in value


def _earlier_position(now: list[Value], then: list[Value], position: int) -> int | None:
    """Where an item of a queue was before some were taken out and others added at its end."""
    start = 0
    for place, item in enumerate(now):
        found = next((i for i in range(start, len(then)) if then[i] == item), None)
        if found is None or place == position:
            return found
        start = found + 1
    return None
