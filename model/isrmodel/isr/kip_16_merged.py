"""KIP-16 as merged (Kafka 0.9 to 0.10.1), and the "current implementation" of KAFKA-4485: lastCaughtUpTimeMs."""

from isrcheck import constant
from isrmodel.isr.admission import Admission
from isrmodel.isr.vocabulary import Clock
from isrmodel.vocabulary import Age, Follower, Offset


class Kip16Merged(Admission):
    """Kafka 0.9 to 0.10.1: out when no fetch reached the log's end within T; back in at the high watermark.

    Breaks `keep_up_stays` (KAFKA-4485, problem 2): under a steady stream a follower that always has everything but the
    newest record is never seen to be caught up. With three replicas also `no_bad_expand` (its problem 1): the two tests
    differ, and while another member holds the high watermark back a follower flaps.
    """

    max_records: int = constant(2, "records that producers may append")
    expiration_period: int = constant(2, "ticks between two runs of the isr-expiration task", at_least=1)

    def keeps(self, clock: Clock) -> bool:
        """lastCaughtUpTimeMs."""
        return clock == Clock.CAUGHT_UP

    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """Caught up now if the fetch reached the log's end."""
        return age if offset >= leo else self.caught_up_age[follower]

    def is_out(self, follower: Follower) -> bool:
        """The follower has not been caught up for longer than T."""
        return self.caught_up_age[follower] > self.lag_time_max

    def may_join(self, follower: Follower) -> bool:
        """The follower has reached the high watermark."""
        return self.known[follower] >= self.hw
