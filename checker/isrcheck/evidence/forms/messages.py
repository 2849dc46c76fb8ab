"""In which step a message was sent."""

import re
from typing import Any

from isrcheck.run.trace import Value, shown
from isrcheck.run.wording import entry

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
            return number, {shown(m): inside.get(shown(m), (number, {})) for m in members}
        case {"map": entries}:
            old = [(shown(key), value, entry(then, key)) for key, value in entries if value is not None]
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
    """Where the first items of a queue were before, up to the first that is new."""
    found: list[int] = []
    for item in now:
        start = found[-1] + 1 if found else 0
        place = next((i for i in range(start, len(then)) if then[i] == item), None)
        if place is None:
            break
        found.append(place)
    return list(map(str, found))


def sent_in(where: str, arguments: dict[str, Value], known: dict[str, Arrivals]) -> int | None:
    """The step that put there what waits at `where`, such as requests[epoch]."""
    name, *keys = re.findall(r"\w+", where)
    found: Arrivals | None = known.get(name)
    for key in keys:
        found = found[1].get(shown(arguments.get(key))) if found else None
    return found[0] if found else None
