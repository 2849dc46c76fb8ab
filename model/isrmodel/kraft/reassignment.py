"""Partition reassignment (KIP-455, `ReplicationControlManager.changePartitionReassignment`): replicas come and go.

The assignment is first that before and after together; once the added replica is in the ISR, a record that is due
anyway takes the removed one out, from the ISR and from leadership.
"""

from typing import Annotated

from isrcheck import UpTo, action, constant, require
from isrmodel.kraft.faults import Faults
from isrmodel.kraft.state import Change
from isrmodel.vocabulary import Replica


class Reassignment(Faults):
    """An operator moves the partition between brokers, one replica at a time."""

    replaces: bool = constant(False, "every reassignment puts one broker in the place of another")

    reassigned_so_far: Annotated[int, UpTo("reassignments")] = 0

    @action(internal=True, sentence="{broker} holds no replica at first")
    def leave_out(self, broker: Replica) -> None:
        """The partition is created on fewer brokers than there are: this one holds no replica of it at first."""
        require(self.version == 0 and len(self.changes) < self.spares)
        require(self.is_assigned(broker, 1))
        self.changes += (Change(None, broker, 1, 1),)

    @action(fault=True, sentence="an operator reassigns the partition (adding {added}, removing {removed})")
    def reassign(self, added: Replica | None, removed: Replica | None, chosen: Replica | None) -> None:
        """An operator asks for a replica more, for one less, or for one in place of another; nothing is in progress.

        The controller cannot elect who was not assigned before: it fails to look up that broker's directory.
        """
        require(self.has_begun() and self.reassigned_so_far < self.reassignments)
        require(not self.is_being_reassigned())
        require(added is not None or removed is not None)
        require(not self.replaces or (added is not None and removed is not None))
        require(added is None or not self.is_assigned(added, self.version))
        require(removed is None or self.is_assigned(removed, self.version))
        require(added is not None or self.replication_factor(self.version) > 1)
        self.reassigned_so_far += 1
        self.limit_faults()
        self.changes += (Change(added, removed, self.version + 1, None),)
        require(chosen is None or self.is_assigned(chosen, self.version))
        self.settle(self.now.isr, frozenset(), chosen)
