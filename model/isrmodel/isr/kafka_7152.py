"""KAFKA-7152 (Kafka 2.1): a follower that has everything is in sync, whenever it last fetched."""

from isrmodel.isr.admission import Admission
from isrmodel.isr.vocabulary import Age, Clock, Follower, Offset


class CaughtUpIsIn(Admission):
    """The rules that Kafka has had since 2.1, with KIP-501's and KAFKA-15583's changes left to variants."""

    def keeps(self, clock: Clock) -> bool:
        """lastCaughtUpTimeMs, and the leader's log end at the last fetch."""
        return clock == Clock.CAUGHT_UP or clock == Clock.FETCH_LEO

    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """Caught up now, or as of the fetch before; never earlier than was known."""
        if offset >= leo:
            return min(age, self.caught_up_age[follower])
        elif offset >= self.fetch_leo[follower]:
            return min(self.fetch_age[follower], self.caught_up_age[follower])
        else:
            return self.caught_up_age[follower]

    def is_out(self, follower: Follower) -> bool:
        """Behind the leader's log end, and not caught up for longer than T."""
        return self.lags(follower)

    def may_join(self, follower: Follower) -> bool:
        """It has reached the high watermark."""
        return self.known[follower] >= self.hw

    def holds_back(self, follower: Follower) -> bool:
        """The ISR, and whoever was caught up within T."""
        return follower in self.isr or self.caught_up_age[follower] <= self.lag_time_max

    def lags(self, follower: Follower) -> bool:
        """Behind the leader's log end, and not caught up for longer than T."""
        return self.known[follower] != self.log_end and self.caught_up_age[follower] > self.lag_time_max


class Kafka7152(CaughtUpIsIn):
    """As KAFKA-4485 was merged, but nobody leaves who has all there is.

    Cures the eviction from idle partitions (`keeping_up_belongs`). Breaks `no_bad_expand` and `hw_not_stalled` as that
    version does: true of the model; not reproduced on a broker.
    """
