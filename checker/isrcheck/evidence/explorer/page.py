"""The explorer's page, which holds all states if they are few, else those nearest to where one begins."""

import json
import zlib
from base64 import b64encode
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.why import Answer
from isrcheck.errors import UsageError
from isrcheck.evidence.explorer.explored_model import ExploredModel, Visit, Walker, refusals
from isrcheck.evidence.forms.page import Once, browser_page, elements
from isrcheck.run.replay import states_along
from isrcheck.wrap import plain


def file_page(subject: ExploredModel, nearest: "Nearby") -> str:
    count = len(nearest.states)
    if nearest.is_complete and nearest.index.keys() >= {*subject.stepper.initials}:
        scope = f"All {count:,} states are in this file." if count > 1 else "The only state is in this file."
    else:
        near = "the trace" if subject.trace else "the first one"
        scope = f"The {count:,} states nearest to {near} are in this file; the model has more."
    data = {**subject.head(), **contents(subject, nearest)}
    encoded = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return browser_page(
        Path(__file__).with_name("explorer.html"),
        b64encode(zlib.compress(encoded.encode(), 9)).decode(),  # letters, digits and +/= alone, a tenth of the size
        "img-src data:; connect-src 'none'; ",
        title=data["model"],
        constants="  ".join(f"{n}={v}" for n, v in data["constants"].items()),
        shows=data["shows"],
        scope=scope,
    )


@dataclass
class Nearby:
    """The states near the start, in the order of search, with the stepper's answers and the step that reached each."""

    states: list[State] = field(default_factory=list)
    index: dict[State, int] = field(default_factory=dict)
    ways: list[tuple[int, int] | None] = field(default_factory=list)  # (state before, instance); first: None
    answers: list[tuple[Answer, ...]] = field(default_factory=list)

    def add(self, state: State, way: tuple[int, int] | None) -> None:
        if state not in self.index:
            self.index[state] = len(self.states)
            self.states.append(state)
            self.ways.append(way)

    @property
    def is_complete(self) -> bool:
        """Whether no step leads out."""
        return all(a in self.index for answers in self.answers for a in answers if isinstance(a, tuple))


def nearby(subject: ExploredModel, limit: int) -> Nearby:
    """The states of the trace, or the initial one, and the nearest to them. Raises UsageError if the trace has more."""
    near = Nearby()
    stepper, path = subject.stepper, (*(subject.trace or ()), *subject.follows)
    along = states_along(stepper, path, "the end of the trace", "reference")
    near.add(along[0], None)
    for instance, before, after in zip(path, along, along[1:], strict=False):
        near.add(after, (near.index[before], instance))
    if len(near.states) > limit:
        count = len(near.states)
        raise UsageError(f"the trace alone has {count:,} states, and --max-states is {limit:,}: give {count} or more.")
    waiting = deque(range(len(near.states)))
    while waiting:
        position = waiting.popleft()
        near.answers.append(stepper.answers(near.states[position]))
        for instance, answer in enumerate(near.answers[-1]):
            if isinstance(answer, tuple) and len(near.states) < limit and answer not in near.index:
                near.add(answer, (position, instance))
                waiting.append(len(near.states) - 1)
    return near


def contents(subject: ExploredModel, near: Nearby) -> dict[str, Any]:
    """Return the page's data: states with moves, refusals and ways; each text stands once and is named by number."""
    texts = Once[str]()
    reasons = Once[tuple[tuple[str, str], ...]]()
    arrival, moves = _moves(subject, near, texts)
    answered = enumerate(zip(near.states, near.answers, strict=True))
    states = [
        {
            "values": texts.all(subject.values(state)),
            "moves": moves[position],
            "why": [[reasons[reason], *instances] for reason, instances in refusals(answers).items()],
            "way": near.ways[position],
        }
        for position, (state, answers) in answered
    ]
    return {
        "states": states,
        "arrival": arrival,
        "texts": list(texts),
        "reasons": [dict(reason) for reason in reasons],
    }


def _moves(subject: ExploredModel, near: Nearby, texts: Once[str]) -> tuple[list[Any], list[list[list[Any]]]]:
    """[instance, state, drawing, losses, properties, story], or [instance, -1] if it leads out of the file."""
    walker = Walker(subject, near.states)
    steps = _visits(walker, near)
    inside: list[tuple[list[Any], Visit]] = []
    moves: list[list[list[Any]]] = [[] for _ in near.states]
    for position, answers in enumerate(near.answers):
        for instance, answer in enumerate(answers):
            if isinstance(answer, tuple):
                move: list[Any] = [instance, near.index.get(answer, -1)]
                moves[position].append(move)
                if answer in near.index:
                    inside.append((move, walker.onward(steps[position], instance, answer)))
    arrivals = [walker.start, *(step for _, step in inside)]
    pictures = walker.pictures(step.row for step in arrivals)
    drawn = [
        [
            texts.all(elements(picture)),
            texts.all(step.losses),
            texts.all(walker.property_statuses(step)),
            texts[plain(step.row.story)],
        ]
        for picture, step in zip(pictures, arrivals, strict=True)
    ]
    for (move, _), arrival in zip(inside, drawn[1:], strict=True):
        move += arrival
    return drawn[0], moves


def _visits(walker: Walker, near: Nearby) -> list[Visit]:
    steps = [walker.start]
    for state, way in zip(near.states[1:], near.ways[1:], strict=True):
        assert way is not None
        before, instance = way
        steps.append(walker.onward(steps[before], instance, state))
    return steps
