"""PullRaftVariant2.tla: a server pulls from nobody before a leader has told that it leads."""

from isrcheck import each
from isrmodel.raft.published.pulling import Notice, Position, Pulling, VoteAnswer
from isrmodel.raft.published.words import Server


class PullRaftVariant2(Pulling):
    """Variant 2: voters tell where their logs end, and the new leader tells all where to cut them."""

    voted_for: dict[Server, Server | None] = each(Server, None)
    last_of: dict[Server, dict[Server, Position | None]] = each(Server, each(Server, None))  # as told with votes

    def vote_of(self, server: Server) -> Server | None:
        return self.voted_for[server]

    def vote(self, voter: Server, candidate: Server | None) -> None:
        self.voted_for[voter] = candidate

    def end_told_with_vote(self, voter: Server) -> Position | None:
        return Position(self.last_term(voter), len(self.log[voter]))

    def remember(self, answer: VoteAnswer) -> None:
        self.last_of[answer.to][answer.source] = answer.last

    def notices(self, leader: Server) -> frozenset[Notice]:
        return frozenset(self.notice(leader, to) for to in Server if to != leader)

    def forget(self, server: Server) -> None:
        self.leader[server] = None
        self.last_of[server] = {s: None for s in Server}

    def notice(self, leader: Server, to: Server) -> Notice:
        last = self.last_of[leader][to]
        common = None if last is None else self.common_position(leader, last)
        return Notice(leader, to, self.term[leader], common)
