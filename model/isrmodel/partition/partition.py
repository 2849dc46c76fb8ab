"""The properties of a partition, whoever is admitted to the ISR and whatever is truncated."""

from typing import Self

from isrcheck import Taken, applies, invariant, reachable, step
from isrmodel.partition.protocol import Protocol
from isrmodel.vocabulary import Replica


class Partition(Protocol):
    """The protocol with its properties. A class of `admission` and one of `truncation` fill its policies."""

    @step
    def hw_never_decreases(self, before: Self) -> bool:
        """A replica's high watermark does not go back while it leads in one epoch (KAFKA-4485, guarantee 3)."""
        return all(
            self.hw[r] >= before.hw[r]
            for r in Replica
            if before.presumes_leadership(r)
            if self.presumes_leadership(r)
            if before.leader_epoch[r] == self.leader_epoch[r]
        )

    @invariant
    def exposed_never_decreases(self) -> bool:
        """Once the leader's high watermark has reached its epoch, it is not below any that was exposed (KIP-207)."""
        return all(
            self.hw[leader] >= len(self.committed)
            for leader in Replica
            if self.is_true_leader(leader)
            if self.high_watermark_reached_epoch(leader)
        )

    @invariant
    def isr_at_least_hw(self) -> bool:
        """Every member of the ISR on record has a log that reaches each leader's high watermark (KAFKA-4485, 4)."""
        return all(
            len(self.log[r]) >= self.hw[leader]
            for leader in Replica
            if self.presumes_leadership(leader)
            for r in self.quorum_isr
        )

    @invariant
    def committed_survives(self) -> bool:
        """Every member of the ISR on record holds all that was ever committed (KIP-101, KIP-320)."""
        return all(self.log[r][: len(self.committed)] == self.committed for r in self.quorum_isr)

    @step
    def no_bad_expand(self, before: Self) -> bool:
        """No follower is admitted to the ISR that the expiration task would remove at once (KAFKA-4485, problem 1)."""
        return not any(
            f not in before.isr[leader] and self.must_leave(leader, f)
            for leader in Replica
            if before.presumes_leadership(leader)
            if before.leader_epoch[leader] == self.leader_epoch[leader]
            for f in self.isr[leader]
            if f != leader
        )

    @step
    def new_leader_spares_isr(self, before: Self, taken: Taken) -> bool:
        """No follower in the ISR must leave at the moment its leader takes office (KAFKA-4485's reset, KAFKA-4441)."""
        return taken.action != "replica_becomes_leader" or all(
            not self.must_leave(taken.leader, f) for f in self.isr[taken.leader] if f != taken.leader
        )

    @invariant
    def leader_in_isr(self) -> bool:
        """The leader on record is a member of the ISR on record (KIP-497)."""
        return self.quorum_leader is None or self.quorum_leader in self.quorum_isr

    @reachable
    def marks_move_in_every_epoch(self) -> bool:
        """A record of each epoch is committed."""
        return all(any(record == e for record in self.committed) for e in range(1, self.leader_epochs + 1))

    @applies("marks_move_in_every_epoch")
    def records_suffice(self) -> bool:
        """A log holds fewer records than there are epochs."""
        return self.max_records >= self.leader_epochs

    @reachable
    def someone_leaves(self) -> bool:
        """A follower is removed from the ISR."""
        return any(r not in self.quorum_isr for r in Replica)

    @reachable
    def someone_joins(self) -> bool:
        """The ISR is complete again after a follower was removed from it."""
        return self.quorum_version > self.quorum_epoch and all(r in self.quorum_isr for r in Replica)

    @reachable
    def a_write_comes_too_late(self) -> bool:
        """A leader would remove a follower, and the record has changed since it last read it."""
        return any(
            not self.is_up_to_date(leader) and self.must_leave(leader, f)
            for leader in Replica
            if self.presumes_leadership(leader)
            for f in self.isr[leader]
            if f != leader
        )
