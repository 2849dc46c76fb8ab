"""Assignment: which brokers hold the partition, and what a removed broker does (KIP-455, `TopicDelta.localChanges`)."""

from isrcheck import constant
from isrmodel.kraft.kafka_19975 import Kafka19975
from isrmodel.kraft.state import Change, Image
from isrmodel.vocabulary import Replica, Version


class Assignment(Kafka19975):
    """An assignment is the brokers less the spare ones, changed by every reassignment so far."""

    bump_on_removal: bool = constant(True, "a leader epoch begins when a replica leaves the assignment")
    heard_in_epoch: bool = constant(True, "a follower joins only by a fetch in the present leader epoch")

    def assignment(self, version: Version) -> frozenset[Replica]:
        """The brokers that hold a replica at a partition epoch."""
        return frozenset(r for r in Replica if self.is_assigned(r, version))

    def electable(self) -> frozenset[Replica]:
        """The brokers that the controller may elect as things stand: members of ISR and ELR that hold a replica."""
        return frozenset(r for r in self.now.isr | self.now.elr if self.is_assigned(r, self.version))

    def is_being_reassigned(self) -> bool:
        """Whether a reassignment is in progress."""
        return any(c.done is None for c in self.changes)

    def is_reassigned_now(self) -> bool:
        """Whether the next record begins or completes a reassignment."""
        return any(c.begun > self.version or (c.done is not None and c.done > self.version) for c in self.changes)

    def is_removed_now(self) -> bool:
        """Whether a replica leaves the assignment with the next record."""
        return any(c.removing is not None and c.done is not None and c.done > self.version for c in self.changes)

    def complete_reassignment(self, isr: frozenset[Replica]) -> None:
        """A change of the partition also ends what can be ended by then."""
        self.changes = tuple(
            Change(c.adding, c.removing, c.begun, self.version + 1) if c.done is None and self.completes(c, isr) else c
            for c in self.changes
        )

    def is_remembered(self, follower: Replica, learned: Image) -> bool:
        """Whether a leader that is elected again still counts a follower's fetches: only those of its ISR's members."""
        return not self.heard_in_epoch or follower in learned.isr

    def forget_removed(self, leader: Replica) -> None:
        """A leader keeps nothing of followers that are no longer assigned (`Partition.updateAssignmentAndIsr`)."""
        if self.reassignments > 0:
            self.heard[leader] = {
                f: self.heard[leader][f] if self.is_assigned(f, self.seen[leader]) else None for f in Replica
            }
            self.remembered[leader] = {
                f: self.remembered[leader][f] if self.is_assigned(f, self.seen[leader]) else () for f in Replica
            }

    def drop_replica(self, broker: Replica) -> None:
        """A broker that reads that it is not assigned deletes its log; if it is added later, it starts empty."""
        if not self.is_assigned(broker, self.seen[broker]):
            self.log[broker] = ()
            self.hw[broker] = 0

    def forget_when_changed(self, oldest: Version) -> None:
        """Forget when the assignment changed once all brokers that are up have read of it."""
        self.changes = tuple(
            Change(c.adding, c.removing, 1, 1)
            if c.done is not None and c.done <= oldest
            else Change(c.adding, c.removing, 1 if c.begun <= oldest else c.begun, c.done)
            for c in self.changes
        )
