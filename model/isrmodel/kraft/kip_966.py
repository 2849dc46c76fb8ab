"""KIP-966, part 1 (4.0, on by default from 4.1): eligible leader replicas, who left an ISR that nobody has outrun."""

from isrcheck import constant
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Replica, Version


class Kip966(State):
    """The last member of an ISR may leave it: whoever is in the ELR still has all that was acknowledged."""

    elr: bool = constant(True, "KIP-966: who leaves an ISR below min.insync.replicas stays eligible as a leader")
    unclean_leaves: bool = constant(True, "KIP-966: who registers after an unclean stop is no longer eligible")
    removed_leave: bool = constant(False, "whose replica is removed is no longer eligible either (in no release yet)")

    def isr_without(self, replica: Replica) -> frozenset[Replica]:
        """The ISR once a replica has left it; without ELR the last one stays."""
        isr = self.now.isr
        return isr if not self.elr and isr == frozenset({replica}) else isr - {replica}

    def eligible(self, isr: frozenset[Replica], unclean: frozenset[Replica]) -> frozenset[Replica]:
        """The ELR beside a new ISR (`maybePopulateTargetElr`): all earlier members but who may have lost records."""
        if not self.elr or len(isr) >= self.enough(self.elr_version()):
            return frozenset()
        left = (self.now.elr | self.now.isr) - isr - (unclean if self.unclean_leaves else frozenset())
        return frozenset(r for r in left if not self.removed_leave or self.is_assigned(r, self.elr_version()))

    def elr_version(self) -> Version:
        """The partition epoch whose assignment counts: Kafka looks at the one before the change."""
        return self.version + 1 if self.removed_leave else self.version
