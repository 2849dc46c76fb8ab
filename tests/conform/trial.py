"""Runs with one thing wrong: an event less, two that changed places, or another number; and how many are noticed.

`python -m tests.conform.trial MODEL FOLDER COUNT` prints which kinds are noticed, and an example of each that is not.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from isrmodel.conform.event import Event
from isrmodel.conform.judge import family, judge
from isrmodel.conform.kraft_events import NOTHING
from isrmodel.conform.reading import events_of, settings_of
from isrmodel.conform.search import Limits
from isrmodel.conform.verdict import CONFORMS

Place = tuple[str, str, int]
LIMITS = Limits(3)
NUMBERS = ("end", "first", "offset", "hw", "leader_hw", "from", "to", "candidate", "epoch", "version")


class Damaged(NamedTuple):
    """What was done to which kind of event, and the events after that."""

    what: str
    kind: str
    said: str
    events: list[Event]


def damaged(events: Sequence[Event], used: frozenset[Place], seed: int) -> Iterator[Damaged]:
    """Runs with one thing wrong, for ever; it is wrong in an event that is used."""
    rng = random.Random(seed)
    places = [i for i, event in enumerate(events) if place_of(event) in used]
    while True:
        place = rng.choice(places)
        what = rng.choice((_removed, _swapped, _changed))
        found = what(events, place, rng, used)
        if found is not None:
            yield found


def _removed(events: Sequence[Event], place: int, _: random.Random, __: frozenset[Place]) -> Damaged:
    event = events[place]
    return Damaged("removed", event.kind, str(event), [e for i, e in enumerate(events) if i != place])


def _swapped(events: Sequence[Event], place: int, _: random.Random, used: frozenset[Place]) -> Damaged | None:
    """With the next event of its node and source that is used."""
    one = events[place]
    later = [i for i in range(place + 1, len(events)) if (events[i].node, events[i].source) == (one.node, one.source)]
    second = next((i for i in later if place_of(events[i]) in used), None)
    if second is None:
        return None
    other, changed = events[second], list(events)
    changed[place] = replace(other, order=one.order, wall_ms=one.wall_ms)
    changed[second] = replace(one, order=other.order, wall_ms=other.wall_ms)
    return Damaged("swapped", f"{one.kind}, {other.kind}", f"{one} with {other}", changed)


def _changed(events: Sequence[Event], place: int, rng: random.Random, _: frozenset[Place]) -> Damaged | None:
    event = events[place]
    names = [name for name in NUMBERS if event.fields.get(name, "").isdecimal()]
    if not names:
        return None
    name = rng.choice(names)
    number = int(event.fields[name]) + rng.choice((-1, 1))
    if number < 0:
        return None
    changed = list(events)
    changed[place] = replace(event, fields={**event.fields, name: str(number)})
    return Damaged("changed", f"{event.kind}.{name}", f"{name}={number} in {event}", changed)


def place_of(event: Event) -> Place:
    """Which event of a run it is."""
    return event.node, event.source, event.order


class Trial(NamedTuple):
    """How many damaged runs have which verdict, by what was done; and those that still conform."""

    verdicts: Counter[tuple[str, str]]
    legal: dict[tuple[str, str], list[str]]


def tried(folder: Path, model: str, count: int, seed: int = 1) -> Trial:
    """Judges so many damaged copies of a run."""
    ((name, events),) = events_of(folder, "tv-0").items()
    settings = settings_of(folder, events)
    run = next(iter(family(model)[1](events, settings)))
    told = (event for track in run.tracks for event in track.events if run.table[event.kind] != NOTHING)
    used = frozenset(place_of(event) for event in told if event.source != "clock")
    trial = Trial(Counter(), {})
    for each in islice(damaged(events, used, seed), count):
        verdict = judge(name, each.events, settings, model, {}, LIMITS).verdict
        trial.verdicts[each.what, verdict] += 1
        if verdict == CONFORMS:
            trial.legal.setdefault((each.what, each.kind), []).append(each.said)
    return trial


if __name__ == "__main__":
    found = tried(Path(sys.argv[2]), sys.argv[1], int(sys.argv[3]))
    print(dict(found.verdicts))
    for (what, kind), examples in sorted(found.legal.items(), key=lambda item: -len(item[1])):
        print(f"{len(examples):4} {what} {kind}: {examples[0][:160]}")
