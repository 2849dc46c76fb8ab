"""Replication: followers fetch, and a leader commits what a majority of the voters has."""

from isrcheck import action, constant, require
from isrmodel.raft.flush import Flush
from isrmodel.raft.state import Entry, Epoch, Log, Offset, Server, State


def longer(known: Log, log: Log) -> Log:
    return log if len(log) > len(known) else known


class Replication(Flush):
    """A fetch says where a log ends, and brings the next record."""

    own_epoch_only: bool = constant(True, "only a record of the leader's own epoch is committed by counting")

    @action(sentence="{leader} appends a record")
    def write(self, leader: Server) -> None:
        require(self.leads(leader) and self.written < self.records)
        self.written += 1
        self.append(leader, Entry(self.role[leader].epoch, self.voters(leader)))

    @action(sentence="{follower} fetches from {leader}")
    def fetch(self, follower: Server, leader: Server) -> None:
        """A fetch from where the logs are one tells the leader what the follower has, and brings the next record."""
        require(self.tells(follower, leader) or self.brings(follower, leader))
        self.serve(follower, leader)
        end = self.end(follower)
        self.log[follower] += self.log[leader][end : end + 1]
        self.hw[follower] = min(self.hw[leader], self.end(follower))

    @action(fault=True, sentence="{follower} fetches from {leader}, and the answer is lost")
    def lose_answer(self, follower: Server, leader: Server) -> None:
        """The leader hears what the follower has; the follower hears nothing."""
        require(self.tells(follower, leader))
        self.serve(follower, leader)

    @action(sentence="{follower} truncates its log as {leader} says")
    def truncate(self, follower: Server, leader: Server) -> None:
        """The logs have parted: the follower cuts its own to where they may be one."""
        agreed = self.end_of_agreement(follower, leader)
        require(self.is_served(follower, leader) and self.end(follower) > agreed)
        self.log[follower] = self.log[follower][:agreed]
        self.flushed[follower] = min(self.flushed[follower], agreed)
        self.hw[follower] = min(self.hw[follower], agreed)

    def serve(self, follower: Server, leader: Server) -> None:
        """The follower has on disk what it tells."""
        require(self.is_served(follower, leader) and self.end(follower) <= self.end_of_agreement(follower, leader))
        self.flush(follower)
        self.ends[leader][follower] = self.end(follower)
        self.advance_hw(leader)

    def is_served(self, follower: Server, leader: Server) -> bool:
        role = self.role[follower]
        is_told = role.state == State.FOLLOWER and role.leader == leader and role.epoch == self.role[leader].epoch
        return self.reaches(follower, leader) and self.leads(leader) and is_told

    def tells(self, follower: Server, leader: Server) -> bool:
        return self.ends[leader][follower] != self.end(follower)

    def brings(self, follower: Server, leader: Server) -> bool:
        is_behind = self.end(follower) < self.end(leader)
        return is_behind or self.hw[follower] != min(self.hw[leader], self.end(follower))

    def end_of_agreement(self, follower: Server, leader: Server) -> Offset:
        """The end, in the leader's log, of the follower's last epoch or the greatest before it: the two may be one."""
        last = self.epoch_at(follower, self.end(follower))
        end = self.end_for(leader, last)
        return min(end, self.end_for(follower, self.epoch_at(leader, end)))

    def end_for(self, server: Server, epoch: Epoch) -> Offset:
        """The offset at which a log's records of an epoch or of earlier ones end."""
        log = self.log[server]
        return max((n + 1 for n in range(len(log)) if log[n].epoch <= epoch), default=0)

    def append(self, leader: Server, record: Entry) -> None:
        """A leader has its own record before anybody else, and counts itself once it is flushed."""
        self.log[leader] += (record,)
        self.flush(leader)
        self.advance_hw(leader)

    def advance_hw(self, leader: Server) -> None:
        """The high watermark is where a majority of the voters is, the leader among them only if it is a voter."""
        epoch = self.role[leader].epoch
        reached = max((n + 1 for n in range(self.end(leader)) if self.is_replicated(leader, n + 1)), default=0)
        counts = not self.own_epoch_only or self.epoch_at(leader, reached) == epoch
        if counts and reached > self.hw[leader]:
            self.hw[leader] = reached
            self.committed = longer(self.committed, self.log[leader][:reached])

    def is_replicated(self, leader: Server, end: Offset) -> bool:
        have = frozenset(s for s in Server if s == leader or self.ends[leader][s] >= end)
        return self.is_majority(have, self.voters(leader))
