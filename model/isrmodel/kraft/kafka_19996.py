"""KAFKA-19996, the fix proposed (PR #23024): below min.insync.replicas, whoever would be dropped is not asked for."""

from isrcheck import constant
from isrmodel.kraft.replica_lag import ReplicaLag
from isrmodel.vocabulary import Replica


class Kafka19996(ReplicaLag):
    """A high watermark that stands still is easy to reach: without the fix a follower that lags joins, and leaves."""

    kafka_19996: bool = constant(False, "KAFKA-19996, proposed: below min.insync.replicas nobody joins who lags")

    def is_not_late(self, leader: Replica, follower: Replica) -> bool:
        """Whether a follower that has reached the high watermark may join by the clock."""
        return not self.kafka_19996 or self.may_expose(leader) or not self.lags(leader, follower)
