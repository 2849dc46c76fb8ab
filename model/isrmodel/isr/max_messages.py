"""Kafka 0.8: a follower leaves the ISR for being too many messages behind, or for not fetching."""

from isrcheck import constant
from isrmodel.isr.admission import Admission
from isrmodel.isr.vocabulary import Clock
from isrmodel.vocabulary import Follower


class MaxMessages(Admission):
    """Kafka 0.8: out for too many messages of lag, or for not fetching; back in at the high watermark.

    Breaks `keep_up_stays`: one large batch puts a healthy follower out (KIP-16's motivation). And `lagging_leaves`: a
    follower that fetches, but is always a few messages behind, stays for ever.
    """

    max_records: int = constant(2, "records that producers may append")
    expiration_period: int = constant(2, "ticks between two runs of the isr-expiration task", at_least=1)

    def keeps(self, clock: Clock) -> bool:
        """The leader keeps no clock: only the offset and the time of the last fetch."""
        return False

    def is_out(self, follower: Follower) -> bool:
        """Stuck, which is behind and without a fetch for T; or slow, which is too many messages behind."""
        stuck = self.known[follower] < self.log_end and self.fetch_age[follower] > self.lag_time_max
        slow = self.log_end > self.known[follower] + self.max_lag_messages
        return stuck or slow

    def may_join(self, follower: Follower) -> bool:
        """The follower has reached the high watermark."""
        return self.known[follower] >= self.hw
