"""Raft whose followers pull: what PullRaft.tla and PullRaftVariant2.tla of Vanlightly/raft-tlaplus have in common."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, Network, Record, UpTo, action, constant, each, invariant, policy, reachable, require
from isrmodel.raft.published.words import Client, Server, Value, client_after


class State(Enum):
    FOLLOWER = "follower"
    CANDIDATE = "candidate"
    LEADER = "leader"


Term = Annotated[int, UpTo("max_elections")]  # 0 before anybody has asked for votes
Offset = Annotated[int, UpTo("values")]


class Entry(NamedTuple):
    term: Term
    value: Value


class Position(NamedTuple):
    """The end of a log, or the place where two logs part: the term of the entry before it, and the offset."""

    term: Term
    end: Offset


class Vote(Record):
    """A candidate asks for a vote, and says where its log ends."""

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
    last: Position | None  # where the voter's log ends, if it tells


class Notice(Record):
    """A new leader tells that it leads, and perhaps where the logs may still be one."""

    source: Server
    to: Server
    term: Term
    common: Position | None


class Pull(Record):
    """A follower asks for what follows the end of its log."""

    source: Server
    to: Server
    term: Term
    last_term: Term
    end: Offset


class Pulled(Record):
    """The answer to a pull: the next entry."""

    source: Server
    to: Server
    term: Term
    entry: Entry
    commit: Offset


class Diverged(Record):
    """The place where the logs may still be one: the leader's highest entry at or below the follower's last."""

    source: Server
    to: Server
    term: Term
    common: Position


Message = Vote | VoteAnswer | Notice | Pull | Pulled | Diverged


class Pulling(Model):
    """Every message is sent once. From whom a server pulls that has voted is a variant's decision."""

    servers: int = constant(3, "voters", at_least=1)
    values: int = constant(1, "values that clients write", at_least=1)
    max_elections: int = constant(1, "elections")
    max_restarts: int = constant(0, "restarts")
    in_flight: int = constant(4, "messages in flight")
    messages: int = constant(16, "different messages that are ever sent")

    network: Annotated[Network[Message], UpTo("in_flight")] = Network()
    sent: Annotated[frozenset[Message], UpTo("messages")] = frozenset()
    term: dict[Server, Term] = each(Server, 0)
    state: dict[Server, State] = each(Server, State.FOLLOWER)
    leader: dict[Server, Server | None] = each(Server, None)  # from whom it pulls
    votes: dict[Server, frozenset[Server]] = each(Server, frozenset())
    log: dict[Server, Annotated[tuple[Entry, ...], UpTo("values")]] = each(Server, ())
    commit: dict[Server, Offset] = each(Server, 0)
    match: dict[Server, dict[Server, Offset]] = each(Server, each(Server, 0))
    client: dict[Value, Client] = each(Value, Client.NOT_WRITTEN)
    elections: Annotated[int, UpTo("max_elections")] = 0
    restarts: Annotated[int, UpTo("max_restarts")] = 0

    @policy
    def vote_of(self, server: Server) -> Server | None:
        """The candidate for which a server voted in its term."""
        raise NotImplementedError

    @policy
    def vote(self, voter: Server, candidate: Server | None) -> None:
        """A server votes; for nobody when its term begins."""
        raise NotImplementedError

    @policy
    def end_told_with_vote(self, voter: Server) -> Position | None:
        """The end of a voter's log, if the voter tells it to its candidate."""
        raise NotImplementedError

    @policy
    def remember(self, answer: VoteAnswer) -> None:
        """A candidate notes what it was told with a vote."""
        raise NotImplementedError

    @policy
    def notices(self, leader: Server) -> frozenset[Notice]:
        """The messages of a new leader: to whom, and what they say."""
        raise NotImplementedError

    @policy
    def forget(self, server: Server) -> None:
        """A server that restarts loses this beside what a leader and a candidate count."""
        raise NotImplementedError

    @action
    def restart(self, server: Server) -> None:
        """A server keeps its term, its vote and its log."""
        require(self.restarts < self.max_restarts)
        self.restarts += 1
        self.state[server] = State.FOLLOWER
        self.votes[server] = frozenset()
        self.match[server] = {s: 0 for s in Server}
        self.commit[server] = 0
        self.forget(server)

    @action
    def update_term(self, message: Message) -> None:
        """A server that hears of a later term becomes a follower in it; the message is still to be received."""
        require(message in self.sent and message.term > self.term[message.to])
        self.term[message.to] = message.term
        self.state[message.to] = State.FOLLOWER
        self.leader[message.to] = None
        self.vote(message.to, None)

    @action
    def ask_for_votes(self, candidate: Server) -> None:
        require(self.elections < self.max_elections and self.state[candidate] != State.LEADER)
        self.elections += 1
        self.state[candidate] = State.CANDIDATE
        self.term[candidate] += 1
        self.leader[candidate] = None
        self.vote(candidate, candidate)
        self.votes[candidate] = frozenset({candidate})
        self.send_all(frozenset(self.vote_request(candidate, to) for to in Server if to != candidate))

    @action
    def answer_candidate(self, request: Vote) -> None:
        self.network.receive(request)
        voter, candidate = request.to, request.source
        require(request.term <= self.term[voter])
        is_free = self.vote_of(voter) is None or self.vote_of(voter) == candidate
        granted = request.term == self.term[voter] and is_free and self.is_up_to_date(request)
        if granted:
            self.vote(voter, candidate)
        self.send(VoteAnswer(voter, candidate, self.term[voter], granted, self.end_told_with_vote(voter)))

    @action
    def count_vote(self, answer: VoteAnswer) -> None:
        self.network.receive(answer)
        require(answer.term == self.term[answer.to])
        if answer.granted:
            self.votes[answer.to] |= {answer.source}
            self.remember(answer)

    @action
    def become_leader(self, candidate: Server) -> None:
        require(self.state[candidate] == State.CANDIDATE and self.is_quorum(self.votes[candidate]))
        self.state[candidate] = State.LEADER
        self.leader[candidate] = candidate
        self.match[candidate] = {s: 0 for s in Server}
        self.send_all(self.notices(candidate))

    @action
    def write(self, leader: Server, value: Value) -> None:
        require(self.state[leader] == State.LEADER and self.client[value] == Client.NOT_WRITTEN)
        self.log[leader] += (Entry(self.term[leader], value),)
        self.client[value] = Client.WAITS

    @action
    def learn_of_leader(self, notice: Notice) -> None:
        self.network.receive(notice)
        require(notice.term == self.term[notice.to])
        self.leader[notice.to] = notice.source
        if notice.common is not None:
            self.log[notice.to] = self.log[notice.to][: notice.common.end]

    @action
    def pull(self, follower: Server, leader: Server) -> None:
        require(self.state[follower] == State.FOLLOWER and self.leader[follower] == leader and leader != follower)
        self.send(Pull(follower, leader, self.term[follower], self.last_term(follower), len(self.log[follower])))

    @action
    def refuse_pull(self, request: Pull) -> None:
        """A leader refuses a pull from where the logs have parted, and tells their common position."""
        self.network.receive(request)
        leader, term = request.to, self.term[request.to]
        require(request.term == term and self.state[leader] == State.LEADER and not self.fits(request))
        common = self.common_position(leader, Position(request.last_term, request.end))
        self.send(Diverged(leader, request.source, term, common))

    @action
    def serve_pull(self, request: Pull) -> None:
        """A pull is served only with an entry; it tells the leader what the follower has."""
        self.network.receive(request)
        leader, end = request.to, request.end
        require(request.term == self.term[leader] and self.state[leader] == State.LEADER and self.fits(request))
        require(end < len(self.log[leader]))
        self.match[leader][request.source] = end
        self.advance_commit(leader)
        commit = min(self.commit[leader], end + 1)
        self.send(Pulled(leader, request.source, request.term, self.log[leader][end], commit))

    @action
    def append(self, answer: Pulled) -> None:
        self.network.receive(answer)
        require(answer.term == self.term[answer.to])
        self.commit[answer.to] = answer.commit
        self.log[answer.to] += (answer.entry,)

    @action
    def truncate(self, answer: Diverged) -> None:
        self.network.receive(answer)
        require(answer.term == self.term[answer.to])
        self.log[answer.to] = self.log[answer.to][: answer.common.end]

    @invariant
    def logs_agree(self) -> bool:
        """The entries that two servers know to be committed are the same in both logs."""
        return all(self.agree(a, b, min(self.commit[a], self.commit[b])) for a in Server for b in Server)

    @invariant
    def leader_has_what_clients_know(self) -> bool:
        """The leader of the highest term has all values of which clients know that they are committed."""
        return all(
            any(e.value == value for e in self.log[leader])
            for value in Value
            if self.client[value] == Client.KNOWS
            for leader in Server
            if self.state[leader] == State.LEADER
            if not any(self.term[other] > self.term[leader] for other in Server)
        )

    @reachable
    def all_is_committed(self) -> bool:
        return all(self.client[value] == Client.KNOWS for value in Value)

    def agree(self, a: Server, b: Server, end: Offset) -> bool:
        return self.log[a][:end] == self.log[b][:end]

    def send(self, message: Message) -> None:
        require(message not in self.sent)
        self.network.send(message)
        self.sent |= {message}

    def send_all(self, messages: frozenset[Message]) -> None:
        require(messages & self.sent == frozenset())
        self.network.send_all(messages)
        self.sent |= messages

    def vote_request(self, candidate: Server, to: Server) -> Vote:
        return Vote(candidate, to, self.term[candidate], self.last_term(candidate), len(self.log[candidate]))

    def advance_commit(self, leader: Server) -> None:
        """An entry of the leader's own term is committed by counting; what is before it is committed with it."""
        before = self.commit[leader]
        end = max((n + 1 for n in range(len(self.log[leader])) if self.is_replicated(leader, n + 1)), default=0)
        if end > 0 and self.term_before(leader, end) == self.term[leader]:
            self.commit[leader] = end
            entries = self.log[leader][before:end]
            self.client = {v: client_after(self.client[v], any(e.value == v for e in entries)) for v in Value}

    def term_before(self, server: Server, end: Offset) -> Term:
        """The term of the last entry before an offset; 0 if there is none."""
        return self.log[server][:end][-1].term if end > 0 else 0

    def last_term(self, server: Server) -> Term:
        return self.term_before(server, len(self.log[server]))

    def is_up_to_date(self, request: Vote) -> bool:
        """The candidate's log ends in a later term than the voter's, or in the same and not before it."""
        term = self.last_term(request.to)
        return request.last_term > term or (request.last_term == term and request.end >= len(self.log[request.to]))

    def fits(self, request: Pull) -> bool:
        """The leader has the entry behind which the follower asks for the next."""
        is_there = request.end <= len(self.log[request.to])
        return is_there and self.term_before(request.to, request.end) == request.last_term

    def common_position(self, leader: Server, last: Position) -> Position:
        """The position behind the highest entry of the leader that is at or below a follower's last."""
        log = self.log[leader]
        end = max(
            (n + 1 for n in range(len(log)) if log[n].term < last.term or (log[n].term == last.term and n < last.end)),
            default=0,
        )
        return Position(self.term_before(leader, end), end)

    def is_quorum(self, servers: frozenset[Server]) -> bool:
        return 2 * len(servers) > self.servers

    def is_replicated(self, leader: Server, end: Offset) -> bool:
        return self.is_quorum(frozenset(s for s in Server if s == leader or self.match[leader][s] >= end))
