"""KAFKA-4485 as merged (Kafka 0.10.2): the measure of the text, with a task and a test for joining of their own."""

from isrmodel.isr.admission import Admission
from isrmodel.isr.vocabulary import Clock
from isrmodel.vocabulary import Age, Follower, Offset


class Kafka4485Merged(Admission):
    """Kafka 0.10.2: out when not caught up for T; in at the high watermark, which waits for ISR and pseudo-ISR.

    Cures KAFKA-4485's second problem, and its first where followers fetch in time. Breaks `no_bad_expand` by a late
    fetch: time alone never moves the high watermark, so a follower silent for T may come back and still reach it. For
    the same reason `hw_not_stalled` breaks: the last record of an idle partition waits for a follower that is dead.
    Later versions were seen to do both (3.9.1, 4.1.1).
    """

    def keeps(self, clock: Clock) -> bool:
        """lastCaughtUpTimeMs, and the leader's log end at the last fetch."""
        return clock == Clock.CAUGHT_UP or clock == Clock.FETCH_LEO

    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """Caught up now, or as of the fetch before."""
        return self.caught_up_age_by_fetches(follower, offset, leo, age)

    def is_out(self, follower: Follower) -> bool:
        """The follower has not been caught up for longer than T."""
        return self.caught_up_age[follower] > self.lag_time_max

    def may_join(self, follower: Follower) -> bool:
        """The follower has reached the high watermark."""
        return self.known[follower] >= self.hw

    def holds_back(self, follower: Follower) -> bool:
        """The ISR, and whoever was caught up within T."""
        return follower in self.isr or self.caught_up_age[follower] <= self.lag_time_max
