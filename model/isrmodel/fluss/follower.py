"""A follower: how it fetches, and what it cuts off (`ReplicaFetcherThread`).

A fetch is one step from request to answer, or one whose answer is lost; it brings one record at most.
"""

from isrcheck import action, constant, require
from isrmodel.fluss.leader import Leader
from isrmodel.fluss.state import Server
from isrmodel.vocabulary import Offset


class Follower(Leader):
    """A replica that copies its leader's log."""

    detects_clash: bool = constant(False, "#731: a follower may see by writers' sequence numbers that the logs differ")

    @action(sentence="{follower} fetches from {leader}")
    def fetch(self, follower: Server, leader: Server) -> None:
        """The leader notes how far the follower is, and answers with its next record."""
        require(self.is_served(follower, leader))
        self.note_fetch(leader, follower)
        offset = self.end(follower)
        self.log[follower] += self.log[leader][offset : offset + 1]
        self.hw[follower] = self.follower_hw_after_fetch(follower, leader)

    @action(sentence="{follower} fetches from {leader}, and the answer is lost")
    def lose_fetch(self, follower: Server, leader: Server) -> None:
        """The leader serves a fetch, and the follower never hears of it."""
        require(self.is_served(follower, leader))
        self.note_fetch(leader, follower)

    @action(sentence="{follower} is out of range, and truncates to the end of {leader}")
    def cut_out_of_range(self, follower: Server, leader: Server) -> None:
        """LOG_OFFSET_OUT_OF_RANGE: a follower with more truncates to the leader's end (`fetchOffsetAndTruncate`)."""
        require(self.is_connected(follower, leader) and self.end(leader) < self.end(follower))
        self.cut(follower, self.end(leader))

    @action(sentence="{follower} asks {leader} where their logs part, and truncates")
    def ask_and_truncate(self, follower: Server, leader: Server) -> None:
        """OffsetsForLeaderEpoch, as #673 proposes: a follower truncates by the leader's answer before it fetches."""
        require(follower in self.truncating)
        require(self.follows(follower, leader) and self.may_exchange(follower, leader))
        agrees = self.is_in_agreement(follower, leader)
        self.cut(follower, self.truncation_point(follower, leader))
        if agrees:
            self.truncating -= {follower}

    @action(sentence="{follower} finds that a sequence number of {leader} does not fit its log, and truncates")
    def detect_clash(self, follower: Server, leader: Server) -> None:
        """A batch does not fit a writer's sequence: truncate to where the leader began, if that is not 0 (#731)."""
        require(self.detects_clash and self.is_served(follower, leader))
        require(self.end(follower) < self.end(leader) and self.differs(follower, leader))
        require(0 < self.start[leader] and self.start[leader] < self.end(follower))
        self.note_fetch(leader, follower)
        self.cut(follower, self.start[leader])

    def follows(self, follower: Server, leader: Server) -> bool:
        """Whether a server that is up takes another for its leader, and that one does so, too."""
        return (
            follower != leader
            and follower not in self.down
            and self.known[follower].leader == leader
            and self.leads(leader)
        )

    def is_connected(self, follower: Server, leader: Server) -> bool:
        """Whether a leader answers a follower's fetch, in range or not. Fluss compares no leader epochs."""
        return (
            self.follows(follower, leader) and follower not in self.truncating and self.may_exchange(follower, leader)
        )

    def is_served(self, follower: Server, leader: Server) -> bool:
        """Whether a leader answers a fetch with what it has."""
        return self.is_connected(follower, leader) and self.end(follower) <= self.end(leader)

    def differs(self, follower: Server, leader: Server) -> bool:
        """Whether a follower's log is not the beginning of its leader's."""
        end: Offset = self.end(follower)
        return self.log[follower] != self.log[leader][:end]
