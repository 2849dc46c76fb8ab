"""KIP-320, asked what it does for ever."""

from isrcheck import Taken, Temporal, fairness, leads_to, temporal
from isrmodel.published.kip_320 import Kip320
from isrmodel.vocabulary import Replica

NAMES = ["elected_takes_office", "followers_hear_of_the_leader", "records_are_committed"]
ALIVE = ("elections_are_heard_of", "leaders_are_followed", "followers_fetch", "isr_is_kept", "high_watermark_advances")


class Kip320Forever(Kip320):
    """KIP-320 with fairness of the steps that replicas take by themselves, and of no election, eviction or write."""

    @fairness
    def elections_are_heard_of(self, taken: Taken) -> bool:
        return taken.action == "replica_becomes_leader"

    @fairness
    def leaders_are_followed(self, taken: Taken) -> bool:
        return taken.action == "replica_becomes_follower"

    @fairness
    def followers_fetch(self, taken: Taken) -> bool:
        return taken.action == "follower_replicates"

    @fairness
    def isr_is_kept(self, taken: Taken) -> bool:
        """Leaders drop who does not keep up, and take in who does."""
        return taken.action == "leader_shrinks_isr" or taken.action == "leader_expands_isr"

    @fairness
    def high_watermark_advances(self, taken: Taken) -> bool:
        return taken.action == "leader_advances_high_watermark"

    @temporal
    def elected_takes_office(self) -> Temporal:
        """A replica that is elected learns of it, unless another epoch begins."""
        return all(
            leads_to(self.quorum_leader == r, self.is_true_leader(r) or self.quorum_leader != r) for r in Replica
        )

    @temporal
    def followers_hear_of_the_leader(self) -> Temporal:
        """Every replica follows the true leader in its epoch, unless it stops to be that."""
        return all(
            leads_to(self.is_true_leader(leader), self.shares_epoch(r, leader) or not self.is_true_leader(leader))
            for leader in Replica
            for r in Replica
        )

    @temporal
    def records_are_committed(self) -> Temporal:
        """A record that a true leader holds is committed, unless it stops to be that."""
        return all(
            leads_to(
                self.is_true_leader(leader) and len(self.log[leader]) > n,
                self.hw[leader] > n or not self.is_true_leader(leader),
            )
            for leader in Replica
            for n in range(self.log_size)
        )
