"""Raft: election and replication of the log: after Raft.tla of Vanlightly/raft-tlaplus, which goes back to Ongaro's."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, Network, Record, Sort, UpTo, action, constant, each, invariant, reachable, require


class Server(Sort, size="servers", symmetric=True):
    """Who keeps a log."""


class Value(Sort, size="values", symmetric=True):
    """What a client writes."""


class State(Enum):
    FOLLOWER = "follower"
    CANDIDATE = "candidate"
    LEADER = "leader"


class Client(Enum):
    """What a client knows of its value."""

    NOT_WRITTEN = "not written"
    WAITS = "waits"
    KNOWS = "knows that it is committed"


Term = Annotated[int, UpTo("max_elections + 1")]
Offset = Annotated[int, UpTo("values")]


class Entry(NamedTuple):
    term: Term
    value: Value


class VoteRequest(Record):
    source: Server
    to: Server
    term: Term
    last_term: Term
    end: Offset


class VoteAnswer(Record):
    source: Server
    to: Server
    term: Term
    granted: bool


class AppendRequest(Record):
    """One entry or none, which belongs behind the offset `after`, where the leader's log has the term `after_term`."""

    source: Server
    to: Server
    term: Term
    after: Offset
    after_term: Term
    entry: Entry | None
    commit: Offset


class AppendAnswer(Record):
    source: Server
    to: Server
    term: Term
    success: bool
    end: Offset


Message = VoteRequest | VoteAnswer | AppendRequest | AppendAnswer


