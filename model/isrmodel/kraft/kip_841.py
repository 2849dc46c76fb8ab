"""KIP-841 (3.3, KAFKA-13916): a broker that is fenced or shutting down does not enter an ISR."""

from isrcheck import constant
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Replica


class Kip841(State):
    """Whether the controller asks who is live before it grants an ISR (`ineligibleReplicasForIsr`)."""

    kip_841: bool = constant(True, "KIP-841: an ISR with a broker that is fenced or shutting down is refused")

    def may_all_be_in_sync(self, isr: frozenset[Replica]) -> bool:
        """Whether the controller takes every member for live."""
        return not self.kip_841 or all(self.is_live(r) for r in isr)
