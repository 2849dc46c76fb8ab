"""KAFKA-4485's text: pseudo-ISR, high watermark and ISR are definitions, true at every moment."""

from isrmodel.isr.admission import Admission
from isrmodel.isr.vocabulary import Clock, IsrChange
from isrmodel.vocabulary import Follower


class PseudoIsr(Admission):
    """The pseudo-ISR, whose lag is T or less, holds the high watermark back; the ISR is who of it has reached that."""

    def keeps(self, clock: Clock) -> bool:
        """lastCaughtUpTimeMs, and the leader's log end at the last fetch."""
        return clock == Clock.CAUGHT_UP or clock == Clock.FETCH_LEO

    def is_out(self, follower: Follower) -> bool:
        """The follower is not in the pseudo-ISR."""
        return self.caught_up_age[follower] > self.lag_time_max

    def may_join(self, follower: Follower) -> bool:
        """The follower has reached the high watermark."""
        return self.known[follower] >= self.hw

    def holds_back(self, follower: Follower) -> bool:
        """The pseudo-ISR, and nobody else."""
        return not self.is_out(follower)

    def isr_change(self) -> IsrChange:
        """The ISR follows from its definition."""
        return IsrChange.DEFINITION
