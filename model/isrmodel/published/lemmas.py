"""Lemmas for the proof of KIP-320: who leads, logs by epoch, and who can still commit. Not part of the design."""

from isrcheck import lemma
from isrmodel.published.replication import Epoch, LeaderAndIsr, Replication
from isrmodel.vocabulary import Replica


class Lemmas(Replication):
    """Auxiliary invariants, which carry `leader_in_isr` and `strong_isr` (docs/proof-of-kip-320.md)."""

    @lemma
    def hw_within_log(self) -> bool:
        """Nobody's high watermark is beyond its log: it follows the log on truncation and on every fetch."""
        return all(self.hw[r] <= len(self.log[r]) for r in Replica)

    @lemma
    def leaders_count_themselves(self) -> bool:
        """A presumed leader is a member of the ISR that it knows of."""
        return all(r in self.isr[r] for r in Replica if self.presumes_leadership(r))

    @lemma
    def leader_on_record_counts(self) -> bool:
        """The leader on record is in the ISR on record: `leader_in_isr`, which the others need."""
        return self.quorum_leader is None or self.quorum_leader in self.quorum_isr

    @lemma
    def requests_name_members(self) -> bool:
        """The controller never names a leader outside the ISR that it sends along."""
        return all(self.names_a_member(self.requests[e]) for e in range(self.max_leader_epoch + 1))

    @lemma
    def epochs_to_come_are_unsent(self) -> bool:
        """The controller sends nothing for an epoch before it begins it, and something for each that it began."""
        return all(
            (self.requests[e] is None) == (e >= self.next_leader_epoch) for e in range(self.max_leader_epoch + 1)
        )

    @lemma
    def quorum_is_in_the_latest_epoch(self) -> bool:
        """The epoch on record is the last one begun."""
        if self.quorum_epoch is None:
            return self.next_leader_epoch == 0 and self.quorum_leader is None
        else:
            return self.next_leader_epoch == self.quorum_epoch + 1

    @lemma
    def known_epochs_have_begun(self) -> bool:
        """Nobody knows of an epoch that has not begun, and who knows of none follows nobody."""
        return all(self.knows_a_begun_epoch(r) for r in Replica)

    @lemma
    def newcomers_hold_nothing(self) -> bool:
        """A replica that has heeded no request yet has no record."""
        return all(self.leader_epoch[r] is not None or len(self.log[r]) == 0 for r in Replica)

    @lemma
    def requests_are_heeded(self) -> bool:
        """Everybody follows whom the request of its epoch names, who has taken office by then."""
        return all(
            self.is_told(e, leader) and not self.is_before(e, leader)
            for r in Replica
            for e in range(self.max_leader_epoch + 1)
            if self.leader_epoch[r] == e
            for leader in Replica
            if self.leader[r] == leader
        )

    @lemma
    def somebody_is_followed(self) -> bool:
        """A replica that has heeded a request follows somebody: requests without a leader are heeded by nobody."""
        return all(self.leader_epoch[r] is None or self.leader[r] is not None for r in Replica)

    @lemma
    def records_are_of_known_epochs(self) -> bool:
        """No log holds a record of a later epoch than its replica knows of."""
        return all(
            self.leader_epoch[r] is not None and record.epoch <= self.epoch_of(r)
            for r in Replica
            for record in self.log[r]
        )

    @lemma
    def records_have_a_writer(self) -> bool:
        """The leader of an epoch has taken office if there is a record of that epoch."""
        return all(
            not self.is_before(e, writer)
            for e in range(self.max_leader_epoch + 1)
            for writer in Replica
            if self.is_told(e, writer)
            if any(record.epoch == e for r in Replica for record in self.log[r])
        )

    @lemma
    def epochs_grow_along_a_log(self) -> bool:
        """Later records are of the same epoch or a later one."""
        return all(
            self.log[r][o].epoch <= self.log[r][o + 1].epoch
            for r in Replica
            for o in range(self.log_size)
            if o + 1 < len(self.log[r])
        )

    @lemma
    def same_epoch_means_same_log(self) -> bool:
        """Two logs with a record of one epoch at one offset are the same up to there: each epoch has one writer."""
        return all(
            self.log[one][: o + 1] == self.log[other][: o + 1]
            for one in Replica
            for other in Replica
            for o in range(self.log_size)
            if o < len(self.log[one]) and o < len(self.log[other])
            if self.log[one][o].epoch == self.log[other][o].epoch
        )

    @lemma
    def leaders_have_their_epoch(self) -> bool:
        """A leader has every record of its epoch that any log has."""
        return all(
            o < len(self.log[leader])
            for leader in Replica
            if self.presumes_leadership(leader)
            for r in Replica
            for o in range(self.log_size)
            if o < len(self.log[r]) and self.log[r][o].epoch == self.epoch_of(leader)
        )

    @lemma
    def leaders_have_their_records(self) -> bool:
        """A leader has every record of its epoch at the same offset as any log that has it."""
        return all(
            self.log[leader][o].epoch == self.epoch_of(leader)
            for leader in Replica
            if self.presumes_leadership(leader)
            for r in Replica
            for o in range(self.log_size)
            if o < len(self.log[r]) and o < len(self.log[leader]) and self.log[r][o].epoch == self.epoch_of(leader)
        )

    @lemma
    def followers_hold_a_prefix(self) -> bool:
        """A follower in its leader's epoch has a part of its leader's log, from the beginning."""
        return all(
            len(self.log[f]) <= len(self.log[leader]) and self.log[f] == self.log[leader][: len(self.log[f])]
            for leader in Replica
            if self.presumes_leadership(leader)
            for f in Replica
            if self.follows(f, leader) and self.shares_epoch(f, leader)
        )

    @lemma
    def exposed_is_on_the_isr_on_record(self) -> bool:
        """Every replica that may be elected has what anybody knows to be committed: more than `strong_isr` asks."""
        return all(self.log[q][: self.hw[r]] == self.log[r][: self.hw[r]] for r in Replica for q in self.quorum_isr)

    @lemma
    def true_leader_commits_its_epoch(self) -> bool:
        """The true leader knows of every record of the current epoch that anybody knows to be committed."""
        return all(
            o < self.hw[leader]
            for leader in Replica
            if self.is_true_leader(leader)
            for r in Replica
            for o in range(self.log_size)
            if o < self.hw[r] and o < len(self.log[r]) and self.log[r][o].epoch == self.epoch_of(leader)
        )

    @lemma
    def true_leader_knows_the_isr(self) -> bool:
        """The true leader's ISR is the one on record."""
        return all(self.isr[leader] == self.quorum_isr for leader in Replica if self.is_true_leader(leader))

    @lemma
    def isr_waits_for_its_leader(self) -> bool:
        """The ISR on record is the one that a leader is told of, until it takes office."""
        return all(
            self.quorum_isr == self.isr_at_start(e)
            for e in range(self.max_leader_epoch + 1)
            if self.quorum_epoch == e
            for leader in Replica
            if self.quorum_leader == leader and self.is_before(e, leader)
        )

    @lemma
    def record_agrees_with_request(self) -> bool:
        """The leader on record is the one that the latest request names."""
        return all(
            (self.quorum_leader == leader) == self.is_told(e, leader)
            for e in range(self.max_leader_epoch + 1)
            if self.quorum_epoch == e
            for leader in Replica
        )

    @lemma
    def zombies_are_blocked(self) -> bool:
        """A leader's ISR holds the one on record, or somebody who has moved on and acknowledges nothing any more."""
        return all(
            self.quorum_isr <= self.isr[z] or self.is_blocked(self.isr[z], self.epoch_of(z))
            for z in Replica
            if self.presumes_leadership(z)
        )

    @lemma
    def zombies_will_be_blocked(self) -> bool:
        """Every later leader is in a leader's ISR, unless somebody there has moved on already."""
        return all(
            x in self.isr[z] or self.is_blocked(self.isr[z], self.epoch_of(z))
            for z in Replica
            if self.presumes_leadership(z)
            for e in range(self.max_leader_epoch + 1)
            if e > self.epoch_of(z)
            for x in Replica
            if self.is_told(e, x)
        )

    @lemma
    def late_leaders_are_blocked(self) -> bool:
        """An ISR sent to a leader not yet in office holds the one on record, or somebody who has moved on."""
        return all(
            self.quorum_isr <= self.isr_at_start(e) or self.is_blocked(self.isr_at_start(e), e)
            for e in range(self.max_leader_epoch + 1)
            for x in Replica
            if self.is_told(e, x) and self.is_before(e, x)
        )

    @lemma
    def late_leaders_will_be_blocked(self) -> bool:
        """Every later leader is in the ISR sent to a leader not yet in office, unless somebody there has moved on."""
        return all(
            y in self.isr_at_start(e) or self.is_blocked(self.isr_at_start(e), e)
            for e in range(self.max_leader_epoch + 1)
            for x in Replica
            if self.is_told(e, x) and self.is_before(e, x)
            for later in range(self.max_leader_epoch + 1)
            if later > e
            for y in Replica
            if self.is_told(later, y)
        )

    @lemma
    def later_isrs_are_in_a_zombie_s(self) -> bool:
        """Every later epoch began with members of a leader's ISR, unless somebody there has moved on already."""
        return all(
            y in self.isr[z] or self.is_blocked(self.isr[z], self.epoch_of(z))
            for z in Replica
            if self.presumes_leadership(z)
            for e in range(self.max_leader_epoch + 1)
            if e > self.epoch_of(z)
            for y in self.isr_at_start(e)
        )

    @lemma
    def later_isrs_are_in_a_late_leader_s(self) -> bool:
        """Every later epoch began with members of the ISR sent to a leader not yet in office, or somebody moved on."""
        return all(
            y in self.isr_at_start(e) or self.is_blocked(self.isr_at_start(e), e)
            for e in range(self.max_leader_epoch + 1)
            for x in Replica
            if self.is_told(e, x) and self.is_before(e, x)
            for later in range(self.max_leader_epoch + 1)
            if later > e
            for y in self.isr_at_start(later)
        )

    @lemma
    def leaders_lack_only_what_came_later(self) -> bool:
        """Records exposed and not in the log of an epoch's leader were committed in that epoch or a later one."""
        return all(
            self.holds_exposed(x, r) or self.was_committed_since(e, r)
            for e in range(self.max_leader_epoch + 1)
            for x in Replica
            if self.is_told(e, x) and not self.is_beyond(e, x)
            for r in Replica
        )

    @lemma
    def epochs_begin_with_the_exposed(self) -> bool:
        """Members of the ISR when an epoch began have all that replicas of earlier epochs knew to be committed."""
        return all(
            self.holds_exposed(y, r)
            for e in range(self.max_leader_epoch + 1)
            for y in self.isr_at_start(e)
            for r in Replica
            if self.is_before(e, r)
        )

    def holds_exposed(self, replica: Replica, other: Replica) -> bool:
        """Whether a replica has what another knows to be committed."""
        return self.log[replica][: self.hw[other]] == self.log[other][: self.hw[other]]

    def was_committed_since(self, epoch: Epoch, knower: Replica) -> bool:
        """Whether there may have been a commit in an epoch or a later one, no later than a replica's own."""
        return any(
            epoch <= c and not self.is_before(c, knower) and self.is_settled(c)
            for c in range(self.max_leader_epoch + 1)
        )

    def is_settled(self, epoch: Epoch) -> bool:
        """Whether all whom anybody counts since an epoch, or will, have heeded its request: as if it has committed."""
        return (
            self.requests[epoch] is not None
            and all(not self.is_before(epoch, x) for x in Replica if self.is_told(epoch, x))
            and all(not self.is_before(epoch, q) for q in self.quorum_isr)
            and all(
                not self.is_before(epoch, y)
                for e in range(self.max_leader_epoch + 1)
                if e > epoch
                for y in self.isr_at_start(e)
            )
            and all(
                not self.is_before(epoch, y)
                for z in Replica
                if self.presumes_leadership(z) and self.epoch_of(z) >= epoch
                for y in self.isr[z]
            )
        )

    def is_beyond(self, epoch: Epoch, replica: Replica) -> bool:
        """Whether a replica has heeded a later request."""
        known = self.leader_epoch[replica]
        return known is not None and known > epoch

    def is_blocked(self, isr: frozenset[Replica], epoch: Epoch) -> bool:
        """Whether somebody in an ISR has heeded a later request."""
        return any(not self.is_before(epoch, r) and self.leader_epoch[r] != epoch for r in isr)

    def is_before(self, epoch: Epoch, replica: Replica) -> bool:
        """Whether a replica has not heeded the request of an epoch, nor a later one."""
        known = self.leader_epoch[replica]
        return known is None or known < epoch

    def names_a_member(self, request: LeaderAndIsr | None) -> bool:
        """Whether a request, if it names a leader, names one of its ISR."""
        return request is None or request.leader is None or request.leader in request.isr

    def knows_a_begun_epoch(self, replica: Replica) -> bool:
        """Whether a replica's epoch has begun; without one it follows nobody."""
        known = self.leader_epoch[replica]
        return self.leader[replica] is None if known is None else known < self.next_leader_epoch
