"""The first draft of KIP-320: fetch at once, and truncate when the leader finds that the logs differ."""

from isrcheck import Drawing, action, require, truncation
from isrmodel.published.drawing import DRAWING
from isrmodel.published.replication import Epoch, Offset, Replication, end_of_agreement
from isrmodel.vocabulary import Replica


class Kip320FirstTry(Replication):
    """A fetch names the epoch of the follower's last record; which epoch the follower itself is in, it does not say.

    Violates both ISR properties with three replicas and three epochs: a follower in an older epoch lets the high
    watermark pass a record, then hears of an epoch in between and truncates that record to suit its leader.
    """

    drawing = Drawing(
        *DRAWING.words, truncation("follower_truncates", "follower", caption="what its log shares with {leader}'s")
    )

    def may_join_isr(self, follower: Replica, leader: Replica) -> bool:
        """The logs match below the high watermark, and that has passed all that earlier leaders wrote."""
        return self.matches(follower, leader, self.hw[leader]) and self.high_watermark_reached_epoch(leader)

    def keeps_up(self, follower: Replica, leader: Replica) -> bool:
        """The logs match up to the leader's log end."""
        return self.matches(follower, leader, len(self.log[leader]))

    def acknowledges(self, follower: Replica, leader: Replica) -> bool:
        """Both logs have a record of the same epoch at the high watermark."""
        return self.matches(follower, leader, self.hw[leader] + 1)

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """A replica follows at once, whatever the leader itself has heard by then."""
        return True

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """A new follower keeps its whole log."""
        return len(self.log[follower])

    def may_fetch(self, follower: Replica, leader: Replica) -> bool:
        """The follower's log matches the leader's as far as it goes."""
        return self.matches(follower, leader, len(self.log[follower]))

    @action(internal=True, sentence="{follower} truncates its log as {leader} says")
    def follower_truncates(self, follower: Replica, leader: Replica) -> None:
        """A follower whose fetch was refused cuts its log to what it shares with the leader."""
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(not self.matches(follower, leader, len(self.log[follower])))
        self.truncate(follower, end_of_agreement(self.log[follower], self.log[leader]))

    def matches(self, follower: Replica, leader: Replica, end: Offset) -> bool:
        """Whether both logs reach an offset and the records just below it are of one epoch."""
        return end == 0 or (
            end <= len(self.log[leader])
            and end <= len(self.log[follower])
            and self.log[leader][:end][-1].epoch == self.log[follower][:end][-1].epoch
        )
