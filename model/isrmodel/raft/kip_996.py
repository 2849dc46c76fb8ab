"""KIP-996 (4.0): a server asks whether it would be voted for before it raises its epoch."""

from isrcheck import action, constant, require
from isrmodel.raft.election import Election
from isrmodel.raft.state import Role, Server, State


class Kip996(Election):
    """Pre-vote: nobody gives one who hears from a leader, or whose log is ahead."""

    pre_vote: bool = constant(True, "KIP-996: a candidate has a majority of pre-votes before it begins an epoch")

    @action(sentence="{server} asks for pre-votes")
    def ask_first(self, server: Server) -> None:
        """A timeout is over: the server keeps its epoch, its vote and its leader."""
        role = self.role[server]
        require(self.pre_vote and server in self.voters(server) and self.stood < self.elections)
        require(role.state not in (State.PROSPECTIVE, State.LEADER, State.ILLEGAL))
        self.become(server, Role(State.PROSPECTIVE, role.epoch, role.leader))
        self.pre_votes[server] = frozenset({server})

    @action(sentence="{voter} gives {server} a pre-vote")
    def give_pre_vote(self, voter: Server, server: Server) -> None:
        """A pre-vote binds the voter to nothing; one of an earlier epoch has learned of the server's before."""
        require(self.reaches(voter, server) and self.role[server].state == State.PROSPECTIVE)
        require(voter in self.voters(server) and voter not in self.pre_votes[server])
        require(self.role[voter].epoch == self.role[server].epoch and self.is_up_to_date(server, voter))
        require(self.role[voter].state not in (State.FOLLOWER, State.LEADER, State.ILLEGAL))
        self.pre_votes[server] |= {voter}

    def may_stand(self, server: Server) -> bool:
        """A server stands with a majority of pre-votes; without KIP-996, whenever its time is over."""
        return not self.pre_vote or self.is_majority(self.pre_votes[server], self.voters(server))