class Raft(Model):
    """Messages may be overtaken and need not arrive. A leader waits for a follower's answer before it sends more."""

    servers: int = constant(3, "servers", at_least=1)
    values: int = constant(1, "values that clients write", at_least=1)
    max_elections: int = constant(1, "elections")
    in_flight: int = constant(4, "messages in flight")

    network: Annotated[Network[Message], UpTo("in_flight")] = Network()
    sent: frozenset[Message] = frozenset()
    term: dict[Server, Term] = each(Server, 1)
    state: dict[Server, State] = each(Server, State.FOLLOWER)
    voted_for: dict[Server, Server | None] = each(Server, None)
    votes: dict[Server, frozenset[Server]] = each(Server, frozenset())
    log: dict[Server, Annotated[tuple[Entry, ...], UpTo("values")]] = each(Server, ())
    commit: dict[Server, Offset] = each(Server, 0)
    next: dict[Server, dict[Server, Offset]] = each(Server, each(Server, 0))  # what a leader sends next
    match: dict[Server, dict[Server, Offset]] = each(Server, each(Server, 0))  # what a leader knows is replicated
    waits: dict[Server, dict[Server, bool]] = each(Server, each(Server, False))
    client: dict[Value, Client] = each(Value, Client.NOT_WRITTEN)
    elections: Annotated[int, UpTo("max_elections")] = 0

    @action
    def ask_for_votes(self, candidate: Server) -> None:
        require(self.elections < self.max_elections and self.state[candidate] != State.LEADER)
        self.elections += 1
        self.term[candidate] += 1
        self.state[candidate] = State.CANDIDATE
        self.voted_for[candidate] = candidate
        self.votes[candidate] = frozenset({candidate})
        requests = frozenset(self.vote_request(candidate, to) for to in Server if to != candidate)
        require(not any(request in self.sent for request in requests))
        self.network.send_all(requests)
        self.sent |= requests

    @action
    def update_term(self, message: Message) -> None:
        """Who hears of a later term becomes a follower in it; the message is still to be received."""
        require(message in self.sent and message.term > self.term[message.to])
        self.term[message.to] = message.term
        self.state[message.to] = State.FOLLOWER
        self.voted_for[message.to] = None

    @action
    def answer_candidate(self, request: VoteRequest) -> None:
        self.network.receive(request)
        voter, candidate = request.to, request.source
        require(request.term <= self.term[voter])
        is_free = self.voted_for[voter] is None or self.voted_for[voter] == candidate
        granted = request.term == self.term[voter] and is_free and self.is_up_to_date(request)
        if granted:
            self.voted_for[voter] = candidate
        self.send(VoteAnswer(voter, candidate, self.term[voter], granted))

    @action
    def count_vote(self, answer: VoteAnswer) -> None:
        self.network.receive(answer)
        require(answer.term == self.term[answer.to])
        if answer.granted:
            self.votes[answer.to] |= {answer.source}

    @action
    def become_leader(self, candidate: Server) -> None:
        require(self.state[candidate] == State.CANDIDATE and self.is_quorum(self.votes[candidate]))
        self.state[candidate] = State.LEADER
        self.next[candidate] = {server: len(self.log[candidate]) for server in Server}
        self.match[candidate] = {server: 0 for server in Server}
        self.waits[candidate] = {server: False for server in Server}

    @action
    def write(self, leader: Server, value: Value) -> None:
        require(self.state[leader] == State.LEADER and self.client[value] == Client.NOT_WRITTEN)
        self.log[leader] += (Entry(self.term[leader], value),)
        self.client[value] = Client.WAITS

    @action
    def replicate(self, leader: Server, follower: Server) -> None:
        require(self.state[leader] == State.LEADER and leader != follower and not self.waits[leader][follower])
        request = self.append_request(leader, follower, self.next[leader][follower])
        require(request.entry is not None or request not in self.sent)
        self.waits[leader][follower] = True
        self.send(request)

    @action
    def refuse_entry(self, request: AppendRequest) -> None:
        self.network.receive(request)
        follower = request.to
        is_old = request.term < self.term[follower]
        is_mine = request.term == self.term[follower] and self.state[follower] == State.FOLLOWER
        require(is_old or (is_mine and not self.fits(request)))
        self.send(AppendAnswer(follower, request.source, self.term[follower], False, 0))

    @action
    def append(self, request: AppendRequest) -> None:
        self.network.receive(request)
        follower = request.to
        require(request.term == self.term[follower] and self.state[follower] != State.LEADER and self.fits(request))
        self.state[follower] = State.FOLLOWER
        self.commit[follower] = request.commit
        self.log[follower] = self.log[follower][: request.after]
        if request.entry is not None:
            self.log[follower] += (request.entry,)
        self.send(AppendAnswer(follower, request.source, request.term, True, len(self.log[follower])))

    @action
    def learn(self, answer: AppendAnswer) -> None:
        """Where the follower's log ends; or that the entry before has to be sent first."""
        self.network.receive(answer)
        leader, follower = answer.to, answer.source
        require(answer.term == self.term[leader])
        self.waits[leader][follower] = False
        if answer.success:
            self.next[leader][follower] = answer.end
            self.match[leader][follower] = answer.end
        else:
            self.next[leader][follower] = max(self.next[leader][follower] - 1, 0)

    @action
    def advance_commit(self, leader: Server) -> None:
        """Only an entry of the leader's own term is committed by counting; what is before it is committed with it."""
        require(self.state[leader] == State.LEADER)
        before, log = self.commit[leader], self.log[leader]
        end = max((n + 1 for n in range(len(log)) if self.is_replicated(leader, n + 1)), default=0)
        require(end > before and self.term_before(leader, end) == self.term[leader])
        self.commit[leader] = end
        self.client = {value: self.known(value, leader, before, end) for value in Value}

    @invariant
    def committed_logs_are_one(self) -> bool:
        """What two servers know to be committed is the same in both logs."""
        return all(
            self.log[a][n] == self.log[b][n]
            for a in Server
            for b in Server
            for n in range(min(self.commit[a], self.commit[b]))
        )

    @invariant
    def leader_has_what_clients_know(self) -> bool:
        """The leader of the highest term has all values of which clients know that they are committed."""
        return all(
            any(entry.value == value for entry in self.log[leader])
            for value in Value
            if self.client[value] == Client.KNOWS
            for leader in Server
            if self.state[leader] == State.LEADER
            if not any(self.term[other] > self.term[leader] for other in Server)
        )

    @reachable
    def all_is_committed(self) -> bool:
        return all(self.commit[server] == self.values for server in Server)

    def send(self, message: Message) -> None:
        self.network.send(message)
        self.sent |= {message}

    def vote_request(self, candidate: Server, to: Server) -> VoteRequest:
        return VoteRequest(candidate, to, self.term[candidate], self.last_term(candidate), len(self.log[candidate]))

    def append_request(self, leader: Server, follower: Server, after: Offset) -> AppendRequest:
        log = self.log[leader]
        before = self.term_before(leader, after)
        entry = log[after] if after < len(log) else None
        commit = min(self.commit[leader], after + 1)
        return AppendRequest(leader, follower, self.term[leader], after, before, entry, commit)

    def term_before(self, server: Server, end: Offset) -> Term:
        """The term of the last entry before an offset; 0 if there is none."""
        return self.log[server][:end][-1].term if end > 0 else 0

    def last_term(self, server: Server) -> Term:
        return self.term_before(server, len(self.log[server]))

    def is_up_to_date(self, request: VoteRequest) -> bool:
        """The candidate's log ends in a later term than the voter's, or in the same and not before it."""
        term = self.last_term(request.to)
        return request.last_term > term or (request.last_term == term and request.end >= len(self.log[request.to]))

    def fits(self, request: AppendRequest) -> bool:
        """The follower has the entry behind which the new one belongs."""
        is_there = request.after <= len(self.log[request.to])
        return is_there and self.term_before(request.to, request.after) == request.after_term

    def is_quorum(self, servers: frozenset[Server]) -> bool:
        return 2 * len(servers) > self.servers

    def is_replicated(self, leader: Server, end: Offset) -> bool:
        return self.is_quorum(frozenset(s for s in Server if s == leader or self.match[leader][s] >= end))

    def known(self, value: Value, leader: Server, start: Offset, end: Offset) -> Client:
        """A client that waits is told whether its value is among what was committed now."""
        if self.client[value] != Client.WAITS:
            return self.client[value]
        is_committed = any(entry.value == value for entry in self.log[leader][start:end])
        return Client.KNOWS if is_committed else Client.WAITS
