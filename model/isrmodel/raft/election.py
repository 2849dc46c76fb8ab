"""Leader election: candidates, votes, and what a server learns of epochs and leaders."""

from isrcheck import action, constant, policy, require
from isrmodel.raft.replication import Replication
from isrmodel.raft.state import Entry, Epoch, Role, Server, State


class Election(Replication):
    """A candidate asks the voters of its own log; a voter answers whoever asks."""

    checks_log: bool = constant(True, "a vote is given only to a log that is not behind the voter's")

    @policy
    def may_stand(self, server: Server) -> bool:
        """Whether a voter that does not lead may raise its epoch and ask for votes."""
        raise NotImplementedError

    @action(sentence="{server} stands for election and votes for itself")
    def stand(self, server: Server) -> None:
        """A voter's timeout is over: it begins an epoch, votes for itself, and asks the others."""
        role = self.role[server]
        require(self.stood < self.elections and server in self.voters(server))
        require(role.state != State.LEADER and role.state != State.ILLEGAL and self.may_stand(server))
        self.stood += 1
        self.become(server, Role(State.CANDIDATE, role.epoch + 1, None))
        self.vote[server] = server
        self.votes[server] = frozenset({server})

    @action(sentence="{voter} votes for {candidate}")
    def give_vote(self, voter: Server, candidate: Server) -> None:
        """One vote an epoch, but for the same candidate again, which may have restarted."""
        asked = self.role[candidate]
        require(self.reaches(voter, candidate) and asked.state == State.CANDIDATE)
        require(voter in self.voters(candidate) and voter not in self.votes[candidate])
        require(self.may_vote(voter, candidate, asked.epoch) and self.is_up_to_date(candidate, voter))
        self.become(voter, Role(State.UNATTACHED, asked.epoch, None))
        self.vote[voter] = candidate
        self.votes[candidate] |= {voter}

    @action(sentence="{candidate} becomes leader")
    def become_leader(self, candidate: Server) -> None:
        """A leader's first record is LeaderChange, of its own epoch."""
        role = self.role[candidate]
        require(role.state == State.CANDIDATE and self.is_majority(self.votes[candidate], self.voters(candidate)))
        self.become(candidate, Role(State.LEADER, role.epoch, candidate))
        self.append(candidate, Entry(role.epoch, self.voters(candidate)))

    @action(sentence="{server} hears of the epoch of {other}")
    def learn_epoch(self, server: Server, other: Server) -> None:
        """A server that hears of a later epoch is in it; a leader leads no more."""
        epoch = self.role[other].epoch
        require(self.reaches(server, other) and self.role[server].state != State.ILLEGAL)
        require(epoch > self.role[server].epoch)
        self.become(server, Role(State.UNATTACHED, epoch, None))

    @action(sentence="{server} follows {leader}")
    def follow(self, server: Server, leader: Server) -> None:
        """BeginQuorumEpoch: a new leader tells who it is."""
        role, leader_role = self.role[server], self.role[leader]
        require(self.reaches(server, leader) and self.leads(leader) and leader_role.epoch >= role.epoch)
        require(role.state != State.ILLEGAL and role != Role(State.FOLLOWER, leader_role.epoch, leader))
        is_illegal = leader_role.epoch == role.epoch and role.state in (State.FOLLOWER, State.LEADER)
        self.become(server, Role(State.ILLEGAL if is_illegal else State.FOLLOWER, leader_role.epoch, leader))

    def may_vote(self, voter: Server, candidate: Server, epoch: Epoch) -> bool:
        """The epoch is later than the voter's; or the same, no leader is known, and it voted for nobody else."""
        role, vote = self.role[voter], self.vote[voter]
        is_free = role.state in (State.UNATTACHED, State.PROSPECTIVE) and role.leader is None
        return role.epoch < epoch or (role.epoch == epoch and is_free and (vote is None or vote == candidate))

    def is_up_to_date(self, candidate: Server, voter: Server) -> bool:
        """The candidate's log ends in a later epoch than the voter's, or in the same and not before it."""
        theirs = self.epoch_at(candidate, self.end(candidate))
        mine = self.epoch_at(voter, self.end(voter))
        return not self.checks_log or theirs > mine or (theirs == mine and self.end(candidate) >= self.end(voter))
