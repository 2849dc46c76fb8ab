"""KAFKA-19996, the fix proposed (PR #23024): below min.insync.replicas, whoever would be taken out is not let in."""

from isrmodel.isr.strict_min_isr import StrictMinIsr
from isrmodel.vocabulary import Follower


class Kafka19996Fix(StrictMinIsr):
    """The fix proposed for KAFKA-19996: below min.insync.replicas nobody joins who would be taken out.

    Keeps `no_bad_expand` with two replicas, where the ISR without the follower is below the minimum. With three, and a
    minimum of two, it breaks as it has since KAFKA-4485: the condition is not asked above the minimum.
    """

    def may_join(self, follower: Follower) -> bool:
        """The follower has reached the high watermark; below min.insync.replicas, it must not lag either."""
        return self.known[follower] >= self.hw and (self.may_advance() or not self.lags(follower))
