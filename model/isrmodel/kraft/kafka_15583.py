"""KAFKA-15583 (3.7, part of KIP-966): the high watermark stands still while the ISR is below min.insync.replicas."""

from isrcheck import constant, policy
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Replica


class Kafka15583(State):
    """Otherwise a leader alone in the ISR exposes what nobody else holds."""

    strict: bool = constant(True, "KAFKA-15583: nothing is exposed while the ISR is below min.insync.replicas")

    @policy
    def may_expose(self, leader: Replica) -> bool:
        """Whether the ISR that a leader knows to be on record is large enough (`isUnderMinIsr`)."""
        return not self.strict or len(self.known[leader].isr) >= self.enough(self.seen[leader])

    @policy
    def accepts(self, leader: Replica, isr: frozenset[Replica]) -> bool:
        """Whether a producer with acks=all is served while an ISR is as it is (`effectiveMinIsr`)."""
        return len(isr) >= (self.enough(self.seen[leader]) if self.strict else self.min_isr)
