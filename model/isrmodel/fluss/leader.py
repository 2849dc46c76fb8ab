"""A leader: what it learns, writes, exposes and asks of the coordinator (`Replica`, `AdjustIsrManager`)."""

from typing import Annotated

from isrcheck import UpTo, action, constant, each, require
from isrmodel.fluss.coordinator import Coordinator
from isrmodel.fluss.memory import FollowerMemory
from isrmodel.fluss.state import Leadership, Progress, Request, Server
from isrmodel.fluss.truncation import TruncationRule
from isrmodel.kraft.state import Acks, Record
from isrmodel.vocabulary import Offset, Replica, Version


class Leader(Coordinator, FollowerMemory, TruncationRule):
    """A server that takes itself for the leader, rightly or as a zombie."""

    maximal: bool = constant(True, "the high watermark also waits for whom a pending request would add")
    awaits_caught_up: bool = constant(True, "the high watermark also waits for live followers caught up in time")
    strict: bool = constant(True, "nothing is exposed while the ISR is below the minimum")
    start_checked: bool = constant(False, "KAFKA-7128: who is added has reached the epoch's start (not in Fluss)")
    shrink_locked: bool = constant(True, "#3920: who asks to drop followers reads the ISR under the lock")
    repeats_count: bool = constant(True, "a notice that a server knows already makes it forget what it asked for")
    tells_stale: bool = constant(False, "a leader whose request is out of date is told of the record (not in Fluss)")
    lost_notices: int = constant(0, "notices that are overtaken by a later one and never read")
    lost_answers: int = constant(0, "answers to AdjustIsr that are lost, so that the request is sent again")
    lags: int = constant(0, "times that a follower is not caught up within log.replica.max-lag-time")

    lost_so_far: Annotated[int, UpTo("lost_notices")] = 0
    unanswered_so_far: Annotated[int, UpTo("lost_answers")] = 0
    lagged_so_far: Annotated[int, UpTo("lags")] = 0
    truncating: frozenset[Server] = frozenset()  # who has yet to ask its leader where to truncate
    read_before: dict[Server, frozenset[Server] | None] = each(Server, None)  # the ISR that was read without the lock

    @action(internal=True, sentence="{server} reads notice {version} ({notices[version].leader} leads)")
    def learn(self, server: Server, version: Version) -> None:
        """A server reads a notice, unless it knows a later bucket epoch; earlier notices are lost."""
        require(server not in self.down and version in self.unread[server])
        overtakes = any(v < version for v in self.unread[server])
        require(not overtakes or self.lost_so_far < self.lost_notices)
        self.lost_so_far += 1 if overtakes else 0
        notice, before = self.notices[version], self.known[server]
        after = before if notice is None else notice
        is_news = version > self.read_to[server] or after.epoch > before.epoch or self.repeats_count
        if version >= self.read_to[server] and after.epoch >= before.epoch and is_news:
            self.read_to[server] = version
            self.pending[server] = None
            if after.leader == server:
                self.become_leader(server, before, after)
            else:
                self.become_follower(server, before, after)
        self.unread[server] = frozenset(v for v in self.unread[server] if v > version)
        self.forget_notices()

    @action(sentence="{leader} appends a record")
    def write(self, leader: Server) -> None:
        """A leader takes a record, with acks=-1 only into an ISR that is large enough."""
        require(self.leads(leader) and self.end(leader) < self.max_records)
        require(self.acks != Acks.ALL or len(self.known[leader].isr) >= self.min_isr)
        record = Record(self.end(leader), self.known[leader].epoch)
        self.log[leader] += (self.known[leader].epoch,)
        if self.acks == Acks.ALL:
            self.waiting[leader] |= {record}
        elif self.acks == Acks.ONE:
            self.acked |= {record}
        self.move_high_watermark(leader)

    @action(sentence="{follower} has not caught up with {leader} in time")
    def lag(self, leader: Server, follower: Server) -> None:
        """A follower makes no fetch that reaches the leader's log end for longer than the maximal lag time."""
        awaited = self.awaits_caught_up or follower in self.known[leader].isr
        require(self.leads(leader) and awaited and follower != leader)
        require(follower not in self.late[leader] and self.lagged_so_far < self.lags)
        self.lagged_so_far += 1
        self.late[leader] |= {follower}

    @action(internal=True, sentence="{leader} asks to drop followers that are late")
    def ask_drop(self, leader: Server) -> None:
        """A leader asks to drop all followers that are late and have not all that it has (`maybeShrinkIsr`)."""
        require(self.leads(leader) and self.pending[leader] is None and self.sent[leader] is None)
        require(self.laggards(leader) != frozenset())
        before = self.read_before[leader]
        isr = self.known[leader].isr if before is None else before
        self.read_before[leader] = None
        self.ask(leader, isr - self.laggards(leader), None, 0)

    @action(internal=True, sentence="{server} reads the ISR without the lock")
    def read_isr(self, server: Server) -> None:
        """The task that drops followers reads the ISR, and the rest later under the lock (before #3920)."""
        require(not self.shrink_locked and self.has_begun() and server not in self.down)
        require(self.pending[server] is None and self.read_before[server] is None)
        self.read_before[server] = self.known[server].isr

    @action(internal=True, sentence="{leader} learns that its ISR is granted")
    def hear_granted(self, leader: Server) -> None:
        """The answer to AdjustIsr; a leader that was told of anything since then ignores it."""
        request, waits = self.sent[leader], self.pending[leader] is not None
        require(request is not None and request.granted is not None)
        self.sent[leader] = None
        self.pending[leader] = None
        if request is not None and request.granted is not None and waits:
            self.known[leader] = self.known[leader]._replace(isr=request.isr)
            self.read_to[leader] = request.granted
            self.move_high_watermark(leader)

    @action(sentence="the answer to {leader} is lost, and it asks again")
    def lose_answer(self, leader: Server) -> None:
        """The answer to AdjustIsr is lost with its connection: the same request is sent again."""
        request = self.sent[leader]
        require(request is not None and request.granted is not None)
        require(self.unanswered_so_far < self.lost_answers)
        self.unanswered_so_far += 1
        if request is not None:
            self.sent[leader] = request._replace(granted=None) if self.pending[leader] is not None else None

    @action(internal=True, sentence="the coordinator refuses the ISR that {leader} asked for (INELIGIBLE_REPLICA)")
    def refuse(self, leader: Server) -> None:
        """INELIGIBLE_REPLICA: the leader goes back to the ISR that it had before (`handleAdjustIsrError`)."""
        require(self.is_current(leader) and not self.is_eligible(leader))
        self.sent[leader] = None
        self.pending[leader] = None

    @action(internal=True, sentence="the coordinator refuses what {leader} asked for as out of date")
    def refuse_stale(self, leader: Server) -> None:
        """INVALID_UPDATE_VERSION, FENCED_LEADER_EPOCH: the leader waits for the next notice, and asks no more."""
        request = self.sent[leader]
        require(request is not None and request.granted is None and not self.is_current(leader))
        self.sent[leader] = None
        if self.tells_stale:
            self.tell(frozenset({leader}))

    def become_leader(self, server: Server, before: Leadership, after: Leadership) -> None:
        """A notice makes or confirms a leader; what it may expose by then it exposes (`makeLeader`)."""
        self.remember(server, before, after)
        self.known[server] = after
        if after.epoch > before.epoch:
            self.start[server] = self.end(server)
            self.truncating -= {server}
        self.expose(server)
        self.move_high_watermark(server)

    def become_follower(self, server: Server, before: Leadership, after: Leadership) -> None:
        """A notice makes or confirms a follower, which truncates in a new leader epoch only (`makeFollower`)."""
        self.heard[server] = {f: None for f in Replica}
        self.late[server] = frozenset()
        self.waiting[server] = frozenset()
        self.known[server] = Leadership(after.leader, after.epoch, frozenset())
        if after.epoch > before.epoch:
            self.truncating -= {server}
            if self.cuts_at_once(server):
                self.cut(server, self.hw[server])
            elif self.asks_leader(server) and after.leader is not None:
                self.truncating |= {server}

    def laggards(self, leader: Server) -> frozenset[Server]:
        """Members of the ISR that are late and have not all that is there (`getOutOfSyncFollowerReplicas`)."""
        late = self.known[leader].isr & self.late[leader] - {leader}
        return frozenset(f for f in late if self.fetch_offset(leader, f) != self.end(leader))

    def ask(self, leader: Server, isr: frozenset[Server], added: Server | None, session: int) -> None:
        """AdjustIsr."""
        self.pending[leader] = isr
        self.sent[leader] = Request(self.read_to[leader], self.known[leader].epoch, isr, added, session, None)

    def may_add(self, leader: Server, follower: Server) -> bool:
        """Whether a leader asks to add a follower that has fetched from an offset (`needsExpandIsr`)."""
        return (
            self.pending[leader] is None
            and self.sent[leader] is None
            and follower not in self.known[leader].isr
            and self.fetch_offset(leader, follower) >= self.hw[leader]
            and (not self.start_checked or self.fetch_offset(leader, follower) >= self.start[leader])
        )

    def note_fetch(self, leader: Server, follower: Server) -> None:
        """A leader notes a fetch, asks to add who has reached the high watermark, and moves that (`fetchRecords`)."""
        is_news = self.heard[leader][follower] is None or self.fetch_offset(leader, follower) != self.end(follower)
        self.heard[leader][follower] = Progress(self.end(follower), self.session[follower])
        if self.end(follower) >= self.end(leader):
            self.late[leader] -= {follower}
        if self.may_add(leader, follower):
            self.ask(leader, self.known[leader].isr | {follower}, follower, self.session[follower])
        if is_news:
            self.move_high_watermark(leader)

    def fetch_offset(self, leader: Server, follower: Server) -> Offset:
        """The offset up to which a leader knows a follower's log to reach."""
        heard = self.heard[leader][follower]
        return 0 if heard is None else heard.offset

    def maximal_isr(self, leader: Server) -> frozenset[Server]:
        """The ISR as a leader last learned of it, and all that it asks for (`IsrState.maximalIsr`)."""
        asked = self.pending[leader]
        isr = self.known[leader].isr
        return isr if asked is None or not self.maximal else isr | asked

    def caught_up_followers(self, leader: Server) -> frozenset[Server]:
        """Live followers that were caught up within the maximal lag time (`shouldWaitForReplicaToJoinIsr`)."""
        return self.registered - self.late[leader] if self.awaits_caught_up else frozenset()

    def move_high_watermark(self, leader: Server) -> None:
        """The high watermark moves as far as it may; writers that wait are answered (`maybeIncrementLeaderHW`)."""
        if not self.strict or len(self.known[leader].isr) >= self.min_isr:
            awaited = (self.maximal_isr(leader) | self.caught_up_followers(leader)) - {leader}
            reached = min((self.fetch_offset(leader, f) for f in awaited), default=self.end(leader))
            self.hw[leader] = max(self.hw[leader], min(self.end(leader), reached))
            self.expose(leader)
            self.answer(leader)

    def answer(self, leader: Server) -> None:
        """Writers wait for an offset, whatever the leader epoch is by then (`checkEnoughReplicasReachOffset`)."""
        done = frozenset(r for r in self.waiting[leader] if r.offset < self.hw[leader])
        if len(self.maximal_isr(leader)) >= self.min_isr:
            self.acked |= done
        self.waiting[leader] -= done

    def expose(self, leader: Server) -> None:
        """A reader may read up to the high watermark of a leader."""
        hw = self.hw[leader]
        self.exposed = self.log[leader][:hw] if hw > len(self.exposed) else self.exposed
