"""KAFKA-4485, second version of its text."""

from isrmodel.isr.pseudo_isr import PseudoIsr
from isrmodel.vocabulary import Age, Follower, Offset


class Kafka4485V2(PseudoIsr):
    """KAFKA-4485, second text: as the first, and a fetch at the current log end proves it to be caught up now.

    Breaks `keeping_up_belongs` in an idle partition, as the first version does.
    """

    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """Caught up now, or as of the fetch before."""
        return self.caught_up_age_by_fetches(follower, offset, leo, age)
