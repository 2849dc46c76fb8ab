"""Apache Fluss as its reports describe it: logs without leader epochs, in the protocol of Kafka's published designs."""

from isrcheck import action, constant, require
from isrmodel.published.kip_101 import Kip101
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


class TakesCopiesForCommitted(Kip101):
    """A follower's high watermark is its log end, so that no record is cut for a watermark that is old (674, 676)."""

    @action
    def follower_commits(self, follower: Replica, leader: Replica) -> None:
        """A follower takes all that it has copied for committed."""
        require(self.presumes_leadership(leader) and follower != leader)
        require(self.follows(follower, leader))
        require(self.hw[follower] < len(self.log[follower]))
        self.hw[follower] = len(self.log[follower])


class MixedMode(TruncatesNothing):
    """Some servers compare epochs, as KIP-279 does, and the others keep their logs (promised by 4273)."""

    upgraded: int = constant(1, "servers that compare epochs when they begin to follow")

    compares: frozenset[Replica] = frozenset()

    @action
    def upgrade(self, replica: Replica) -> None:
        """A server that compares epochs starts, before anything else happens."""
        require(self.quorum_epoch is None)
        require(replica not in self.compares and len(self.compares) < self.upgraded)
        self.compares |= {replica}

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The end of what the two logs have in common, for a server that compares epochs; else its own log end."""
        mine, theirs = self.log[follower], self.log[leader]
        common = max((o + 1 for o in range(len(mine)) if o < len(theirs) and mine[o] == theirs[o]), default=0)
        return common if follower in self.compares else len(mine)
