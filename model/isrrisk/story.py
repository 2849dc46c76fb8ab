"""A story: one shortest way to a loss, in the words of somebody who runs Kafka."""

import re
from collections.abc import Iterator
from typing import Any

from isrcheck import Trace
from isrcheck.plugin import Column, Document, Heading, Lines, Paragraph, Table, TraceStep, bad, code
from isrrisk.budget import in_words
from isrrisk.frontier import LeastLoss
from isrrisk.wording import WORDS

_SENTENCES = {
    "begin": "the partition is created, {leader} leads",
    "fence": "the controller fences {broker}",
    "unfence": "{broker} is live again",
    "register": "{broker} comes back and registers",
    "leave": "{broker} asks to be shut down",
    "stop": "{broker} flushes its log and stops",
    "elect": "{chosen} is elected by plan",
    "kill": "{broker} is killed; its log stays",
    "lose_power": "{broker} loses power, and its log what was not flushed",
    "replace_disk": "the disk of {broker} is replaced; its log is gone",
    "report_dir": "{broker} reports its new directory",
    "lose_rack": "{one} and {other} lose power at once, and what they had not flushed",
    "learn": "{broker} reads the metadata",
    "write": "{leader} appends a record",
    "fetch": "{follower} fetches from {leader}",
    "lose_response": "{follower} fetches from {leader}, and never hears of it",
    "truncate": "{follower} truncates its log as {leader} says",
    "ask_add": "{leader} asks for {follower} in the ISR",
    "ask_drop": "{leader} asks to drop followers from the ISR",
    "grant": "the controller grants what {leader} asked for",
}


def worst_loss(losses: list[LeastLoss]) -> LeastLoss | None:
    """The loss whose story is shown: the first in the table's order, in the fewest steps and by the mildest faults."""

    def order(loss: LeastLoss) -> tuple[int, int, list[int]]:
        return list(WORDS).index(loss.name), loss.steps, [-number for _, number in loss.faults]

    return min(losses, key=order, default=None)


def story_document(loss: LeastLoss) -> Document:
    """The steps to a loss, with what is on record and what the producer is told; `isrcheck render` draws the states."""
    trace = loss.trace
    yield Heading(f"How {WORDS[loss.name]} after {in_words(loss.faults)}", 2)
    yield Table(
        [Column("step", is_number=True), Column("what happens"), Column("leader, ISR, ELR on record")],
        [
            (str(number), Lines(list(_happens(trace, number))), _record_after(trace, number))
            for number in range(1, trace.length)
        ],
    )
    yield Paragraph((bad("Lost"), f": {_end(loss)}"))
    yield Paragraph(("With --trace-dir DIR every story is written there, and ", code("isrcheck render"), " draws it."))


def _happens(trace: Trace, number: int) -> Iterator[str]:
    step, before = trace.steps[number], trace.steps[number - 1]
    sentence = _SENTENCES.get(step.action)
    yield sentence.format(**step.arguments) if sentence else _first_clause(trace, step)
    if _size(step, "acked") > _size(before, "acked"):
        yield "the record is acknowledged"
    if len(step.state["exposed"]) > len(before.state["exposed"]):
        yield "a consumer may read it"


def _first_clause(trace: Trace, step: TraceStep) -> str:
    sentence = re.split(r"[:;.]( |$)", trace.actions[step.action])[0]
    return f"{sentence} ({step.call})"


def _size(step: TraceStep, variable: str) -> int:
    return len(step.state[variable]["set"])


def _record_after(trace: Trace, number: int) -> str:
    """The partition on record, if the step changed it."""
    now, before = (_image(trace.steps[each]) for each in (number, number - 1))
    return "" if now == before else _image_in_words(now)


def _image(step: TraceStep) -> dict[str, Any]:
    fields: dict[str, Any] = step.state["now"]["fields"]
    return fields


def _image_in_words(image: dict[str, Any]) -> str:
    eligible = f", ELR {{{', '.join(image['elr']['set'])}}}" if image["elr"]["set"] else ""
    return f"{image['leader'] or 'none'}, {{{', '.join(image['isr']['set'])}}}{eligible}"


def _end(loss: LeastLoss) -> str:
    trace = loss.trace
    acknowledged = next((n for n in range(1, trace.length) if _size(trace.steps[n], "acked")), None)
    leader = _image(trace.steps[-1])["leader"]
    at = f", acknowledged in step {acknowledged}," if acknowledged is not None else ""
    return {
        "acked_in_leader": f"the record{at} is not in the log of {leader}, which leads.",
        "acked_somewhere": f"the record{at} is in no log.",
        "exposed_in_leader": f"what a consumer read is not in the log of {leader}, which leads.",
        "leaderless": "every broker is up, and the partition has no leader.",
    }[loss.name]


def brokers_lost_at_once(trace: Trace) -> tuple[str, str] | None:
    """The two brokers that lose power at once in a story, if any do."""
    for step in trace.steps:
        if step.action == "lose_rack":
            return step.arguments["one"], step.arguments["other"]
    return None
