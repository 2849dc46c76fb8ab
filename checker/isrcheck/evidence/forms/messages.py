"""The steps in which messages were sent."""

import re
from typing import Any

from isrcheck.run.trace import Value, show_encoded
from isrcheck.run.wording import element_at, key_of

# The step that put a value there, None for the initial state, and the same of each part of it.
Arrivals = tuple[int | None, dict[str, Any]]


def arrivals(now: Value, then: Value, known: Arrivals | None, number: int | None) -> Arrivals:
    """How a value came about in the state of this number, where `then` was before, which had come about as `known`.

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


def is_empty(value: Value) -> bool:
    """A network or channels with nothing in flight."""
    return isinstance(value, dict) and "map" in value and all(held == [] for _, held in value["map"])


def place_left(then: Value, now: Value, channel: Value) -> str:
    """The place of a channel that is empty after a step."""
    old, new = element_at(then, channel), element_at(now, channel)
    if not isinstance(old, list) or not isinstance(new, list):
        return ""
    return "[0]" if len(new) < len(old) else "[none]"
