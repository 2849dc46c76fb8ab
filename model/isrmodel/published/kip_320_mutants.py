"""KIP-320 less one rule at a time. Each is kept because it fails: it shows what that rule is for."""

from isrmodel.published.kip_320 import Kip320
from isrmodel.published.replication import Epoch
from isrmodel.vocabulary import Replica


class Kip320WithoutEpochStart(Kip320):
    """A new leader admits followers before its high watermark has reached its own epoch (KAFKA-7128).

    Breaks `strong_isr` with three replicas, one record and two epochs: the high watermark that a new leader starts with
    may be far behind what its predecessor committed, so that an empty replica passes for caught up.
    """

    def may_join_isr(self, follower: Replica, leader: Replica) -> bool:
        """The follower reaches the high watermark, however old that is."""
        return self.shares_epoch(follower, leader) and self.hw[leader] <= len(self.log[follower])


class Kip320UnfencedHighWatermark(Kip320):
    """A leader counts followers that are in another epoch than its own.

    Breaks `strong_isr` with three replicas, one record and three epochs: such a follower may still truncate what it was
    counted for.
    """

    def acknowledges(self, follower: Replica, leader: Replica) -> bool:
        """The follower's log goes beyond the high watermark."""
        return self.hw[leader] < len(self.log[follower])


class Kip320UnfencedTruncation(Kip320):
    """A new follower compares its log with the leader's, whatever epoch the leader is in.

    Breaks `strong_isr` with three replicas, two records and three epochs: the leader may itself truncate before it
    hears of its own election, and what was common is no longer.
    """

    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """A replica follows at once, whatever the leader itself has heard by then."""
        return True


class Kip320UnfencedFetch(Kip320):
    """A leader answers fetches of followers in any epoch (KAFKA-6880).

    Breaks `strong_isr` with three replicas, three records and three epochs: a zombie fetches new records on top of ones
    that the leader has truncated meanwhile, and its last record then hides that the logs differ below.
    """

    def may_fetch(self, follower: Replica, leader: Replica) -> bool:
        """Always: the fetch says no more than the follower's log end."""
        return True
