"""Re-election: what a leader remembers of its followers (`Partition.makeLeader`, `Replica.resetReplicaState`).

Kafka asks whether the broker led just before, by its own metadata. A broker that reads two changes of leadership at
once has missed another leader's term, in which its followers may have truncated what it remembers of them. Of members
of the ISR that counts as fetched; of others only the offset stays, so that a fetch from there is no news.
"""

from isrcheck import constant
from isrmodel.kraft.state import Heard, Image, Remembered, State
from isrmodel.vocabulary import Replica


class ReElection(State):
    """A leader that is elected again remembers its followers, those outside the ISR too."""

    forgets_missed: bool = constant(
        False, "a leader elected again after a term that it missed forgets what followers had (not in Kafka)"
    )

    def last_known_fetch(self, leader: Replica, follower: Replica) -> Heard | None:
        """A follower's last fetch that its leader knows of, in this epoch or, while it led on, in an earlier one."""
        heard, before = self.heard[leader][follower], self.remembered[leader][follower]
        return heard if heard is not None or before == () else before[0]

    def fetches_to_remember(self, leader: Replica, follower: Replica) -> Remembered:
        """A follower's last fetch, of which a leader of three or more replicas knows."""
        heard, before = self.heard[leader][follower], self.remembered[leader][follower]
        return (heard,) if heard is not None and self.replicas > 2 else before

    def leads_on(self, broker: Replica, before: Image, after: Image) -> bool:
        """Whether a broker leads in a new epoch and led just before, so that it remembers its followers."""
        missed = after.epoch > before.epoch + 1
        return before.leader == broker and after.leader == broker and not (self.forgets_missed and missed)
