"""KAFKA-4485, an earlier patch: the test for joining asks for the lag as well, until review took that out again."""

from isrmodel.isr.kafka_4485_merged import Kafka4485Merged
from isrmodel.vocabulary import Follower


class Kafka4485FirstPatch(Kafka4485Merged):
    """KAFKA-4485, an earlier patch: nobody joins whom the task would take out again.

    In at the high watermark, and with a lag of T or less. Keeps `no_bad_expand`, which every version since breaks.
    `hw_not_stalled` breaks all the same: that is a matter of when the high watermark is recomputed.
    """

    def may_join(self, follower: Follower) -> bool:
        """The follower has reached the high watermark, and was caught up within T."""
        return self.known[follower] >= self.hw and not self.is_out(follower)
