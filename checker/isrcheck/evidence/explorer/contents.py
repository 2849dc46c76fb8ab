"""What a file of the explorer holds: each text once, and numbers for the rest."""

from collections.abc import Iterable
from typing import Any

from isrcheck.evidence.explorer.footsteps import Footstep, Walker
from isrcheck.evidence.explorer.nearby import Nearby
from isrcheck.evidence.explorer.subject import Subject, refusals


class _Once:
    """Texts and lists of texts as numbers."""

    def __init__(self) -> None:
        self.known: dict[Any, int] = {}

    def __call__(self, text: Any) -> int:
        return self.known.setdefault(text, len(self.known))

    def all(self, texts: Iterable[Any]) -> list[int]:
        """The numbers of several."""
        return [self(text) for text in texts]

    def drawing(self, svg: str) -> list[int]:
        """A drawing as the numbers of its elements."""
        return self.all(svg.split("<")[1:])


def contents(subject: Subject, found: Nearby) -> dict[str, Any]:
    """The states as plain data: for each its values, moves and refusals, and the drawing of each move.

    A move's drawing is that of somebody who came to its state by the way in `ways`.
    """
    texts, reasons = _Once(), _Once()
    walker = Walker(subject, found.states)
    steps = _footsteps(walker, found)
    edges = [
        (position, instance, answer)
        for position, answers in enumerate(found.answers)
        for instance, answer in enumerate(answers)
        if isinstance(answer, tuple)
    ]
    inside = [(p, i, walker.onward(steps[p], i, answer)) for p, i, answer in edges if answer in found.index]
    drawn = walker.pictures([walker.start.row, *(step.row for _, _, step in inside)])
    first, *pictures = (texts.drawing(svg) for svg in drawn)
    moves: list[list[Any]] = [[] for _ in found.states]
    for (position, instance, step), picture in zip(inside, pictures, strict=True):
        stand = subject.standing(step.state, found.states[position], instance)
        arrival = [picture, texts.all(step.losses), texts.all(stand)]
        moves[position].append([instance, found.index[step.state], *arrival])
    for position, instance, answer in edges:
        if answer not in found.index:
            moves[position].append([instance, -1])
    states = [
        {
            "values": texts.all(subject.values(state)),
            "moves": sorted(moves[position]),
            "why": [[reasons(reason), *instances] for reason, instances in refusals(answers).items()],
            "way": found.ways[position],
        }
        for position, (state, answers) in enumerate(zip(found.states, found.answers, strict=True))
    ]
    stand = subject.standing(found.states[0], None, None)
    return {
        "states": states,
        "arrival": [first, texts.all(walker.start.losses), texts.all(stand)],
        "texts": list(texts.known),
        "reasons": [dict(reason) for reason in reasons.known],
        "whole": found.whole,
    }


def _footsteps(walker: Walker, found: Nearby) -> list[Footstep]:
    """A footstep for each state, by the way on which it was found."""
    steps = [walker.start]
    for state, way in zip(found.states[1:], found.ways[1:], strict=True):
        assert way is not None
        before, instance = way
        steps.append(walker.onward(steps[before], instance, state))
    return steps
