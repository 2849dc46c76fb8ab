"""KIP-101 (Kafka 0.11): a new follower asks the leader where the epoch of its last record ended."""

from isrcheck import Drawing, constant, truncation
from isrmodel.published.drawing import DRAWING
from isrmodel.published.replication import Epoch, Offset
from isrmodel.published.unfenced import Unfenced
from isrmodel.vocabulary import Replica


class Kip101(Unfenced):
    """The leader answers with the start of its first later epoch; if it has none, the high watermark decides as before.

    Violates both ISR properties when leaders change in quick succession (KIP-279): a follower that wrote in an epoch of
    which the leader has no record gets no answer, and falls back to a high watermark that is too low.
    """

    drawing = Drawing(
        truncation(
            "replica_becomes_follower",
            "follower",
            "truncation_point",
            "the leader's end offset of epoch {last_epoch}",
            given="is_answered",
        ),
        truncation(
            "replica_becomes_follower",
            "follower",
            "truncation_point",
            "its own high watermark, as {leader} has no record of epoch {last_epoch} or later",
        ),
        *DRAWING.words,
    )

    kip101_min: bool = constant(
        False, "an answer beyond a follower's log end cuts nothing; as published such a follower waits instead"
    )

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The end of the follower's last epoch in the leader's log, or else its own high watermark."""
        if len(self.log[follower]) == 0:
            return 0
        else:
            answer = self.end_of_epoch(self.log[follower][-1].epoch, leader, self.hw[follower])
            return min(answer, len(self.log[follower])) if self.kip101_min else answer

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """The answer must lie within the follower's log, as published; Kafka takes the lesser of the two."""
        return self.truncation_point(follower, leader) <= len(self.log[follower])

    def end_of_epoch(self, epoch: Epoch, leader: Replica, unknown: Offset) -> Offset:
        """The leader's log end if the epoch is its last, else the start of its first later one."""
        log = self.log[leader]
        if len(log) > 0 and log[-1].epoch == epoch:
            return len(log)
        else:
            return min((o for o in range(len(log)) if log[o].epoch > epoch), default=unknown)

    # For the drawing

    def last_epoch(self, follower: Replica) -> Epoch | None:
        """The epoch of the last record in a log."""
        return None if len(self.log[follower]) == 0 else self.log[follower][-1].epoch

    def is_answered(self, follower: Replica, leader: Replica) -> bool:
        """Whether the leader has a record of the follower's last epoch, or of a later one."""
        last = self.last_epoch(follower)
        return last is not None and any(record.epoch >= last for record in self.log[leader])
