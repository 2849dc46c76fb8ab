"""A frontier for people: what is lost by what, how, and what is survived."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from isrcheck.evidence.document import (
    Block,
    Column,
    Document,
    Heading,
    Lines,
    Paragraph,
    Table,
    Tone,
    bad,
    code,
    good,
    strong,
    unsure,
)
from isrmodel.risk.budget import in_words

if TYPE_CHECKING:  # a frontier shows itself by this
    from isrmodel.risk.advice import Advice
    from isrmodel.risk.frontier import Frontier, LeastLoss

WORDS = {
    "acked_in_leader": "an acknowledged record is missing in the leader",
    "acked_somewhere": "an acknowledged record is in no log",
    "exposed_in_leader": "what a consumer read is undone",
    "leaderless": "the partition is left without a leader",
}


def answers_document(found: "Frontier") -> Document:
    """What is lost by the least faults and what is survived; how far was searched."""
    yield Heading(found.setting.described(), 1)
    for loss, words in WORDS.items():
        yield _answer(found, loss, words)
    yield _searched(found)


def frontier_document(found: "Frontier") -> Document:
    """The answer first, then one story."""
    yield from answers_document(found)
    if found.losses:
        yield from _story(min(found.losses, key=lambda each: (list(WORDS).index(each.name), each.steps)))


def _answer(found: "Frontier", loss: str, words: str) -> Block:
    lost = [each for each in found.losses if each.name == loss]
    kept = [in_words(each.faults) for each in found.survivals if each.name == loss]
    if lost:
        least = "; or ".join(f"{in_words(each.faults)} ({each.steps} steps)" for each in lost)
        so_far = " Less may do it, too." if loss in found.undecided else ""
        survived = f" Survives{_within(found)} {'; or '.join(kept)}." if kept and kept != ["nothing"] else ""
        return Paragraph((bad(f"{words[0].upper()}{words[1:]}"), f" after {least}.{so_far}{survived}"))
    if loss in found.undecided:
        return Paragraph((unsure("Undetermined"), f": not seen so far that {words}."))
    if loss.startswith("acked") and not found.setting.acknowledges():
        return Paragraph("With these settings no record is ever acknowledged, so that none of those is lost.")
    return Paragraph((good(f"Survives{_within(found)}"), f" {'; or '.join(kept)}: it never happens that {words}."))


def _within(found: "Frontier") -> str:
    return " within bounds" if found.pruned else ""


def _story(loss: "LeastLoss") -> Document:
    """A way to it in short; `isrcheck render` draws it with all states."""
    yield Heading(f"How {WORDS[loss.name]} after {in_words(loss.faults)}", 2)
    yield Table(
        [Column("step", is_number=True), Column("what happens"), Column("")],
        [
            (str(number), code(step.call), re.split(r"[:;.]( |$)", loss.trace.actions[step.action])[0])
            for number, step in enumerate(loss.trace.steps)
            if number
        ],
    )
    yield Paragraph(("With --trace-dir DIR every story is written there, and ", code("isrcheck render"), " draws it."))


def _searched(found: "Frontier") -> Block:
    end = "every reachable state" if found.cut is None else f"cut off {found.cut}"
    pruned = f", {found.pruned:,} steps pruned" if found.pruned else ""
    return Paragraph(
        f"Searched with at most {found.budget.described()}: {end}, {found.states:,} states{pruned}, "
        f"{found.seconds:.1f} s."
    )


def advice_document(advice: "Advice") -> Document:
    """Which change of settings would have survived."""
    if advice.change is not None:
        yield Paragraph(("The least change that survives this: ", strong(advice.change), "."))
    else:
        tried = "; ".join(f"{name} {outcome}" for name, outcome in advice.tried.items())
        yield Paragraph(f"No single change survives this: {tried}.")


def first_document(found: "Frontier") -> Document:
    """The first loss that a search meets, while the rest is still looked for."""
    loss = found.losses[0]
    yield Paragraph((bad("First"), f", after {in_words(loss.faults)}: {WORDS[loss.name]}. Looking further."))


def comparison_document(found: Mapping[str, "Frontier"]) -> Document:
    """Settings side by side: the least that does each, or that nothing within the budget does."""
    yield Heading("What a setting survives", 1)
    yield Table(
        ["what", *found],
        [(words, *(_cell(each, loss) for each in found.values())) for loss, words in WORDS.items()],
    )
    for name, each in found.items():
        described = each.setting.described()
        yield Paragraph(f"{described}." if described.startswith(name) else f"{name}: {described}.")
        yield _searched(each)


def _cell(found: "Frontier", loss: str) -> Lines:
    least = [f"{in_words(each.faults)} ({each.steps} steps)" for each in found.losses if each.name == loss]
    if least:
        return Lines([*least, *["less may do it, too"] * (loss in found.undecided)], Tone.BAD)
    if loss in found.undecided:
        return Lines(["undetermined"], Tone.UNSURE)
    return Lines([f"survives{_within(found)}"], Tone.GOOD)
