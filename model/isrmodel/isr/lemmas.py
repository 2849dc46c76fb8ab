"""Lemmas for proofs about the high watermark: what is true of offsets whatever a version decides."""

from isrcheck import lemma
from isrmodel.isr.timed import TimedLeader
from isrmodel.vocabulary import Follower


class Lemmas(TimedLeader):
    """Auxiliary invariants, for proofs: the offsets stand in an order that no step changes."""

    @lemma
    def known_is_not_ahead(self) -> bool:
        """A follower still has what it told the leader at its last fetch: there is no truncation under one leader."""
        return all(self.known[f] <= self.follower_end[f] for f in Follower)

    @lemma
    def follower_is_not_ahead(self) -> bool:
        """A follower copies the leader's log, so it never has more."""
        return all(self.follower_end[f] <= self.log_end for f in Follower)
