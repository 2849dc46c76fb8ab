"""KRaft.tla, election: roles and what changes them."""

from typing import Annotated

from isrcheck import Model, Network, UpTo, action, constant, each, invariant, policy, reachable, require
from isrmodel.raft.published.messages import (
    BeginQuorumEpoch,
    BeginQuorumEpochAnswer,
    Entry,
    Epoch,
    Fetch,
    Message,
    Offset,
    Role,
    State,
    Vote,
    VoteAnswer,
)
from isrmodel.raft.published.words import Client, Server, Value


class Election(Model):
    """Requests are sent once each, an answer may be sent again. Messages may be overtaken, and need not arrive."""

    servers: int = constant(3, "voters", at_least=1)
    values: int = constant(1, "values that clients write", at_least=1)
    max_elections: int = constant(1, "elections")
    max_restarts: int = constant(0, "restarts")
    in_flight: int = constant(5, "messages in flight")
    messages: int = constant(24, "different messages that are ever sent")

    network: Annotated[Network[Message], UpTo("in_flight")] = Network()
    sent: Annotated[frozenset[Message], UpTo("messages")] = frozenset()
    role: dict[Server, Role] = each(Server, Role(State.UNATTACHED, 0, None))
    voted_for: dict[Server, Server | None] = each(Server, None)
    votes: dict[Server, frozenset[Server]] = each(Server, frozenset())
    waits_for: dict[Server, Fetch | None] = each(Server, None)  # the fetch that a follower has sent
    log: dict[Server, Annotated[tuple[Entry, ...], UpTo("values")]] = each(Server, ())
    hw: dict[Server, Offset] = each(Server, 0)
    end_of: dict[Server, dict[Server, Offset]] = each(Server, each(Server, 0))  # what a leader knows of the others
    client: dict[Value, Client] = each(Value, Client.NOT_WRITTEN)
    elections: Annotated[int, UpTo("max_elections")] = 0
    restarts: Annotated[int, UpTo("max_restarts")] = 0

    @policy
    def role_after_restart(self, server: Server) -> Role:
        """The role of a server that comes back with its epoch, its vote and its log."""
        raise NotImplementedError

    @action
    def restart(self, server: Server) -> None:
        require(self.restarts < self.max_restarts)
        self.restarts += 1
        self.role[server] = self.role_after_restart(server)
        self.votes[server] = frozenset()
        self.end_of[server] = {s: 0 for s in Server}
        self.hw[server] = 0
        self.waits_for[server] = None

    @action
    def ask_for_votes(self, candidate: Server) -> None:
        role = self.role[candidate]
        require(self.elections < self.max_elections)
        require(role.state in (State.UNATTACHED, State.FOLLOWER, State.CANDIDATE))
        self.send_all(frozenset(self.vote_request(candidate, to) for to in Server if to != candidate))
        self.role[candidate] = Role(State.CANDIDATE, role.epoch + 1, None)
        self.voted_for[candidate] = candidate
        self.votes[candidate] = frozenset({candidate})
        self.waits_for[candidate] = None
        self.elections += 1

    @action
    def refuse_old_candidate(self, request: Vote) -> None:
        self.network.receive(request)
        role = self.role[request.to]
        require(request.epoch < role.epoch)
        self.answer(VoteAnswer(request.to, request.source, role.epoch, role.leader, False, True))

    @action
    def answer_candidate(self, request: Vote) -> None:
        self.network.receive(request)
        voter = request.to
        before = self.role[voter]
        require(request.epoch >= before.epoch)
        role = Role(State.UNATTACHED, request.epoch, None) if request.epoch > before.epoch else before
        granted = self.may_vote(voter, role.state, request.source) and self.is_up_to_date(request)
        if granted:
            self.voted_for[voter] = request.source
        after = Role(State.VOTED, request.epoch, None) if granted and role.state == State.UNATTACHED else role
        self.role[voter] = after
        if after.state != before.state:
            self.waits_for[voter] = None
        self.answer(VoteAnswer(voter, request.source, request.epoch, after.leader, granted, False))

    @action
    def learn_from_answer(self, answer: VoteAnswer) -> None:
        """An answer of another epoch, with an error or with a leader says nothing of the vote."""
        self.network.receive(answer)
        require(self.says_who_leads(answer.to, answer.epoch, answer.leader, answer.fenced))
        self.role[answer.to] = self.role_after(answer.to, answer.epoch, answer.leader, answer.fenced)

    @action
    def count_vote(self, answer: VoteAnswer) -> None:
        self.network.receive(answer)
        require(not self.says_who_leads(answer.to, answer.epoch, answer.leader, answer.fenced))
        require(self.role[answer.to].state == State.CANDIDATE)
        if answer.granted:
            self.votes[answer.to] |= {answer.source}

    @action
    def become_leader(self, candidate: Server) -> None:
        epoch = self.role[candidate].epoch
        require(self.role[candidate].state == State.CANDIDATE and self.is_quorum(self.votes[candidate]))
        self.send_all(frozenset(BeginQuorumEpoch(candidate, to, epoch) for to in Server if to != candidate))
        self.role[candidate] = Role(State.LEADER, epoch, candidate)
        self.end_of[candidate] = {s: 0 for s in Server}

    @action
    def refuse_old_leader(self, request: BeginQuorumEpoch) -> None:
        self.network.receive(request)
        epoch = self.role[request.to].epoch
        require(request.epoch < epoch)
        self.answer(BeginQuorumEpochAnswer(request.to, request.source, epoch, True))

    @action
    def follow(self, request: BeginQuorumEpoch) -> None:
        self.network.receive(request)
        require(request.epoch >= self.role[request.to].epoch)
        self.role[request.to] = self.role_as_told(request.to, request.epoch, request.source)
        self.waits_for[request.to] = None
        self.answer(BeginQuorumEpochAnswer(request.to, request.source, request.epoch, False))

    @invariant
    def no_illegal_state(self) -> bool:
        """No server is told what its role does not allow; Kafka throws IllegalStateException."""
        return all(self.role[server].state != State.ILLEGAL for server in Server)

    @invariant
    def one_leader_an_epoch(self) -> bool:
        """No two servers that know a leader of one epoch know different ones."""
        return all(
            self.role[a].leader == self.role[b].leader
            for a in Server
            for b in Server
            if self.role[a].epoch == self.role[b].epoch
            if self.role[a].leader is not None
            if self.role[b].leader is not None
        )

    @reachable
    def somebody_leads(self) -> bool:
        return any(self.role[server].state == State.LEADER for server in Server)

    def send_all(self, requests: frozenset[Message]) -> None:
        """Send requests, none of which was ever sent before."""
        require(not any(request in self.sent for request in requests))
        self.network.send_all(requests)
        self.sent |= requests

    def answer(self, message: Message) -> None:
        self.network.send(message)
        self.sent |= {message}

    def vote_request(self, candidate: Server, to: Server) -> Vote:
        epoch = self.role[candidate].epoch + 1
        return Vote(candidate, to, epoch, self.last_epoch(candidate), len(self.log[candidate]))

    def last_epoch(self, server: Server) -> Epoch:
        """The epoch of the last entry; 0 if there is none."""
        return self.log[server][-1].epoch if len(self.log[server]) > 0 else 0

    def may_vote(self, voter: Server, state: State, candidate: Server) -> bool:
        """A voter has not voted in this epoch, or for the same candidate."""
        return state == State.UNATTACHED or (state == State.VOTED and self.voted_for[voter] == candidate)

    def is_up_to_date(self, request: Vote) -> bool:
        """The candidate's log ends in a later epoch than the voter's, or in the same and not before it."""
        epoch = self.last_epoch(request.to)
        return request.last_epoch > epoch or (request.last_epoch == epoch and request.end >= len(self.log[request.to]))

    def is_quorum(self, servers: frozenset[Server]) -> bool:
        return 2 * len(servers) > self.servers

    def says_who_leads(self, server: Server, epoch: Epoch, leader: Server | None, refused: bool) -> bool:
        """Whether an answer tells of another epoch, of an error, or of a leader that was not known."""
        role = self.role[server]
        return epoch != role.epoch or refused or (leader is not None and role.leader is None)

    def role_after(self, server: Server, epoch: Epoch, leader: Server | None, refused: bool) -> Role:
        """The role of a server after such an answer; an older answer changes nothing."""
        role = self.role[server]
        if epoch < role.epoch:
            return role
        if epoch > role.epoch or refused:
            return self.role_as_told(server, epoch, leader)
        return Role(State.FOLLOWER, role.epoch, leader)

    def role_as_told(self, server: Server, epoch: Epoch, leader: Server | None) -> Role:
        """The role of a server that hears of an epoch, not older than its own, and perhaps of its leader."""
        role = self.role[server]
        if not self.is_consistent(server, epoch, leader):
            return Role(State.ILLEGAL, 0, None)
        if epoch > role.epoch:
            return Role(State.UNATTACHED if leader is None else State.FOLLOWER, epoch, leader)
        if leader is None or role.leader is not None:
            return role
        if role.state == State.FOLLOWER or role.state == State.LEADER:
            return Role(State.ILLEGAL, 0, None)
        return Role(State.FOLLOWER, epoch, leader)

    def is_consistent(self, server: Server, epoch: Epoch, leader: Server | None) -> bool:
        """A server and who tells it of a leader do not know different leaders of one epoch."""
        role = self.role[server]
        if leader == server:
            return role.state == State.LEADER
        return epoch != role.epoch or leader is None or role.leader is None or role.leader == leader
