"""Re-election: what a leader remembers of its followers (`Partition.makeLeader`, `Replica.resetReplicaState`).

Kafka asks whether the broker led just before, by its own metadata. A broker that reads two changes of leadership at
once has missed another leader's term, in which its followers may have truncated what it remembers of them.
"""

from isrcheck import constant
from isrmodel.kraft.state import Image, State
from isrmodel.vocabulary import Replica


class ReElection(State):
    """A leader that is elected again remembers the members of its ISR."""

    forgets_missed: bool = constant(
        False, "a leader elected again after a term that it missed forgets what followers had (not in Kafka)"
    )

    def leads_on(self, broker: Replica, before: Image, after: Image) -> bool:
        """Whether a broker leads in a new epoch and led just before, so that it remembers the members of its ISR."""
        missed = after.epoch > before.epoch + 1
        return before.leader == broker and after.leader == broker and not (self.forgets_missed and missed)
