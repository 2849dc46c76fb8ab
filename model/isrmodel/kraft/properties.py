"""Properties of a partition under KRaft: invariants of every state, and step properties."""

from typing import Self

from isrcheck import applies, invariant, step
from isrmodel.kraft.reassignment import Reassignment
from isrmodel.kraft.state import Record
from isrmodel.vocabulary import Replica


class Safety(Reassignment):
    """Acknowledged, exposed and recorded data is never lost; and the facts on which the rest of the model rests."""

    @invariant
    def acked_in_leader(self) -> bool:
        """A leader of the epoch on record has every record that a producer was told is safe."""
        return self.leader_has_acked()

    @invariant
    def acked_somewhere(self) -> bool:
        """Some replica has each record that a producer was told is safe."""
        return self.someone_has_acked()

    @invariant
    def exposed_in_leader(self) -> bool:
        """A leader of the epoch on record has all that a consumer may have read, unchanged."""
        return self.leader_has_exposed()

    @invariant
    def candidates_complete(self) -> bool:
        """Every broker that is up and may be elected as it stands has all that a consumer may have read."""
        return all(self.has_exposed(r) for r in self.electable() if r not in self.down)

    @invariant
    def superset(self) -> bool:
        """The maximal ISR of a leader includes every replica that the controller may elect (KIP-497)."""
        return all(self.electable() <= self.maximal_isr(r) for r in Replica if self.rules(r) if self.may_expose(r))

    @invariant
    def isr_unfenced(self) -> bool:
        """Nobody in the ISR is fenced, except its last member without ELR (KIP-841)."""
        return all(r not in self.fenced or (not self.elr and self.now.isr == frozenset({r})) for r in self.now.isr)

    @invariant
    def leader_live(self) -> bool:
        """The leader on record is not fenced (KAFKA-19522)."""
        return all(self.now.leader != r for r in self.fenced)

    @invariant
    def leo_at_least_hw(self) -> bool:
        """The log of a member of the ISR reaches its own high watermark."""
        return all(self.hw[r] <= self.end(r) for r in self.now.isr if r not in self.down)

    @invariant
    def hw_within_isr(self) -> bool:
        """Every broker that is up and may be elected has reached the leader's high watermark."""
        return all(
            self.hw[leader] <= self.end(r)
            for leader in Replica
            if self.rules(leader)
            if self.may_expose(leader)
            for r in self.electable()
            if r not in self.down
        )

    @invariant
    def log_matching(self) -> bool:
        """Two replicas agree below the lesser of their high watermarks."""
        return all(
            self.log[one][offset] == self.log[other][offset]
            for one in Replica
            for other in Replica
            for offset in range(min(self.hw[one], self.hw[other]))
        )

    @invariant
    def no_divergence(self) -> bool:
        """Logs that hold the same record, by offset and epoch, are equal below it."""
        return all(
            self.log[one][before] == self.log[other][before]
            for one in Replica
            for other in Replica
            for offset in range(min(self.end(one), self.end(other)))
            if self.log[one][offset] == self.log[other][offset]
            for before in range(offset)
        )

    @invariant
    def epochs_known(self) -> bool:
        """A leader-epoch cache says of each record of its log the epoch that wrote it (KIP-101)."""
        return all(self.epoch_at(r, offset) == self.log[r][offset] for r in Replica for offset in range(self.end(r)))

    @applies("epochs_known")
    def epochs_are_cached(self) -> bool:
        """A log without a leader-epoch cache says itself where its epochs begin."""
        return self.epoch_cache

    @invariant
    def elr_small(self) -> bool:
        """Nobody is in both ISR and ELR, and beside an ISR that is large enough there is no ELR (KIP-966)."""
        now = self.now
        return now.isr & now.elr == frozenset() and (len(now.isr) < self.enough(self.version) or now.elr == frozenset())

    @invariant
    def recovery_quorum(self) -> bool:
        """Balanced recovery: once nobody is eligible, min.insync.replicas brokers are there to be asked (KIP-966)."""
        now = self.now
        return now.isr | now.elr != frozenset() or len(now.last_known) >= self.enough(self.version)

    @applies("recovery_quorum")
    def logs_are_compared(self) -> bool:
        """The last known ELR is asked in balanced recovery only."""
        return self.balanced

    @invariant
    def leader_in_isr(self) -> bool:
        """The leader on record is in the ISR."""
        return all(self.now.leader != r or r in self.now.isr for r in Replica)

    @invariant
    def one_leader_an_epoch(self) -> bool:
        """No two brokers take themselves for the leader in the same epoch."""
        return all(
            one == other or self.known[one].epoch != self.known[other].epoch
            for one in Replica
            for other in Replica
            if self.leads(one) and self.leads(other)
        )

    @invariant
    def leader_keeps_its_epoch(self) -> bool:
        """A leader has every record of its own epoch that any replica has, so that epoch and offset name a record."""
        return all(
            self.holds(leader, Record(offset, self.known[leader].epoch))
            for leader in Replica
            if self.leads(leader)
            for other in Replica
            for offset in range(self.end(other))
            if self.log[other][offset] == self.known[leader].epoch
        )

    @invariant
    def only_leaders_hear(self) -> bool:
        """A broker that takes itself for a follower, or is down, knows of no follower's fetch."""
        return all(self.leads(r) or all(self.last_known_fetch(r, f) is None for f in Replica) for r in Replica)

    @invariant
    def who_is_down_knows_nothing(self) -> bool:
        """A broker that is down knows no metadata: it starts again from what is on record."""
        return all(self.seen[r] == 0 and self.known[r].epoch == 0 for r in self.down)

    @invariant
    def requests_are_well_formed(self) -> bool:
        """A broker that waits for a request leads, is in the requested ISR, and has heard of the replica it adds."""
        return all(self.has_valid_request(r) for r in Replica if r not in self.down)

    @invariant
    def creation_comes_first(self) -> bool:
        """The first step creates the partition, and its first ISR is the one it is created with."""
        members = self.replicas - self.spares if self.initial_isr == 0 else self.initial_isr
        return (self.version > 0 or self.down | self.fenced == frozenset()) and (
            self.version != 1 or len(self.now.isr) == members
        )

    @invariant
    def metadata_is_one_log(self) -> bool:
        """A broker that has read the whole metadata log knows what is on record."""
        return all(self.known[r] == self.now for r in Replica if r not in self.down and self.seen[r] == self.version)

    @invariant
    def isr_assigned(self) -> bool:
        """Leader and ISR are within the assignment, whichever replicas a reassignment has removed (KIP-455)."""
        return all(self.is_assigned(r, self.version) for r in Replica if r in self.now.isr or self.now.leader == r)

    @invariant
    def elr_assigned(self) -> bool:
        """Every member of the ELR holds a replica: no other is elected, and it would come back with an empty log."""
        return all(self.is_assigned(r, self.version) for r in self.now.elr)

    @step
    def who_is_down_does_nothing(self, before: Self) -> bool:
        """A broker that is down and stays down changes neither its log nor its high watermark."""
        return all(
            self.log[r] == before.log[r] and self.hw[r] == before.hw[r]
            for r in Replica
            if r in before.down and r in self.down
        )

    @step
    def epochs_never_fall(self, before: Self) -> bool:
        """Partition, leader and broker epochs never fall, nor does a leader's high watermark within its epoch."""
        return (
            self.version >= before.version
            and self.now.epoch >= before.now.epoch
            and all(self.session[r] >= before.session[r] for r in Replica)
            and all(
                self.hw[r] >= before.hw[r]
                for r in Replica
                if before.rules(r)
                if self.rules(r)
                if self.now.epoch == before.now.epoch
            )
        )

    def leader_has_acked(self) -> bool:
        """Whether every leader of the epoch on record has all that was acknowledged."""
        return all(self.holds(r, record) for r in Replica if self.rules(r) for record in self.acked)

    def someone_has_acked(self) -> bool:
        """Whether each record that was acknowledged is in some log."""
        return all(any(self.holds(r, record) for r in Replica) for record in self.acked)

    def leader_has_exposed(self) -> bool:
        """Whether every leader of the epoch on record has all that consumers may have read."""
        return all(self.has_exposed(r) for r in Replica if self.rules(r))

    def holds(self, replica: Replica, record: Record) -> bool:
        """Whether a replica's log has a record, down or up."""
        return record.offset < self.end(replica) and self.log[replica][record.offset] == record.epoch

    def has_exposed(self, replica: Replica) -> bool:
        """Whether a replica's log begins with all that was exposed."""
        return self.log[replica][: len(self.exposed)] == self.exposed

    def has_valid_request(self, leader: Replica) -> bool:
        """Whether what a broker waits for, if anything, is another ISR, with the leader and whom it has heard of."""
        request = self.request_pending(leader)
        return request is None or (
            self.leads(leader)
            and leader in request.isr
            and (request.base < self.seen[leader] or request.isr != self.known[leader].isr)
            and (request.added is None or request.session is not None)
        )

    # For the drawing

    def list_first_isr(self) -> frozenset[Replica]:
        """The ISR with which the partition is created; nobody before."""
        return frozenset(r for r in self.now.isr if self.has_begun())

    def is_outdated(self, leader: Replica, follower: Replica) -> bool:
        """Whether a follower's log is shorter than whoever leads knows by its last fetch."""
        is_follower = self.leads(leader) and follower != leader
        return is_follower and self.end(follower) < self.fetch_offset(leader, follower)

    def list_outdated(self) -> frozenset[Replica]:
        """The followers whose logs are shorter than the leader on record knows by their last fetch."""
        leaders = frozenset(r for r in Replica if self.now.leader == r)
        return frozenset(f for r in leaders for f in Replica if self.is_outdated(r, f))

    def is_overrated(self, leader: Replica, follower: Replica) -> bool:
        """Whether an outdated follower is in the leader's maximal ISR and below its high watermark."""
        is_short = self.is_outdated(leader, follower) and self.end(follower) < self.hw[leader]
        return is_short and follower in self.maximal_isr(leader)

    def list_overrated(self) -> frozenset[Replica]:
        """The followers that a leader overrates."""
        return frozenset(f for f in Replica if any(self.is_overrated(r, f) for r in Replica))

    def isr_with_overrated(self) -> frozenset[Replica] | None:
        """The maximal ISR of a leader that overrates a follower."""
        leaders = frozenset(r for r in Replica if any(self.is_overrated(r, f) for f in Replica))
        isr = frozenset(member for r in leaders for member in self.maximal_isr(r))
        return isr if isr != frozenset() else None

    def list_added_below_start(self) -> frozenset[Replica]:
        """The followers that a leader asks to add although their last fetch was below the start of its epoch."""
        leaders = frozenset(r for r in Replica if self.leads(r))
        return frozenset(
            f
            for r in leaders
            for f in self.maximal_isr(r) - self.known[r].isr
            if not self.start_checked and self.fetch_offset(r, f) < self.epoch_start(r)
        )

    def list_underrated(self) -> frozenset[Replica]:
        """The replicas without all that was exposed that reach the own high watermark of the leader on record."""
        leaders = frozenset(r for r in Replica if self.now.leader == r)
        return frozenset(f for r in leaders for f in Replica if self.hw[r] <= self.end(f) < len(self.exposed))
