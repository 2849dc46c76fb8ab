"""Delayed produce: the records for which a leader still answers its producers (`DelayedProduce`).

A request with acks=all waits until the high watermark has passed its records, whatever leader epoch it is by then. A
broker that learns that it no longer leads refuses what waits; one that is elected again has not learned that.
"""

from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import Acks, Epoch, Image, State
from isrmodel.vocabulary import Replica


class DelayedProduce(State):
    """A leader that is elected again answers for what it wrote before; without the switch for its own epoch only."""

    answers_earlier: bool = constant(
        True, "DelayedProduce: a leader that is elected again answers for what it wrote before"
    )

    # The least epoch of a record that waits at a leader of a later epoch; 0 if none does.
    waits_since: dict[Replica, Annotated[int, UpTo("max_epoch * answers_earlier")]] = each(Replica, 0)

    def note_leadership(self, broker: Replica, before: Image, after: Image) -> None:
        """A broker has learned of a leader epoch: it leads on, begins to lead, or does not lead."""
        if self.answers_earlier and self.acks == Acks.ALL:
            leads_on = before.leader == broker and after.leader == broker
            since = self.waits_since[broker] if self.waits_since[broker] > 0 else before.epoch
            self.waits_since[broker] = self.earliest_waiting(broker, since) if leads_on else 0

    def forget_answered(self, leader: Replica) -> None:
        """The high watermark has moved: what it passed no longer waits."""
        if self.waits_since[leader] > 0:
            self.waits_since[leader] = self.earliest_waiting(leader, self.waits_since[leader])

    def earliest_waiting(self, leader: Replica, since: Epoch) -> Epoch:
        """The least epoch, from a given one on and before the leader's own, of a record above the high watermark."""
        return min(
            (e for e in self.log[leader][self.hw[leader] :] if since <= e if e < self.known[leader].epoch), default=0
        )

    def still_answers(self, leader: Replica, epoch: Epoch) -> bool:
        """Whether the producer of a record of this epoch in a leader's log still waits for it."""
        return epoch == self.known[leader].epoch or 0 < self.waits_since[leader] <= epoch
