"""KIP-320 (Kafka 2.1): every exchange between leader and follower names the leader epoch, and both must agree on it."""

from isrmodel.published.lemmas import Lemmas
from isrmodel.published.replication import Epoch, Offset, Replication, end_of_agreement
from isrmodel.vocabulary import Replica


class Kip320(Lemmas, Replication):
    """Four rules on top of KIP-279's truncation; without any one of them records are lost.

    Fetches are fenced, truncation is fenced, only followers in the leader's epoch move the high watermark, and nobody
    joins the ISR before the high watermark has passed all that earlier leaders wrote. No violation is known.
    """

    def may_join_isr(self, follower: Replica, leader: Replica) -> bool:
        """The follower reaches the high watermark, and that has reached the leader's own epoch (KAFKA-7128)."""
        return (
            self.shares_epoch(follower, leader)
            and self.hw[leader] <= len(self.log[follower])
            and self.high_watermark_reached_epoch(leader)
        )

    def keeps_up(self, follower: Replica, leader: Replica) -> bool:
        """The follower is in the leader's epoch and reaches its log end."""
        return self.shares_epoch(follower, leader) and len(self.log[leader]) <= len(self.log[follower])

    def acknowledges(self, follower: Replica, leader: Replica) -> bool:
        """The follower is in the leader's epoch and its log goes beyond the high watermark."""
        return self.shares_epoch(follower, leader) and self.hw[leader] < len(self.log[follower])

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """A replica follows once the leader has taken office in that epoch: until then its log may still change."""
        return self.presumes_leadership(leader) and self.leader_epoch[leader] == epoch

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The end of what the two logs have in common (KIP-279)."""
        return end_of_agreement(self.log[follower], self.log[leader])

    def may_fetch(self, follower: Replica, leader: Replica) -> bool:
        """The follower is in the leader's epoch (FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH otherwise)."""
        return self.shares_epoch(follower, leader)
