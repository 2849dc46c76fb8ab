"""KAFKA-15665 (3.8): when a reassignment is complete (`PartitionReassignmentReplicas.maybeCompleteReassignment`)."""

from isrcheck import constant, policy
from isrmodel.kraft.state import Change, State
from isrmodel.vocabulary import Replica


class Kafka15665(State):
    """A reassignment without the fix needs the added replica in the ISR and one that stays, however few they are."""

    all_who_stay: bool = constant(True, "KAFKA-15665: a reassignment waits until all who stay are in the ISR")

    def completes(self, change: Change, isr: frozenset[Replica]) -> bool:
        """Whether an ISR ends a reassignment that is in progress."""
        staying = frozenset(r for r in isr if r != change.removing)
        return (
            staying != frozenset()
            and all(r in isr for r in Replica if r == change.adding)
            and (
                not self.waits_for_all_who_stay(change) or all(r in isr for r in Replica if self.is_to_stay(r, change))
            )
        )

    @policy
    def waits_for_all_who_stay(self, change: Change) -> bool:
        """Whether a change ends only once all who stay are in the ISR."""
        return self.all_who_stay

    def is_to_stay(self, broker: Replica, change: Change) -> bool:
        """Whether a broker holds a replica once a reassignment is complete."""
        return broker != change.removing and self.is_assigned(broker, self.version + 1)
