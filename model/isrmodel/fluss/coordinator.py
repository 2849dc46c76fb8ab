"""The coordinator: whom it elects, who leaves the ISR when a server dies, and which ISR it grants.

`CoordinatorEventProcessor`, `TableBucketStateMachine`, `ReplicaStateMachine`, `ReplicaLeaderElection`. Its events are
handled one at a time, so that each is one step.
"""

from typing import Annotated

from isrcheck import UpTo, action, constant, policy, require
from isrmodel.fluss.epochs import Epochs
from isrmodel.fluss.state import Leadership, Server, Stored
from isrmodel.vocabulary import Replica


class Coordinator(Epochs):
    """One coordinator at a time over ZooKeeper; another that takes over reads the record and tells it to all."""

    removes_dead: bool = constant(True, "#664: a server that dies leaves the ISR")
    keeps_last: bool = constant(True, "#664: the last member of the ISR stays in it when it dies")
    keeps_leader: bool = constant(False, "before #769: a leader that dies stays the leader on record")
    endangered: bool = constant(False, "#2162: a leader alone in the ISR stays the leader on record when it dies")
    leader_in_request: bool = constant(True, "#3920: an ISR without the leader is refused")
    live_only: bool = constant(True, "an ISR with a server that is not registered, or leaves, is refused")
    server_epochs: bool = constant(False, "KIP-903: who is added has not restarted since it fetched (not in Fluss)")
    failed_writes: int = constant(0, "writes of a granted ISR to ZooKeeper that fail (#3780)")
    counted: bool = constant(False, "elections that a rebalance makes are counted")
    elections: int = constant(0, "elections that a rebalance makes, if they are counted")
    stops: int = constant(0, "servers that shut down in a controlled way")
    failovers: int = constant(0, "coordinators that take over and tell every server of the record again")
    expiries: int = constant(0, "sessions in ZooKeeper that end while their server lives on")
    unclean: bool = constant(False, "#3894: with no live member of the ISR any live server is elected (proposed)")
    hides_failure: bool = constant(True, "#3780: the coordinator takes a write to ZooKeeper that failed for done")

    failed_so_far: Annotated[int, UpTo("failed_writes")] = 0
    elected_so_far: Annotated[int, UpTo("elections")] = 0
    stopped_so_far: Annotated[int, UpTo("stops")] = 0
    failed_over_so_far: Annotated[int, UpTo("failovers")] = 0
    expired_so_far: Annotated[int, UpTo("expiries")] = 0

    @action(sentence="the bucket is created; {leader} leads first")
    def begin(self, leader: Server) -> None:
        """A bucket is created, with all servers in the ISR."""
        require(not self.has_begun())
        self.put(Leadership(leader, 1, self.now.isr))
        self.tell(self.now.isr)

    @action(sentence="the coordinator moves the leadership to {chosen}")
    def rebalance(self, chosen: Server) -> None:
        """A rebalance elects another live member of the ISR (`ReassignmentLeaderElection`)."""
        require(self.has_begun() and self.now.leader is not None and self.now.leader != chosen)
        require(chosen in self.electable())
        require(not self.counted or self.elected_so_far < self.elections)
        self.elected_so_far += 1 if self.counted else 0
        self.elect(chosen, frozenset())

    @action(sentence="no member of the ISR is live, and the coordinator elects {chosen}")
    def elect_unclean(self, chosen: Server) -> None:
        """A bucket that stays without a leader gets one outside the ISR, which is the new ISR."""
        require(self.unclean and self.has_begun() and not self.has_live_leader())
        require(self.electable() == frozenset() and self.is_live(chosen))
        self.read_zookeeper()
        self.begin_epoch(chosen, frozenset({chosen}))

    @action(sentence="{server} asks to shut down; {chosen} leads")
    def leave(self, server: Server, chosen: Server | None) -> None:
        """Controlled shutdown: another member of the ISR leads, and whoever shuts down leaves the ISR."""
        require(self.has_begun() and server not in self.down)
        require(server in self.registered and server not in self.leaving)
        require(self.stopped_so_far < self.stops)
        self.stopped_so_far += 1
        self.leaving |= {server}
        led = self.now.leader == server
        self.replace_leader(led, chosen, self.leaving)
        if not led:
            self.remove(server)

    @action(sentence="the coordinator learns that {server} is gone; {chosen} is elected")
    def end_session(self, server: Server, chosen: Server | None) -> None:
        """The session of a server ends: another member of the ISR leads, and then the server leaves the ISR."""
        require(self.has_begun() and server in self.registered)
        require(server in self.down or self.expired_so_far < self.expiries)
        self.expired_so_far += 0 if server in self.down else 1
        self.registered -= {server}
        self.leaving -= {server}
        self.replace_leader(self.now.leader == server, chosen, frozenset())
        if self.removes_dead:
            self.remove(server)

    @action(sentence="{server} registers; {chosen} is elected")
    def register(self, server: Server, chosen: Server | None) -> None:
        """A server starts, or has a new session: it is told of the record, and a bucket without a leader gets one."""
        require(self.has_begun() and server not in self.registered)
        is_offline = not self.has_live_leader()
        if server in self.down:
            self.down -= {server}
            self.read_to[server] = self.version
            self.session[server] += 1 if self.server_epochs else 0
        self.registered |= {server}
        self.tell(frozenset({server}))
        self.replace_leader(is_offline, chosen, frozenset())

    @action(sentence="another coordinator takes over and tells every server of the record")
    def fail_over(self) -> None:
        """A coordinator that takes over sends the record to all servers, also if they know it (`startup`)."""
        require(self.has_begun() and self.failed_over_so_far < self.failovers)
        self.failed_over_so_far += 1
        self.read_zookeeper()
        self.tell(self.registered)

    @action(internal=True, sentence="the coordinator grants the ISR that {leader} asked for")
    def grant(self, leader: Server) -> None:
        """The new ISR is on record; only the leader is told, by the answer (`tryProcessAdjustIsr`)."""
        request = self.sent[leader]
        require(request is not None and request.granted is None)
        require(self.is_current(leader) and self.is_eligible(leader))
        self.put_isr(leader)

    @action(sentence="the coordinator grants what {leader} asked for, but ZooKeeper answers with an error")
    def fail_write(self, leader: Server) -> None:
        """A write fails, and is taken for done (#3780); or it was done, is taken for failed, and asked for again."""
        request = self.sent[leader]
        require(request is not None and request.granted is None and self.stored is None)
        require(self.is_current(leader) and self.is_eligible(leader))
        require(self.failed_so_far < self.failed_writes)
        self.failed_so_far += 1
        if request is not None and self.hides_failure:
            before = Stored(self.version, self.now)
            self.put_isr(leader)
            self.stored = before
        elif request is not None:
            self.stored = Stored(self.version + 1, Leadership(self.now.leader, self.now.epoch, request.isr))

    def electable(self) -> frozenset[Server]:
        """Whom the coordinator may elect: the live members of the ISR (`DefaultLeaderElection`)."""
        return frozenset(s for s in self.zookeeper_isr() if self.is_live(s))

    def zookeeper_isr(self) -> frozenset[Server]:
        """The ISR in ZooKeeper, from which a leader is elected (`electNewLeaderForTableBuckets`)."""
        return self.now.isr if self.stored is None else self.stored.record.isr

    def read_zookeeper(self) -> None:
        """The coordinator reads the record in ZooKeeper, where that is another one than it has in memory."""
        if self.stored is not None:
            self.version = self.stored.version
            self.now = self.stored.record
            self.stored = None

    def has_live_leader(self) -> bool:
        """Whether the leader on record has a session."""
        return any(self.now.leader == s for s in self.registered)

    def is_current(self, leader: Server) -> bool:
        """Whether nothing was put on record since a leader asked (`validateLeaderAndIsr`)."""
        request = self.sent[leader]
        return request is not None and request.epoch == self.now.epoch and request.base == self.version

    def put_isr(self, leader: Server) -> None:
        """The ISR that a leader asked for is on record, and the leader is answered."""
        request = self.sent[leader]
        if request is not None:
            self.put(Leadership(self.now.leader, self.now.epoch, request.isr))
            self.sent[leader] = None if leader in self.down else request._replace(granted=self.version)

    @policy
    def is_eligible(self, leader: Server) -> bool:
        """Whether all whom a request names may be in the ISR; INELIGIBLE_REPLICA otherwise."""
        request = self.sent[leader]
        return (
            request is not None
            and (not self.leader_in_request or leader in request.isr)
            and (not self.live_only or all(self.is_live(s) for s in request.isr))
            and (not self.server_epochs or request.added is None or request.session == self.session[request.added])
        )

    def put(self, record: Leadership) -> None:
        """A record is written to ZooKeeper, under the next bucket epoch."""
        self.version += 1
        self.now = record
        self.stored = None

    def replace_leader(self, is_due: bool, chosen: Server | None, without: frozenset[Server]) -> None:
        """A leader is elected if one is due and there is a candidate."""
        candidates = self.electable() if is_due else frozenset()
        require((chosen is None) == (candidates == frozenset()))
        require(chosen is None or chosen in candidates)
        if chosen is not None:
            self.elect(chosen, without)

    def elect(self, chosen: Server, without: frozenset[Server]) -> None:
        """A leader is elected with the ISR in ZooKeeper, without some."""
        self.read_zookeeper()
        self.begin_epoch(chosen, self.now.isr - without)

    def begin_epoch(self, chosen: Server, isr: frozenset[Server]) -> None:
        """A leader epoch begins, and the live servers are told."""
        self.put(Leadership(chosen, self.now.epoch + 1, isr))
        self.note_writer(chosen)
        self.tell(frozenset(s for s in Replica if self.is_live(s)))

    def remove(self, server: Server) -> None:
        """A server leaves the ISR, and with it the office of leader (`doRemoveReplicaFromIsr`)."""
        if server in self.now.isr:
            alone = self.now.isr == frozenset({server})
            isr = self.now.isr if alone and self.keeps_last else self.now.isr - {server}
            if self.now.leader != server or self.keeps_leader or (alone and self.endangered):
                self.put(Leadership(self.now.leader, self.now.epoch, isr))
            else:
                self.put(Leadership(None, self.now.epoch + 1, isr))
            self.tell(frozenset(s for s in Replica if s != server))
