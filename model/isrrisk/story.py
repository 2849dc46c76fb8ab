"""A story: one shortest way to a loss, in the words of somebody who runs Kafka."""

from isrcheck import Trace
from isrcheck.plugin import Document, Heading, Paragraph, code, story_blocks
from isrrisk.budget import in_words
from isrrisk.frontier import LeastLoss
from isrrisk.wording import WORDS


def worst_loss(losses: list[LeastLoss]) -> LeastLoss | None:
    """The loss whose story is shown: the first in the table's order, in the fewest steps and by the mildest faults."""

    def order(loss: LeastLoss) -> tuple[int, int, list[int]]:
        return list(WORDS).index(loss.name), loss.steps, [-number for _, number in loss.faults]

    return min(losses, key=order, default=None)


def story_document(loss: LeastLoss) -> Document:
    """The steps to a loss, with what is on record and what the producer is told; `isrcheck render` draws the states."""
    yield Heading(f"How {WORDS[loss.name]} after {in_words(loss.faults)}", 2)
    yield from story_blocks(loss.trace)
    yield Paragraph(("With --trace-dir DIR every story is written there, and ", code("isrcheck render"), " draws it."))


def brokers_lost_at_once(trace: Trace) -> tuple[str, str] | None:
    """The two brokers that lose power at once in a story, if any do."""
    for step in trace.steps:
        if step.action == "lose_rack":
            return step.arguments["one"], step.arguments["other"]
    return None
