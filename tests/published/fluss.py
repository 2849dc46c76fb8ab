"""Apache Fluss as its reports describe it: logs without leader epochs, in the protocol of Kafka's published designs."""

from isrmodel.published.replication import Epoch, Offset
from isrmodel.published.unfenced import Unfenced
from isrmodel.vocabulary import Replica


class TruncatesNothing(Unfenced):
    """A new follower keeps its log, whatever its leader has at the same offsets (apache/fluss 4269)."""

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """Its own log end."""
        return len(self.log[follower])


class TruncatesToLeaderStart(Unfenced):
    """A new follower keeps what its leader had when it began to lead (apache/fluss 731, asked of all)."""

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """The leader leads by then: before, it has no offset at which it began."""
        return self.presumes_leadership(leader) and self.leader_epoch[leader] == epoch

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The offset of the leader's first record of its epoch, or its log end."""
        log = self.log[leader]
        start = min((o for o in range(len(log)) if log[o].epoch == self.epoch_of(leader)), default=len(log))
        return min(start, len(self.log[follower]))
