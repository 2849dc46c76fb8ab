"""What a file of the explorer holds: each text once, and numbers for the rest."""

from typing import Any

from isrcheck.evidence.explorer.explored_model import ExploredModel, refusals
from isrcheck.evidence.explorer.footsteps import Footstep, Walker
from isrcheck.evidence.explorer.nearby import Nearby
from isrcheck.evidence.forms.once import Once, elements


def contents(subject: ExploredModel, found: Nearby) -> dict[str, Any]:
    """The states as plain data: for each its values, moves and refusals, and the drawing of each move.

    A move is [instance, state, drawing, losses, properties], or [instance, -1] if it leads out of the file; it is drawn
    for somebody who came to its state by the way in `ways`.
    """
    texts = Once[str]()
    reasons = Once[tuple[tuple[str, str], ...]]()
    arrival, moves = _moves(subject, found, texts)
    states = [
        {
            "values": texts.all(subject.values(state)),
            "moves": moves[position],
            "why": [[reasons(reason), *instances] for reason, instances in refusals(answers).items()],
            "way": found.ways[position],
        }
        for position, (state, answers) in enumerate(zip(found.states, found.answers, strict=True))
    ]
    return {
        "states": states,
        "arrival": arrival,
        "texts": texts.known,
        "reasons": [dict(reason) for reason in reasons.known],
        "whole": found.whole,
    }


def _moves(subject: ExploredModel, found: Nearby, texts: Once[str]) -> tuple[list[Any], list[list[list[Any]]]]:
    """What there is to see at the very beginning, and the moves of each state in the order of instances."""
    walker = Walker(subject, found.states)
    steps = _footsteps(walker, found)
    inside: list[tuple[list[Any], Footstep]] = []
    moves: list[list[list[Any]]] = [[] for _ in found.states]
    for position, answers in enumerate(found.answers):
        for instance, answer in enumerate(answers):
            if isinstance(answer, tuple):
                move: list[Any] = [instance, found.index.get(answer, -1)]
                moves[position].append(move)
                if answer in found.index:
                    inside.append((move, walker.onward(steps[position], instance, answer)))
    arrivals = [walker.start, *(step for _, step in inside)]
    pictures = walker.pictures(step.row for step in arrivals)
    seen = [
        [texts.all(elements(picture)), texts.all(step.losses), texts.all(_standing(subject, step, move))]
        for picture, step, move in zip(pictures, arrivals, [None, *(move for move, _ in inside)], strict=True)
    ]
    for (move, _), arrival in zip(inside, seen[1:], strict=True):
        move += arrival
    return seen[0], moves


def _standing(subject: ExploredModel, step: Footstep, move: list[Any] | None) -> list[str]:
    before = step.before.state if step.before else None
    return subject.standing(step.state, before, move[0] if move else None)


def _footsteps(walker: Walker, found: Nearby) -> list[Footstep]:
    """A footstep for each state, by the way on which it was found."""
    steps = [walker.start]
    for state, way in zip(found.states[1:], found.ways[1:], strict=True):
        assert way is not None
        before, instance = way
        steps.append(walker.onward(steps[before], instance, state))
    return steps
