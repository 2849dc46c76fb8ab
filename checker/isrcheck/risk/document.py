"""A frontier for people: what is lost by what, how, and what is survived."""

from isrcheck.evidence.document import Block, Column, Document, Heading, Lines, Paragraph, Table, bad, good, unsure
from isrcheck.risk.budget import in_words
from isrcheck.risk.frontier import Frontier

_WORDS = {
    "acked_in_leader": "an acknowledged record is missing in the leader",
    "acked_somewhere": "an acknowledged record is in no log",
    "exposed_in_leader": "what a consumer read is undone",
    "leaderless": "the partition is left without a leader",
}


def frontier_document(found: Frontier) -> Document:
    """The answer first: what is lost by the least faults; then what is survived, and how far was searched."""
    yield Heading(found.setting.described(), 1)
    for loss, words in _WORDS.items():
        yield _answer(found, loss, words)
    yield Table(
        [Column("what"), Column("the least that does it"), Column("steps", is_number=True)],
        [(_WORDS[loss.property], in_words(loss.faults), str(loss.steps)) for loss in found.losses],
    )
    yield _searched(found)


def _answer(found: Frontier, loss: str, words: str) -> Block:
    lost = [each for each in found.losses if each.property == loss]
    kept = [in_words(each.faults) for each in found.survivals if each.property == loss]
    if lost:
        least = "; or ".join(in_words(each.faults) for each in lost)
        return Paragraph((bad(f"{words[0].upper()}{words[1:]}"), f" after {least}."))
    if found.cut is not None:
        return Paragraph((unsure("Undetermined"), f": not seen so far that {words}."))
    return Paragraph((good("Survives"), f" {' or '.join(kept)}: it never happens that {words}."))


def _searched(found: Frontier) -> Block:
    end = "every reachable state" if found.cut is None else f"cut off {found.cut}"
    pruned = f", {found.pruned:,} steps pruned" if found.pruned else ""
    return Paragraph(
        f"Searched with at most {found.budget.described()}: {end}, {found.states:,} states{pruned}, "
        f"{found.seconds:.1f} s."
    )


def lines_of(found: Frontier) -> Lines:
    """One cell of a table: the least that loses an acknowledged record."""
    least = [in_words(each.faults) for each in found.losses if each.property == "acked_in_leader"]
    return Lines(least or ["nothing within the budget"])
