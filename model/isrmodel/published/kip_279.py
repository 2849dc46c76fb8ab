"""KIP-279 (Kafka 2.0): a new follower searches backwards for the last record that it shares with the leader."""

from isrmodel.published.replication import Offset, end_of_agreement
from isrmodel.published.unfenced import Unfenced
from isrmodel.vocabulary import Replica


class Kip279(Unfenced):
    """The high watermark decides nothing any more; but whose log it is compared with is not checked.

    Violates both ISR properties with three replicas: a follower that heeds a stale request truncates to a leader that
    has itself been replaced, and a new leader with an old high watermark admits replicas that lack committed records
    (KAFKA-7128). The search is the published module's: the last offset at which both logs have the same record, without
    the exchange of epochs by which brokers find it.
    """

    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """The end of what the two logs have in common."""
        return end_of_agreement(self.log[follower], self.log[leader])
