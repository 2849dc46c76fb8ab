"""Runs with one thing wrong: an event less, two that changed places, or another number; how many are noticed, and why
the others are behaviours all the same.

`python -m tools.bench.damaged_runs MODEL=FOLDER... --count 500` prints both. That a behaviour explains a damaged run is
not taken on trust: its steps are replayed by the reference engine. The reason is found by asking again (`Reason`).
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.run.replay import trace_path
from isrcheck.run.trace import Trace
from isrlogs.conform.event import Event
from isrlogs.conform.judge import family, judge
from isrlogs.conform.kept import SharedJudge
from isrlogs.conform.kraft_events import NOTHING
from isrlogs.conform.reading import events_of, settings_of
from isrlogs.conform.run import Run
from isrlogs.conform.search import Limits
from isrlogs.conform.stepping import Stepping
from isrlogs.conform.track import NEAR_MS
from isrlogs.conform.verdict import CONFORMS

Place = tuple[str, str, int]
LIMITS = Limits(seconds=None, nodes=3_000)  # of seconds a busy machine has fewer
LAG = {"replica.lag.time.max.ms": "3000"}  # of all recorded runs; some have no file of properties
FAR = 1000
NUMBERS = ("end", "first", "offset", "hw", "leader_hw", "from", "to", "candidate", "epoch", "version")


class Reason(StrEnum):
    """Why a damaged run is a behaviour, as it was found out."""

    EQUAL = "the two lines say the same"
    THREADS = "two threads wrote them within 100 ms: which came first is not known"
    REPEATS = "the same steps, in another order at most: other lines tell of them"
    UNREAD = "no rule reads this number: one that is off by 1,000 conforms, too"
    BOUND = "the number is a bound, and still one: the same steps keep it"
    LESS = "the same behaviour without the step of which the line told: it need not happen"
    OTHER = "another behaviour"


class Damaged(NamedTuple):
    """A damage: what was done to which kind of event, and the events after that."""

    what: str
    kind: str
    said: str
    events: list[Event]
    touched: tuple[Event, ...]
    further: tuple[list[Event], ...] = ()  # the same, with a number that is far off, above and below


def damage(events: Sequence[Event], used: frozenset[Place], seed: int) -> Iterator[Damaged]:
    """Runs with one thing wrong, for ever; it is wrong in an event that is used."""
    rng = random.Random(seed)
    places = [i for i, event in enumerate(events) if place_of(event) in used]
    while True:
        place = rng.choice(places)
        what = rng.choice((_remove, _swap, _change))
        copy = what(events, place, rng, used)
        if copy is not None:
            yield copy


def _remove(events: Sequence[Event], place: int, _: random.Random, __: frozenset[Place]) -> Damaged:
    event = events[place]
    return Damaged("removed", event.kind, str(event), [e for i, e in enumerate(events) if i != place], (event,))


def _swap(events: Sequence[Event], place: int, _: random.Random, used: frozenset[Place]) -> Damaged | None:
    """Swap an event with the next one of its node and source that is used."""
    one = events[place]
    later = [i for i in range(place + 1, len(events)) if (events[i].node, events[i].source) == (one.node, one.source)]
    second = next((i for i in later if place_of(events[i]) in used), None)
    if second is None:
        return None
    other, changed = events[second], list(events)
    changed[place] = replace(other, order=one.order, wall_ms=one.wall_ms)
    changed[second] = replace(one, order=other.order, wall_ms=other.wall_ms)
    return Damaged("swapped", f"{one.kind}, {other.kind}", f"{one} with {other}", changed, (one, other))


def _change(events: Sequence[Event], place: int, rng: random.Random, _: frozenset[Place]) -> Damaged | None:
    event = events[place]
    names = [name for name in NUMBERS if event.fields.get(name, "").isdecimal()]
    if not names:
        return None
    name = rng.choice(names)
    step = rng.choice((-1, 1))
    before = int(event.fields[name])
    if before + step < 0:
        return None

    def with_number(number: int) -> list[Event]:
        other = replace(event, fields={**event.fields, name: str(number)})
        return [*events[:place], other, *events[place + 1 :]]

    further = (with_number(before + FAR), with_number(max(0, before + step * FAR)))
    said = f"{name}={before + step} in {event}"
    return Damaged("changed", f"{event.kind}.{name}", said, with_number(before + step), (event,), further)


def place_of(event: Event) -> Place:
    """The identity of an event in a run."""
    return event.node, event.source, event.order


class Answer(NamedTuple):
    """A verdict, and the steps of the behaviour that explains the run."""

    verdict: str
    steps: Counter[str]


class Judge:
    """Judges, and replays what is found by an engine that knows nothing of the search."""

    def __init__(self, model: str, settings: Mapping[str, str]) -> None:
        self._model, self._settings = model, settings
        self._kept = SharedJudge()
        self._used: Stepping | None = None  # in the last search

    def __call__(self, events: Sequence[Event]) -> Answer:
        verdict = judge(
            "damaged", events, self._settings, self._model, given={}, limits=LIMITS, find_steps=self._find_steps
        )
        return Answer(verdict.verdict, self._replay(verdict.trace) if verdict.verdict == CONFORMS else Counter())

    def _find_steps(self, ir: ModelIR, constants: Mapping[str, Any], run: Run) -> Stepping:
        self._used = self._kept.make_stepping(ir, constants, run)
        return self._used

    def _replay(self, trace: Trace | None) -> Counter[str]:
        """The steps by name. Raises UsageError if the reference cannot take them, or comes to other states."""
        assert trace is not None
        assert self._used is not None
        steps = tuple(replace(step, state=_without_source(step.state)) for step in trace.steps)
        path = trace_path(self._used.model, replace(trace, steps=steps), "a damaged run")
        return Counter(map(self._used.stepper.call, path))


def _without_source(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name != "told_by"}


@dataclass
class Trial:
    """How many damaged runs have which verdict, by what was done; and why those conform that do."""

    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    legal: dict[tuple[str, str, Reason], list[str]] = field(default_factory=dict)

    def add(self, other: "Trial") -> None:
        self.verdicts += other.verdicts
        for key, examples in other.legal.items():
            self.legal.setdefault(key, []).extend(examples)


def try_damaged(folder: Path, model: str, count: int, seed: int = 1) -> Trial:
    """Judges so many damaged copies of a run."""
    ((_, events),) = events_of(folder, "tv-0").items()
    settings = {**LAG, **settings_of(folder, events)}
    asked = Judge(model, settings)
    run = next(iter(family(model)[1](events, settings)))
    explained = (event for track in run.tracks for event in track.events if run.table[event.kind] != NOTHING)
    used = frozenset(place_of(event) for event in explained if event.source != "clock")
    original, trial = asked(events), Trial()
    assert original.verdict == CONFORMS, (folder, model)
    for each in islice(damage(events, used, seed), count):
        answer = asked(each.events)
        trial.verdicts[each.what, answer.verdict] += 1
        if answer.verdict == CONFORMS:
            reason, more = _reason(asked, each, original, answer)
            trial.legal.setdefault((each.what, each.kind, reason), []).append(f"{each.said}{more}")
    return trial


def _reason(asked: Judge, each: Damaged, original: Answer, answer: Answer) -> tuple[Reason, str]:
    if each.what == "changed" and answer.steps == original.steps:
        is_unread = all(asked(events).verdict == CONFORMS for events in each.further)
        return (Reason.UNREAD if is_unread else Reason.BOUND), ""
    if each.what == "swapped":
        one, other = each.touched
        if str(one) == str(other):
            return Reason.EQUAL, ""
        if one.thread != other.thread and abs(one.wall_ms - other.wall_ms) <= NEAR_MS:
            return Reason.THREADS, ""
    if answer.steps == original.steps:
        return Reason.REPEATS, ""
    less, more = original.steps - answer.steps, answer.steps - original.steps
    if each.what == "removed" and less and not more:
        return Reason.LESS, f" [{_list(less)}]"
    return Reason.OTHER, f" [without {_list(less)}; with {_list(more)}]"


def _list(steps: Counter[str]) -> str:
    return ", ".join(sorted(steps.elements())) or "nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="MODEL=FOLDER")
    parser.add_argument("--count", type=int, default=500, help="of all runs together")
    parser.add_argument("--examples", type=int, default=1)
    asked = parser.parse_args()
    trial = Trial()
    for number, run in enumerate(asked.runs):
        model, _, folder = run.partition("=")
        share = asked.count // len(asked.runs) + (number < asked.count % len(asked.runs))
        trial.add(try_damaged(Path(folder), model, share, seed=number + 1))
    for (what, verdict), count in sorted(trial.verdicts.items()):
        print(f"{count:4} {what} {verdict}")
    for reason in Reason:
        kinds = {(what, kind): said for (what, kind, why), said in trial.legal.items() if why == reason}
        print(f"{sum(map(len, kinds.values())):4} {reason}")
        for (what, kind), said in sorted(kinds.items(), key=lambda item: -len(item[1])):
            print(f"     {len(said):4} {what} {kind}")
            for example in said[: asked.examples]:
                print(f"          {example[:300]}")


if __name__ == "__main__":
    main()
