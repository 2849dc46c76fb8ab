"""KAFKA-15021 (3.6): a smaller ISR no longer begins a leader epoch, for which every follower had to stop fetching."""

from isrcheck import constant
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Replica


class Kafka15021(State):
    """Rule by which the controller begins a leader epoch (`PartitionChangeBuilder.triggerLeaderEpochBump...`)."""

    bump_on_shrink: bool = constant(False, "before KAFKA-15021 (3.6): a smaller ISR begins a leader epoch")

    def begins_epoch(self, leader: Replica | None, isr: frozenset[Replica]) -> bool:
        """Whether a new leader, none included, or before 3.6 a smaller ISR, begins a leader epoch."""
        return leader != self.now.leader or (self.bump_on_shrink and not self.now.isr <= isr)

    def bumps_without_leader(self, fenced: Replica) -> bool:
        """Whether, before 3.6, fencing the ISR's last member begins a leader epoch, though nobody leads or will.

        That member would leave the ISR, which counts as a smaller one, and stays since it is the last.
        """
        return self.bump_on_shrink and self.now.leader is None and self.now.isr == frozenset({fenced})
