"""KRaft.tla, replication: writes, fetches and their answers."""

from isrcheck import action, invariant, reachable, require
from isrmodel.raft.published.election import Election
from isrmodel.raft.published.messages import (
    Diverged,
    Entry,
    Epoch,
    Fetch,
    FetchAnswer,
    Fetched,
    Offset,
    Refused,
    State,
)
from isrmodel.raft.published.words import Client, Server, Value, client_after


class Fetching(Election):
    """A follower waits for the answer to its fetch before it sends the next."""

    @action
    def write(self, leader: Server, value: Value) -> None:
        require(self.role[leader].state == State.LEADER and self.client[value] == Client.NOT_WRITTEN)
        self.log[leader] += (Entry(self.role[leader].epoch, value),)
        self.client[value] = Client.WAITS

    @action
    def fetch(self, follower: Server, leader: Server) -> None:
        role = self.role[follower]
        require(role.state == State.FOLLOWER and role.leader == leader and leader != follower)
        require(self.waits_for[follower] is None)
        request = Fetch(follower, leader, role.epoch, self.last_epoch(follower), len(self.log[follower]))
        self.waits_for[follower] = request
        self.answer(request)

    @action
    def refuse_fetch(self, request: Fetch) -> None:
        """A server that leads no more, or in another epoch, refuses a fetch."""
        self.network.receive(request)
        role = self.role[request.to]
        require(role.state != State.LEADER or request.epoch != role.epoch)
        self.answer_fetch(Refused(request, role.epoch, role.leader, self.hw[request.to]))

    @action
    def tell_divergence(self, request: Fetch) -> None:
        """The logs have parted."""
        self.network.receive(request)
        leader = request.to
        require(self.is_served(request) and not self.fits(request))
        end = self.end_for(leader, request.last_epoch)
        self.answer_fetch(Diverged(request, end, self.epoch_before(leader, end), self.hw[leader]))

    @action
    def serve_fetch(self, request: Fetch) -> None:
        self.serve(request)

    @action
    def append(self, answer: Fetched) -> None:
        self.network.receive(answer)
        follower = answer.fetch.source
        require(self.is_awaited(answer))
        require(not self.says_who_leads(follower, answer.fetch.epoch, answer.fetch.to, False))
        self.waits_for[follower] = None
        self.hw[follower] = answer.hw
        if answer.entry is not None:
            self.log[follower] += (answer.entry,)

    @action
    def truncate(self, answer: Diverged) -> None:
        self.network.receive(answer)
        follower = answer.fetch.source
        require(self.is_awaited(answer))
        require(not self.says_who_leads(follower, answer.fetch.epoch, answer.fetch.to, False))
        self.waits_for[follower] = None
        self.log[follower] = self.log[follower][: self.common_end(follower, answer.end_epoch, answer.end)]

    @action
    def learn_from_refusal(self, answer: Refused) -> None:
        self.network.receive(answer)
        follower = answer.fetch.source
        require(self.is_awaited(answer))
        self.waits_for[follower] = None
        self.role[follower] = self.role_after(follower, answer.epoch, answer.leader, True)

    @action
    def learn_from_old_answer(self, answer: FetchAnswer) -> None:
        """A served fetch of another epoch, or of a leader that is no longer known, says who led."""
        self.network.receive(answer)
        require(not isinstance(answer, Refused) and self.is_awaited(answer))
        follower, epoch, leader = answer.fetch.source, answer.fetch.epoch, answer.fetch.to
        require(self.says_who_leads(follower, epoch, leader, False))
        self.waits_for[follower] = None
        self.role[follower] = self.role_after(follower, epoch, leader, False)

    @invariant
    def logs_agree(self) -> bool:
        """Two logs are the same below the lesser of their high watermarks."""
        return all(
            self.log[a][n] == self.log[b][n] for a in Server for b in Server for n in range(min(self.hw[a], self.hw[b]))
        )

    @invariant
    def leader_has_what_clients_know(self) -> bool:
        """The leader of the highest epoch has all values of which clients know that they are committed."""
        return all(
            any(e.value == value for e in self.log[leader])
            for value in Value
            if self.client[value] == Client.KNOWS
            for leader in Server
            if self.role[leader].state == State.LEADER
            if not any(self.role[other].epoch > self.role[leader].epoch for other in Server)
        )

    @reachable
    def all_is_committed(self) -> bool:
        return all(self.client[value] == Client.KNOWS for value in Value)

    def answer_fetch(self, answer: FetchAnswer) -> None:
        """An answer is not sent twice, or empty ones would never end."""
        require(answer not in self.sent)
        self.answer(answer)

    def serve(self, request: Fetch) -> None:
        """A fetch tells the leader what the follower has; an answer may be empty."""
        self.network.receive(request)
        leader, end = request.to, request.end
        require(self.is_served(request) and self.fits(request))
        self.end_of[leader][request.source] = end
        self.advance_hw(leader)
        next_entry = self.log[leader][end] if end < len(self.log[leader]) else None
        self.answer_fetch(Fetched(request, next_entry, min(self.hw[leader], end + 1)))

    def is_awaited(self, answer: FetchAnswer) -> bool:
        return self.waits_for[answer.fetch.source] == answer.fetch

    def is_served(self, request: Fetch) -> bool:
        """Whether the leader of the fetch's epoch receives it."""
        role = self.role[request.to]
        return role.state == State.LEADER and request.epoch == role.epoch

    def fits(self, request: Fetch) -> bool:
        """The leader has the entry behind which the follower asks for the next."""
        end = self.end_for(request.to, request.last_epoch)
        is_there = request.end <= end and self.epoch_before(request.to, end) == request.last_epoch
        return (request.end == 0 and request.last_epoch == 0) or is_there

    def epoch_before(self, server: Server, end: Offset) -> Epoch:
        """The epoch of the last entry before an offset; 0 if there is none."""
        return self.log[server][:end][-1].epoch if end > 0 else 0

    def end_for(self, leader: Server, epoch: Epoch) -> Offset:
        """The offset at which a log's entries of an epoch or of earlier ones end."""
        log = self.log[leader]
        return max((n + 1 for n in range(len(log)) if log[n].epoch <= epoch), default=0)

    def common_end(self, follower: Server, epoch: Epoch, end: Offset) -> Offset:
        """The offset behind the highest entry of a follower that is at or below the leader's answer."""
        log = self.log[follower]
        return max(
            (n + 1 for n in range(len(log)) if log[n].epoch < epoch or self.is_below(log[n], n, epoch, end)), default=0
        )

    def is_below(self, e: Entry, offset: Offset, epoch: Epoch, end: Offset) -> bool:
        return e.epoch == epoch and offset < end

    def advance_hw(self, leader: Server) -> None:
        """An entry of the leader's own epoch is committed by counting; what is before it is committed with it."""
        before, log = self.hw[leader], self.log[leader]
        end = max((n + 1 for n in range(len(log)) if self.is_replicated(leader, n + 1)), default=0)
        if end > 0 and self.epoch_before(leader, end) == self.role[leader].epoch:
            self.hw[leader] = end
            entries = self.log[leader][before:end]
            self.client = {v: client_after(self.client[v], any(e.value == v for e in entries)) for v in Value}

    def is_replicated(self, leader: Server, end: Offset) -> bool:
        return self.is_quorum(frozenset(s for s in Server if s == leader or self.end_of[leader][s] >= end))
