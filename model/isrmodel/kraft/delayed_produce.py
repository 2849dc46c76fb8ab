"""Delayed produce: the records for which a leader still answers its producers (`DelayedProduce`).

A request with acks=all waits until the high watermark has passed its records, whatever leader epoch it is by then. A
broker that learns that it no longer leads refuses what waits; one that is elected again has not learned that.
"""

from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import Epoch, Image, State
from isrmodel.vocabulary import Replica


class DelayedProduce(State):
    """A leader answers for records of its present leader epoch only, unless the switch is on."""

    answers_earlier: bool = constant(
        False, "DelayedProduce: a leader that is elected again answers for what it wrote before"
    )

    leading_since: dict[Replica, Annotated[int, UpTo("max_epoch * answers_earlier")]] = each(Replica, 0)

    def note_leadership(self, broker: Replica, before: Image, after: Image) -> None:
        """A broker has learned of a leader epoch: it leads on, begins to lead, or does not lead."""
        if self.answers_earlier:
            begun = before.leader == broker and self.leading_since[broker] > 0
            since = self.leading_since[broker] if begun else after.epoch
            self.leading_since[broker] = since if after.leader == broker else 0

    def still_answers(self, leader: Replica, epoch: Epoch) -> bool:
        """Whether the producer of a record of this epoch in a leader's log still waits for it."""
        own = self.known[leader].epoch
        return epoch == own or (self.answers_earlier and 0 < self.leading_since[leader] <= epoch)
