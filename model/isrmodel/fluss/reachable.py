"""Reachability properties, so that no property holds vacuously, and the constants with which an action may happen."""

from isrcheck import reachable
from isrmodel.fluss.properties import BucketSafety
from isrmodel.vocabulary import Replica


class ReachableBucket(BucketSafety):
    """A bucket whose leaders change, and whose ISR shrinks and grows."""

    @reachable
    def something_is_acked(self) -> bool:
        """A writer is told that its record is safe."""
        return self.acked != frozenset()

    @reachable
    def someone_leaves(self) -> bool:
        """The ISR on record lacks a server."""
        return self.has_begun() and self.now.isr != frozenset(Replica)
