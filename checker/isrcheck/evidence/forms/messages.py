"""Messages of a drawing: the steps in which they were sent, and the tracks between lanes in which they wait."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from isrcheck.evidence.forms.row import MessageArrow, SceneRow
from isrcheck.run.trace import TraceStep, Value, show_encoded
from isrcheck.run.wording import element_at, key_of

# The step that put a value there, None for the initial state, and the same of each part of it.
Arrivals = tuple[int | None, dict[str, Any]]


def arrivals(now: Value, then: Value, known: Arrivals | None, number: int | None) -> Arrivals:
    """Return the number of the state since which `now`, and each element of it, is there; `then` is the value before.

    What is alike in both has been there all the while; a list is taken to be a queue.
    """
    if known and now == then:
        return known
    inside = known[1] if known else {}
    match now:
        case {"set": members}:
            return number, {show_encoded(m): inside.get(show_encoded(m), (number, {})) for m in members}
        case {"map": entries}:
            old = [(show_encoded(key), value, element_at(then, key)) for key, value in entries if value is not None]
            return number, {key: arrivals(value, was, inside.get(key), number) for key, value, was in old}
        case list():
            places = _earlier_places(now, then if isinstance(then, list) else [])
            return number, {
                str(place): inside[places[place]] if place < len(places) else arrivals(item, None, None, number)
                for place, item in enumerate(now)
            }
        case _:
            return number, {}


def _earlier_places(now: list[Value], then: list[Value]) -> list[str]:
    """The earlier places of a queue's first items, up to the first new one. Of equal items the first has left."""
    left = now[: len(then) - 1] == then[1:] and now[: len(then)] != then
    if left:
        return [str(place) for place in range(1, len(then))]
    places: list[int] = []
    for item in now:
        start = places[-1] + 1 if places else 0
        place = next((i for i in range(start, len(then)) if then[i] == item), None)
        if place is None:
            break
        places.append(place)
    return list(map(str, places))


def step_of_sending(where: str, arguments: dict[str, Value], known: dict[str, Arrivals]) -> int | None:
    """The step that put a message at `where`, such as requests[epoch]."""
    name, *keys = re.findall(r"\w+", where)
    inner: Arrivals | None = known.get(name)
    for key in keys:
        inner = inner[1].get(show_encoded(key_of(key, arguments))) if inner else None
    return inner[0] if inner else None


def guess_arrow(
    lanes: tuple[str, ...], known: dict[str, Arrivals], before: TraceStep, step: TraceStep
) -> MessageArrow | None:
    """The arrow between two lanes that are arguments, or fields of a message that was in flight or of a channel."""
    ends = [lanes.index(a) for a in step.arguments.values() if isinstance(a, str) and a in lanes]
    if len(set(ends[:2])) == 2:
        return MessageArrow(ends[0], ends[1], "")
    for name, value in step.arguments.items():
        match value:
            case {"record": kind, "fields": fields}:
                ends = [lanes.index(lane) for lane in map(show_encoded, fields.values()) if lane in lanes]
                ways = [f"{b}[{name}]{place_left(before.state[b], step.state[b], value)}" for b in known]
                sent = [step_of_sending(way, step.arguments, known) for way in ways]
                if len(set(ends[:2])) == 2:
                    return MessageArrow(ends[0], ends[1], kind, next((n for n in sent if n is not None), None))
    return None


def end_of(lanes: tuple[str, ...], end: str, step: TraceStep) -> int | None:
    """The lane at an end of an arrow: its name, or a parameter or a field of one that holds it."""
    name, _, field = end.partition(".")
    value = step.arguments.get(name)
    match value:
        case {"fields": fields} if field in fields:
            value = fields[field]
    lane = show_encoded(value) if name in step.arguments else end
    return lanes.index(lane) if lane in lanes else None


def is_empty(value: Value) -> bool:
    """A network or channels with nothing in flight."""
    return isinstance(value, dict) and "map" in value and all(held == [] for _, held in value["map"])


def place_left(then: Value, now: Value, channel: Value) -> str:
    """The place of a channel that is empty after a step."""
    old, new = element_at(then, channel), element_at(now, channel)
    if not isinstance(old, list) or not isinstance(new, list):
        return ""
    return "[0]" if len(new) < len(old) else "[none]"


FIRST = 7  # pixels to the first track
APART = 6  # pixels between tracks
MOST = 5  # tracks; more are shared


class Departure(NamedTuple):
    """Messages that leave together."""

    number: int
    source: int
    is_right: bool


class Mail:
    """The messages that arrive later than they leave; those that leave together share a track.

    Whoever draws them notes in `starts` where each begins to wait, and in `ends` where the last has arrived.
    """

    def __init__(self, rows: Iterable[SceneRow] = ()) -> None:
        last = {_departure(row.shot): row.number for row in rows if row.shot and row.shot.sent is not None}
        self._tracks: dict[Departure, int] = {}
        self.leaving: dict[int, list[Departure]] = {}  # by row
        until: dict[tuple[int, bool], list[int]] = {}
        for key in sorted(last):
            busy = until.setdefault(key[1:], [])
            track = next((n for n, end in enumerate(busy) if end < key.number), len(busy))  # the first that is free
            busy[track : track + 1] = [last[key]]
            self._tracks[key] = track % MOST
            self.leaving.setdefault(key.number, []).append(key)
        self.starts: dict[Departure, tuple[float, float]] = {}
        self.ends: dict[Departure, float] = {}

    @property
    def room(self) -> int:
        return APART * max(self._tracks.values(), default=0) + (FIRST if self._tracks else 0)

    def departure(self, shot: MessageArrow) -> Departure | None:
        key = None if shot.sent is None else _departure(shot)
        return key if key in self._tracks else None

    def track(self, key: Departure) -> int:
        return FIRST + APART * self._tracks[key]

    def lines(self) -> list[str]:
        return [
            f'<line x1="{x:g}" y1="{y:g}" x2="{x:g}" y2="{self.ends[key]:g}" class="shot"/>'
            for key, (x, y) in self.starts.items()
            if key in self.ends
        ]


def _departure(shot: MessageArrow) -> Departure:
    assert shot.sent is not None
    return Departure(shot.sent, shot.source, shot.target > shot.source)
