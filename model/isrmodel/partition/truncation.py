"""Truncation when a replica begins to follow a leader, and the followers whose fetches a leader answers."""

from isrmodel.partition.partition import Partition
from isrmodel.partition.protocol import Epoch, Log
from isrmodel.vocabulary import Offset, Replica


class ByHighWatermark(Partition):
    """Kafka up to 0.10: a new follower trusts nothing beyond its own high watermark, and nobody compares epochs.

    A follower's high watermark is one fetch older than its leader's: this cuts off committed records.
    """

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """A replica follows at once, whatever the leader itself has heard by then."""
        return True

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The follower's own high watermark."""
        return self.hw[follower]

    def answers(self, leader: Replica, follower: Replica) -> bool:
        """Always: the fetch says no more than the follower's log end."""
        return True


class ByLeaderEpoch(Partition):
    """KIP-320 (Kafka 2.1): a new follower keeps what its log shares with the leader's, and every exchange is fenced."""

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """A replica follows once the leader has taken office in that epoch: until then its log may still change."""
        return self.presumes_leadership(leader) and self.leader_epoch[leader] == epoch

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The end of what the two logs have in common (KIP-279)."""
        return end_of_agreement(self.log[follower], self.log[leader])

    def answers(self, leader: Replica, follower: Replica) -> bool:
        """The follower is in the leader's epoch (FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH otherwise)."""
        return self.leader_epoch[follower] == self.leader_epoch[leader]


def end_of_agreement(mine: Log, theirs: Log) -> Offset:
    """The offset after the last record that two logs have in the same place."""
    return max((o + 1 for o in range(len(mine)) if o < len(theirs) and mine[o] == theirs[o]), default=0)
