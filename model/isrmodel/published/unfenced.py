"""Kafka before KIP-320: a broker looks at who leads, and not in which epoch."""

from isrmodel.published.replication import Epoch, Replication
from isrmodel.vocabulary import Replica


class Unfenced(Replication):
    """Leaders count and followers copy without comparing epochs; how to truncate is still open."""

    def may_join_isr(self, follower: Replica, leader: Replica) -> bool:
        """The follower's log reaches the leader's high watermark."""
        return self.hw[leader] <= len(self.log[follower])

    def keeps_up(self, follower: Replica, leader: Replica) -> bool:
        """The follower's log reaches the leader's log end."""
        return len(self.log[leader]) <= len(self.log[follower])

    def acknowledges(self, follower: Replica, leader: Replica) -> bool:
        """The follower's log goes beyond the leader's high watermark."""
        return self.hw[leader] < len(self.log[follower])

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """A replica follows at once, whatever the leader itself has heard by then."""
        return True

    def may_fetch(self, follower: Replica, leader: Replica) -> bool:
        """Always: the fetch says no more than the follower's log end."""
        return True
