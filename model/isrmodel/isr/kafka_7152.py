"""KAFKA-7152 (Kafka 2.1): a follower that has everything is in sync, whenever it last fetched."""

from isrmodel.isr.kafka_4485_merged import Kafka4485Merged
from isrmodel.vocabulary import Age, Follower, Offset


class Kafka7152(Kafka4485Merged):
    """Kafka 2.1: nobody leaves who has all there is, and lastCaughtUpTimeMs never goes back.

    Cures the eviction from idle partitions, until the next record with three replicas (`keeping_up_belongs`). Breaks
    `no_bad_expand` and `hw_not_stalled` as that version does; later versions were seen to.
    """

    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """Caught up now, or as of the fetch before; never earlier than was known."""
        return min(self.caught_up_age_by_fetches(follower, offset, leo, age), self.caught_up_age[follower])

    def is_out(self, follower: Follower) -> bool:
        """The follower is behind the leader's log end, and has not been caught up for longer than T."""
        return self.lags(follower)

    def lags(self, follower: Follower) -> bool:
        """The follower is behind the leader's log end, and has not been caught up for longer than T."""
        return self.known[follower] != self.log_end and self.caught_up_age[follower] > self.lag_time_max
