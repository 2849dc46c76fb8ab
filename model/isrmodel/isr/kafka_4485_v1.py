"""KAFKA-4485, first version of its text."""

from isrmodel.isr.pseudo_isr import PseudoIsr
from isrmodel.vocabulary import Age, Follower, Offset


class Kafka4485V1(PseudoIsr):
    """KAFKA-4485, first text: a fetch at the log end of the fetch before proves it to have been caught up then.

    And nothing more. The text sets "lag" to a time, lastFetchTime; read as lastCaughtUpTimeMs. Breaks
    `caught_up_fetch_counts`: whoever has everything is still one fetch interval behind by this measure. And
    `keeping_up_belongs`: in an idle partition a follower that does not fetch for T is out, though it has all there is.
    """

    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """Caught up as of the fetch before."""
        return self.fetch_age[follower] if offset >= self.fetch_leo[follower] else self.caught_up_age[follower]
