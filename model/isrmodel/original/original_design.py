"""The properties of the original design: what it says of itself, and what its successors were asked for."""

from typing import Self

from isrcheck import Taken, applies, invariant, reachable, step
from isrmodel.original.design import Between, Design
from isrmodel.vocabulary import Replica


class OriginalDesign(Design):
    """The design of 2012 with its properties. It violates most of them, each by a line that a later version changed."""

    @step
    def hw_never_decreases(self, before: Self) -> bool:
        """A broker's high watermark does not go back while it leads (the design sets it to a plain minimum)."""
        return all(self.hw[r] >= before.hw[r] for r in Replica if before.leads(r) if self.leads(r))

    @invariant
    def exposed_never_decreases(self) -> bool:
        """The leader exposes no less than any before it (the design grants that a new leader may, at first)."""
        return all(self.hw[r] >= len(self.exposed) for r in Replica if self.leads_on_record(r))

    @step
    def exposed_is_not_taken_back(self, before: Self) -> bool:
        """A leader that has exposed as much as any before it goes on doing so (P3 past the first moment)."""
        return all(
            self.hw[r] >= len(before.exposed)
            for r in Replica
            if before.leads_on_record(r)
            if self.leads_on_record(r)
            if before.hw[r] >= len(before.exposed)
        )

    @invariant
    def isr_at_least_hw(self) -> bool:
        """Every member of the ISR on the path has a log that reaches each leader's high watermark (KAFKA-4485, 4)."""
        return all(len(self.log[r]) >= self.hw[b] for b in Replica if self.leads(b) for r in self.path_isr)

    @invariant
    def committed_survives(self) -> bool:
        """Every member of the ISR on the path holds all that a leader ever exposed (KIP-101)."""
        return all(self.log[r][: len(self.exposed)] == self.exposed for r in self.path_isr)

    @invariant
    def leader_has_committed(self) -> bool:
        """A leader's high watermark may be behind that of the one before it, but its log has all of it (the design)."""
        return all(self.log[r][: len(self.exposed)] == self.exposed for r in Replica if self.leads_on_record(r))

    @invariant
    def consumer_is_in_range(self) -> bool:
        """A consumer that has read all there was gets an empty set from the next leader, and no error (the design)."""
        return all(
            len(self.exposed) <= (len(self.log[r]) if self.between == Between.EMPTY else self.hw[r])
            for r in Replica
            if self.leads_on_record(r)
        )

    @invariant
    def hw_within_log(self) -> bool:
        """No high watermark is beyond its log's end (Kafka 0.8 takes the lesser of the two)."""
        return all(self.hw[r] <= len(self.log[r]) for r in Replica)

    @invariant
    def leader_in_isr(self) -> bool:
        """The leader on the path is a member of the ISR on the path (0.8 removes only followers)."""
        return self.path_leader is None or self.path_leader in self.path_isr

    @step
    def removal_stands(self, before: Self, taken: Taken) -> bool:
        """A fetch that changes the ISR takes the slowest member out if that lags too much (the design's two loops)."""
        return taken.action != "follower_fetches" or (
            self.isr[taken.leader] == before.isr[taken.leader]
            or taken.slowest not in before.isr[taken.leader] & self.isr[taken.leader]
            or not self.lags(taken.leader, taken.slowest)
        )

    @step
    def slowest_leaves(self, before: Self) -> bool:
        """A leader takes nobody out of the ISR who is ahead of another member (the design's first loop)."""
        return all(
            self.reach(b, r) <= self.reach(b, other)
            for b in Replica
            if before.leads(b) and self.leads(b)
            for r in before.isr[b] - self.isr[b]
            for other in before.isr[b]
        )

    @step
    def nobody_joins_ahead(self, before: Self) -> bool:
        """Nobody joins the ISR who is MIN_BYTES_LAG or more ahead of its slowest member (the design's second loop)."""
        return all(
            self.reach(b, r) < self.reach(b, other) + self.min_lag
            for b in Replica
            if before.leads(b) and self.leads(b)
            for r in self.isr[b] - before.isr[b]
            for other in before.isr[b]
        )

    @invariant
    def silent_follower_leaves(self) -> bool:
        """No follower stays in the ISR that lacks records and has not fetched for MAX_TIME_LAG (0.8's expiration)."""
        return all(
            self.reach(b, r) == len(self.log[b]) or not self.is_too_old(b, r)
            for b in Replica
            if self.leads(b)
            for r in self.isr[b]
            if r != b
        )

    @invariant
    def one_leader(self) -> bool:
        """No two brokers lead at the same version of the path (P11; there are no epochs yet)."""
        return all(
            not (self.leads(one) and self.leads(other) and self.version[one] == self.version[other])
            for one in Replica
            for other in Replica
            if one != other
        )

    @step
    def commands_are_not_outdated(self, before: Self) -> bool:
        """No broker acts on a command that is older than one it has acted on (fenced by epochs since 0.8.0)."""
        return all(self.heeded[r] >= before.heeded[r] for r in Replica)

    @invariant
    def isr_is_present(self) -> bool:
        """Every member of the ISR on the path has the partition, once there was a leader (StopReplica, INIT)."""
        return all(self.present[r] for r in self.path_isr if self.heeded[r] > 0)

    @invariant
    def logs_match(self) -> bool:
        """Two logs are the same as far as both go below both high watermarks (P9, KIP-101)."""
        return all(
            self.log[one][o] == self.log[other][o]
            for one in Replica
            for other in Replica
            for o in range(min(self.hw[one], self.hw[other]))
            if o < len(self.log[one]) and o < len(self.log[other])
        )

    @applies("isr_is_present")
    def replicas_are_deleted(self) -> bool:
        """No replica is ever deleted unless it is moved away."""
        return self.replicas_move

    @reachable
    def something_is_exposed(self) -> bool:
        """A leader exposes a record."""
        return len(self.exposed) > 0

    @reachable
    def follower_leaves(self) -> bool:
        """A follower is taken out of the ISR."""
        return any(r not in self.path_isr and r != self.path_leader for r in Replica)

    @reachable
    def two_lead_at_once(self) -> bool:
        """Two brokers take themselves for the leader."""
        return any(one != other and self.leads(one) and self.leads(other) for one in Replica for other in Replica)

    @reachable
    def new_leader_lags(self) -> bool:
        """A leader has exposed less than the one before it, as the design grants."""
        return any(self.hw[r] < len(self.exposed) for r in Replica if self.leads_on_record(r))
