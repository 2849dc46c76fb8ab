"""Kafka up to 0.10: a new follower trusts nothing beyond its own high watermark."""

from isrmodel.published.replication import Offset
from isrmodel.published.unfenced import Unfenced
from isrmodel.vocabulary import Replica


class TruncateToHighWatermark(Unfenced):
    """A follower's high watermark is one fetch older than its leader's, so this cuts off committed records.

    Breaks `weak_isr` and `strong_isr` with two replicas and a single record: the follower holds the record that the
    leader has just committed, hears of a new epoch, and drops it while it is still in the ISR.
    """

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The follower's own high watermark."""
        return self.hw[follower]
