"""What must hold of a partition under KRaft, and what must be reachable so that nothing holds for nothing."""

from typing import Self

from isrcheck import invariant, reachable, step
from isrmodel.kraft.drawing import DRAWING
from isrmodel.kraft.faults import Faults
from isrmodel.kraft.state import Record
from isrmodel.vocabulary import Replica


class Kraft(Faults):
    """Today's protocol, every decision of it a constant; by default as in 4.1."""

    drawing = DRAWING

    @invariant
    def acked_in_leader(self) -> bool:
        """Whoever leads in the epoch on record has every record that a producer was told is safe."""
        return self.leader_has_acked()

    @invariant
    def acked_somewhere(self) -> bool:
        """Some replica has each record that a producer was told is safe."""
        return self.someone_has_acked()

    @invariant
    def exposed_in_leader(self) -> bool:
        """Whoever leads in the epoch on record has all that a consumer may have read, unchanged."""
        return self.leader_has_exposed()

    @invariant
    def candidates_complete(self) -> bool:
        """Every broker that is up and may be elected as it stands has all that a consumer may have read."""
        return all(self.has_exposed(r) for r in self.now.isr | self.now.elr if r not in self.down)

    @invariant
    def superset(self) -> bool:
        """Whom a leader waits for includes whomever the controller may elect (KIP-497)."""
        return all(
            self.now.isr | self.now.elr <= self.maximal_isr(r) for r in Replica if self.rules(r) if self.may_expose(r)
        )

    @invariant
    def isr_unfenced(self) -> bool:
        """Nobody in the ISR is fenced, but for its last member without ELR (KIP-841)."""
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
            for r in self.now.isr | self.now.elr
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
    def elr_small(self) -> bool:
        """Nobody is in both ISR and ELR, and beside an ISR that is large enough there is no ELR (KIP-966)."""
        now = self.now
        return now.isr & now.elr == frozenset() and (len(now.isr) < self.enough() or now.elr == frozenset())

    @invariant
    def recovery_quorum(self) -> bool:
        """Balanced recovery: once nobody is eligible, min.insync.replicas brokers are there to be asked (KIP-966)."""
        now = self.now
        return not self.balanced or now.isr | now.elr != frozenset() or len(now.last_known) >= self.enough()

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

    @invariant
    def hw_not_stuck(self) -> bool:
        """The leader has exposed all that its rule allows: nobody waits for a step that never comes (KAFKA-13091)."""
        return all(
            self.hw[leader] >= self.high_watermark(leader)
            for leader in Replica
            if self.rules(leader)
            if self.may_expose(leader)
        )

    @invariant
    def request_not_stuck(self) -> bool:
        """No request is pending for ever at a leader that has read all metadata (KAFKA-12751, KAFKA-12686)."""
        return all(not self.waits_for_nothing(r) for r in Replica)

    @invariant
    def leader_not_stuck(self) -> bool:
        """If nothing heals any more, there is a leader wherever somebody live is eligible (KAFKA-19522)."""
        now = self.now
        eligible = now.isr | now.elr
        return not self.has_stuck() or now.leader is not None or all(not self.is_live(r) for r in eligible)

    @invariant
    def leaderless(self) -> bool:
        """The partition is not without a leader once all brokers are up and nothing heals any more."""
        return self.has_a_leader()

    @reachable
    def something_is_acked(self) -> bool:
        """A producer is told that its record is safe."""
        return self.acked != frozenset()

    @reachable
    def someone_rejoins(self) -> bool:
        """The ISR is complete again after somebody had left it."""
        return self.version > 2 and len(self.now.isr) == self.replicas

    @reachable
    def a_zombie_leads(self) -> bool:
        """A broker takes itself for the leader and no longer is."""
        return any(self.leads(r) and not self.rules(r) for r in Replica)

    def leader_has_acked(self) -> bool:
        """Whether every leader of the epoch on record has all that was acknowledged."""
        return all(self.holds(r, record) for r in Replica if self.rules(r) for record in self.acked)

    def someone_has_acked(self) -> bool:
        """Whether each record that was acknowledged is in some log."""
        return all(any(self.holds(r, record) for r in Replica) for record in self.acked)

    def leader_has_exposed(self) -> bool:
        """Whether every leader of the epoch on record has all that consumers may have read."""
        return all(self.has_exposed(r) for r in Replica if self.rules(r))

    def has_a_leader(self) -> bool:
        """Whether there is a leader, or there may yet be one."""
        return not self.has_stuck() or self.now.leader is not None

    def holds(self, replica: Replica, record: Record) -> bool:
        """Whether a replica's log has a record, down or up."""
        return record.offset < self.end(replica) and self.log[replica][record.offset] == record.epoch

    def has_exposed(self, replica: Replica) -> bool:
        """Whether a replica's log begins with all that was exposed."""
        return self.log[replica][: len(self.exposed)] == self.exposed

    def waits_for_nothing(self, leader: Replica) -> bool:
        """Whether a leader that has read all metadata waits for a request that can no longer be granted."""
        request = self.pending(leader)
        return (
            self.leads(leader)
            and self.seen[leader] == self.version
            and request is not None
            and request.base < self.version
        )

    def may_heal(self) -> bool:
        """Whether a step that needs no fault would still change something."""
        return self.may_come_back() or any(
            self.may_learn(r) or self.pending(r) is not None or self.may_copy(r) for r in Replica if r not in self.down
        )

    def has_stuck(self) -> bool:
        """Whether all brokers are up and nothing will change any more unless something fails."""
        return self.has_begun() and not self.may_heal()

    def may_come_back(self) -> bool:
        """Whether a broker that is down or fenced can be registered, fenced or unfenced."""
        return self.down != frozenset() or any(r not in self.leaving for r in self.fenced)

    def may_learn(self, broker: Replica) -> bool:
        """Whether a broker has metadata to read."""
        return self.seen[broker] < self.version

    def may_copy(self, follower: Replica) -> bool:
        """Whether a fetch would tell a follower's leader, or the follower, something new."""
        return any(
            self.is_served(follower, leader)
            and (
                self.diverges(follower, leader)
                or self.end(follower) < self.end(leader)
                or self.hw[follower] != min(self.hw[leader], self.end(follower))
                or self.is_news(leader, follower)
                or (follower not in self.known[leader].isr and self.may_be_added(leader, follower))
            )
            for leader in Replica
        )

    def is_news(self, leader: Replica, follower: Replica) -> bool:
        """Whether the next fetch of a follower says what its leader did not know."""
        heard = self.heard[leader][follower]
        return heard is None or heard.offset != self.end(follower) or heard.session != self.session[follower]
