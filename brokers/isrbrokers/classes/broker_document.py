"""The brokers' part of `isrcheck code` for people."""

from collections.abc import Iterator

from isrbrokers.classes.broker_judge import BrokerDifference, BrokerTally
from isrbrokers.classes.broker_steps import DECIDED_BY
from isrbrokers.classes.judge import AGREES, DIFFERS, UNDETERMINED
from isrcheck.plugin import Block, Column, Heading, Paragraph, Table, bad, good, quantity, unsure

_TONES = {AGREES: good, DIFFERS: bad, UNDETERMINED: unsure}


def document_of_brokers(tally: BrokerTally, model: str, classes: str) -> Iterator[Block]:
    """The verdict on the brokers, the steps by action, and the least differences."""
    yield Heading(f"{model} and the brokers of {classes}", 1)
    asked = f"{quantity(tally.total, 'step')} of brokers that were asked, {quantity(tally.calls, 'call')}"
    piece = _TONES[tally.verdict](tally.verdict.capitalize())
    if tally.verdict == DIFFERS:
        yield Paragraph((piece, f" in {tally.differing.total():,} of {asked}."))
    else:
        yield Paragraph(
            (piece, f" in all {asked}." if tally.verdict == AGREES else f": {tally.cut}; the same in {asked}.")
        )
    rows = [
        (action, by, f"{tally.steps[action] + tally.differing[action]:,}", f"{tally.differing[action]:,}")
        for action, by in DECIDED_BY.items()
        if tally.steps[action] + tally.differing[action]
    ]
    yield Table(["action", "decided by", *(Column(title, is_number=True) for title in ("steps", "differ"))], rows)
    for difference in tally.examples():
        yield from _example_of_brokers(difference, model)
    yield Paragraph(*tally.sentences())


def _example_of_brokers(difference: BrokerDifference, model: str) -> Iterator[Block]:
    yield Heading(f"{difference.action}: the least of {quantity(difference.count, 'such difference')}")
    yield Paragraph(f"{difference.setting}. The steps, the last of which differs:", *difference.calls)
    yield Table(["held", model, "Kafka"], difference.fields())
    yield Paragraph(f"Decided by {DECIDED_BY[difference.action]}.")
