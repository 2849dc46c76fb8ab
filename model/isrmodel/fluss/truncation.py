"""#673, #674, #731, #4269: what a replica cuts off when it begins to follow, and who compares epochs."""

from enum import Enum

from isrcheck import constant
from isrmodel.fluss.epochs import Epochs
from isrmodel.fluss.state import Server
from isrmodel.vocabulary import Offset


class Truncation(Enum):
    """How much of its log a replica keeps when it begins to follow in a new leader epoch."""

    NONE = "everything"
    HIGH_WATERMARK = "up to its own high watermark (Fluss)"
    LEADER_START = "up to the log end offset with which the leader began"
    KIP_101 = "up to the end of its last epoch in the leader's log"
    KIP_279 = "up to the end of the last epoch that both logs have"


class FollowerHw(Enum):
    """The high watermark of a follower after a fetch."""

    LEADER = "the leader's, up to its own log end offset (before #676)"
    LOG_END = "its own log end offset (#676)"


class TruncationRule(Epochs):
    """Truncation of servers with leader epochs; those without keep to the old rule."""

    truncation: Truncation = constant(Truncation.HIGH_WATERMARK, "what a replica keeps when it begins to follow")
    follower_hw: FollowerHw = constant(FollowerHw.LOG_END, "the high watermark of a follower after a fetch")
    fences_fetch: bool = constant(False, "KIP-320: a leader answers followers of its own leader epoch only")

    def cuts_at_once(self, server: Server) -> bool:
        """Whether a server truncates to its own high watermark, without asking its leader."""
        return self.truncation == Truncation.HIGH_WATERMARK or server in self.without_epochs

    def asks_leader(self, server: Server) -> bool:
        """Whether a server asks its leader where to truncate before it fetches."""
        return self.truncation != Truncation.NONE and not self.cuts_at_once(server)

    def may_exchange(self, follower: Server, leader: Server) -> bool:
        """Whether leader and follower have the same epoch, or one of them does not compare epochs."""
        compares = self.fences_fetch and follower not in self.without_epochs and leader not in self.without_epochs
        return not compares or self.known[follower].epoch == self.known[leader].epoch

    def truncation_point(self, follower: Server, leader: Server) -> Offset:
        """How much of its log a follower keeps; its own high watermark if the leader knows of no such epoch."""
        last = self.last_epoch(follower, self.max_epoch)
        shared = self.last_epoch(leader, last)
        if self.truncation == Truncation.LEADER_START:
            return min(self.start[leader], self.end(follower))
        elif leader in self.without_epochs or last == 0:
            return self.hw[follower]
        elif self.truncation == Truncation.KIP_101:
            return min(self.end_by_kip_101(follower, leader), self.end(follower))
        elif shared == 0 and self.known[leader].epoch != last:
            return self.hw[follower]
        else:
            return min(self.end_of(leader, shared), self.end_of(follower, shared))

    def end_by_kip_101(self, follower: Server, leader: Server) -> Offset:
        """The leader's log end if the epoch is its last, else the start of its first later one, if it has one."""
        last = self.last_epoch(follower, self.max_epoch)
        if self.last_epoch(leader, self.max_epoch) > last:
            return self.end_of(leader, last)
        elif self.last_epoch(leader, self.max_epoch) == last:
            return self.end(leader)
        else:
            return self.hw[follower]

    def is_in_agreement(self, follower: Server, leader: Server) -> bool:
        """Whether one answer is enough: the follower has the epoch that the leader answers with (KIP-279)."""
        shared = self.last_epoch(leader, self.last_epoch(follower, self.max_epoch))
        return self.truncation != Truncation.KIP_279 or shared == self.last_epoch(follower, shared)

    def follower_hw_after_fetch(self, follower: Server, leader: Server) -> Offset:
        """A follower's high watermark once it has appended (`processFetchResultFromLocalStorage`)."""
        if self.follower_hw == FollowerHw.LOG_END or follower in self.without_epochs:
            return self.end(follower)
        else:
            return min(self.hw[leader], self.end(follower))
