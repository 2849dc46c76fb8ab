"""How KRaft's voters elect a leader: after KRaft.tla of Vanlightly/raft-tlaplus, without what is fetched."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, Network, Record, Sort, UpTo, action, constant, each, invariant, reachable, require


class Server(Sort, size="servers", symmetric=True):
    """A voter."""


class Value(Sort, size="values", symmetric=True):
    """What a client writes."""


class State(Enum):
    UNATTACHED = "unattached"
    VOTED = "voted"
    FOLLOWER = "follower"
    CANDIDATE = "candidate"
    LEADER = "leader"
    ILLEGAL = "illegal state"


Epoch = Annotated[int, UpTo("max_elections + 1")]
Offset = Annotated[int, UpTo("values")]


class Entry(NamedTuple):
    epoch: Epoch
    value: Value


class Vote(Record):
    """A candidate asks for a vote, and says where its log ends."""

    source: Server
    to: Server
    epoch: Epoch
    last_epoch: Epoch
    end: Offset


class VoteAnswer(Record):
    source: Server
    to: Server
    epoch: Epoch
    leader: Server | None
    granted: bool
    fenced: bool


class BeginQuorumEpoch(Record):
    """A new leader tells who it is."""

    source: Server
    to: Server
    epoch: Epoch


class BeginQuorumEpochAnswer(Record):
    source: Server
    to: Server
    epoch: Epoch
    fenced: bool


Message = Vote | VoteAnswer | BeginQuorumEpoch | BeginQuorumEpochAnswer


class Role(NamedTuple):
    """What a server is in an epoch."""

    state: State
    epoch: Epoch
    leader: Server | None


class KRaftElection(Model):
    """Requests are sent once each. An answer may be sent again. Messages may be overtaken, and need not arrive."""

    servers: int = constant(3, "voters", at_least=1)
    values: int = constant(1, "values that clients write", at_least=1)
    max_elections: int = constant(2, "elections")

    network: Annotated[Network[Message], UpTo("2 * (servers - 1) * max_elections")] = Network()
    sent: Annotated[frozenset[Message], UpTo("4 * (servers - 1) * max_elections")] = frozenset()
    role: dict[Server, Role] = each(Server, Role(State.UNATTACHED, 1, None))
    voted_for: dict[Server, Server | None] = each(Server, None)
    votes: dict[Server, frozenset[Server]] = each(Server, frozenset())
    log: dict[Server, Annotated[tuple[Entry, ...], UpTo("values")]] = each(Server, ())
    written: frozenset[Value] = frozenset()
    elections: Annotated[int, UpTo("max_elections")] = 0

    @action
    def ask_for_votes(self, candidate: Server) -> None:
        role = self.role[candidate]
        require(self.elections < self.max_elections)
        require(role.state in (State.UNATTACHED, State.FOLLOWER, State.CANDIDATE))
        requests = frozenset(self.vote_request(candidate, to) for to in Server if to != candidate)
        require(not any(request in self.sent for request in requests))
        self.send_all(requests)
        self.role[candidate] = Role(State.CANDIDATE, role.epoch + 1, None)
        self.voted_for[candidate] = candidate
        self.votes[candidate] = frozenset({candidate})
        self.elections += 1

    @action
    def refuse_old_candidate(self, request: Vote) -> None:
        self.network.receive(request)
        role = self.role[request.to]
        require(request.epoch < role.epoch)
        self.send(VoteAnswer(request.to, request.source, role.epoch, role.leader, False, True))

    @action
    def answer_candidate(self, request: Vote) -> None:
        self.network.receive(request)
        voter = request.to
        require(request.epoch >= self.role[voter].epoch)
        is_newer = request.epoch > self.role[voter].epoch
        role = Role(State.UNATTACHED, request.epoch, None) if is_newer else self.role[voter]
        granted = self.may_vote(voter, role.state, request.source) and self.is_up_to_date(request)
        if granted:
            self.voted_for[voter] = request.source
        votes_now = granted and role.state == State.UNATTACHED
        self.role[voter] = Role(State.VOTED, request.epoch, None) if votes_now else role
        leader = None if votes_now else role.leader
        self.send(VoteAnswer(voter, request.source, request.epoch, leader, granted, False))

    @action
    def learn_from_answer(self, answer: VoteAnswer) -> None:
        """An answer of another epoch, with an error or with a leader says nothing of the vote."""
        self.network.receive(answer)
        require(not self.counts(answer))
        if answer.epoch >= self.role[answer.to].epoch:
            self.role[answer.to] = self.role_after(answer.to, answer.epoch, answer.leader)

    @action
    def count_vote(self, answer: VoteAnswer) -> None:
        self.network.receive(answer)
        require(self.counts(answer) and self.role[answer.to].state == State.CANDIDATE)
        if answer.granted:
            self.votes[answer.to] |= {answer.source}

    @action
    def become_leader(self, candidate: Server) -> None:
        epoch = self.role[candidate].epoch
        require(self.role[candidate].state == State.CANDIDATE)
        require(2 * len(self.votes[candidate]) > self.servers)
        requests = frozenset(BeginQuorumEpoch(candidate, to, epoch) for to in Server if to != candidate)
        require(not any(request in self.sent for request in requests))
        self.send_all(requests)
        self.role[candidate] = Role(State.LEADER, epoch, candidate)

    @action
    def write(self, leader: Server, value: Value) -> None:
        require(self.role[leader].state == State.LEADER and value not in self.written)
        self.log[leader] += (Entry(self.role[leader].epoch, value),)
        self.written |= {value}

    @action
    def refuse_old_leader(self, request: BeginQuorumEpoch) -> None:
        self.network.receive(request)
        epoch = self.role[request.to].epoch
        require(request.epoch < epoch)
        self.send(BeginQuorumEpochAnswer(request.to, request.source, epoch, True))

    @action
    def follow(self, request: BeginQuorumEpoch) -> None:
        self.network.receive(request)
        require(request.epoch >= self.role[request.to].epoch)
        self.role[request.to] = self.role_after(request.to, request.epoch, request.source)
        self.send(BeginQuorumEpochAnswer(request.to, request.source, request.epoch, False))

    @invariant
    def no_illegal_state(self) -> bool:
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

    def send(self, message: Message) -> None:
        self.network.send(message)
        self.sent |= {message}

    def send_all(self, messages: frozenset[Message]) -> None:
        self.network.send_all(messages)
        self.sent |= messages

    def vote_request(self, candidate: Server, to: Server) -> Vote:
        epoch = self.role[candidate].epoch + 1
        return Vote(candidate, to, epoch, self.last_epoch(candidate), len(self.log[candidate]))

    def last_epoch(self, server: Server) -> Epoch:
        return self.log[server][-1].epoch if len(self.log[server]) > 0 else 0

    def may_vote(self, voter: Server, state: State, candidate: Server) -> bool:
        """It has not voted in this epoch, or for the same candidate."""
        return state == State.UNATTACHED or (state == State.VOTED and self.voted_for[voter] == candidate)

    def is_up_to_date(self, request: Vote) -> bool:
        """The candidate's log ends in a later epoch than the voter's, or in the same and not before it."""
        epoch = self.last_epoch(request.to)
        return request.last_epoch > epoch or (request.last_epoch == epoch and request.end >= len(self.log[request.to]))

    def counts(self, answer: VoteAnswer) -> bool:
        """Whether an answer is about the vote: of this epoch, without an error, and no new leader is known from it."""
        role = self.role[answer.to]
        knows_more = answer.leader is not None and role.leader is None
        return answer.epoch == role.epoch and not answer.fenced and not knows_more

    def role_after(self, server: Server, epoch: Epoch, leader: Server | None) -> Role:
        """What a server is when it has heard of an epoch that is not old, and perhaps of its leader."""
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
