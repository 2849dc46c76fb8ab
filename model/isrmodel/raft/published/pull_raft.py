"""PullRaft.tla: whoever votes for a candidate takes it for the leader, and pulls from it until it hears of another."""

from isrmodel.raft.published.pulling import Notice, Position, Pulling, VoteAnswer
from isrmodel.raft.published.words import Server


class PullRaft(Pulling):
    """PullRaft.tla as published: a server pulls from whom it votes for; a new leader tells those who did not."""

    def vote_of(self, server: Server) -> Server | None:
        return self.leader[server]

    def vote(self, voter: Server, candidate: Server | None) -> None:
        self.leader[voter] = candidate

    def end_told_with_vote(self, voter: Server) -> Position | None:
        return None

    def remember(self, answer: VoteAnswer) -> None:
        pass

    def notices(self, leader: Server) -> frozenset[Notice]:
        others = frozenset(Server) - self.votes[leader]
        return frozenset(Notice(leader, to, self.term[leader], None) for to in others)

    def forget(self, server: Server) -> None:
        pass
