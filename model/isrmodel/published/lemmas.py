"""What is true of every published design whatever its decisions are: offsets, offices and epochs. For proofs."""

from isrcheck import lemma
from isrmodel.published.replication import LeaderAndIsr, Replica, Replication


class Lemmas(Replication):
    """Auxiliary invariants. They carry `leader_in_isr`; for `strong_isr` they are not enough (`docs/proofs.md`)."""

    @lemma
    def hw_within_log(self) -> bool:
        """Nobody's high watermark is beyond its log: it follows the log on truncation and on every fetch."""
        return all(self.hw[r] <= len(self.log[r]) for r in Replica)

    @lemma
    def leaders_count_themselves(self) -> bool:
        """Whoever takes itself for the leader is a member of the ISR that it reckons with."""
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

    def names_a_member(self, request: LeaderAndIsr | None) -> bool:
        """Whether a request, if it names a leader, names one of its ISR."""
        return request is None or request.leader is None or request.leader in request.isr

    def knows_a_begun_epoch(self, replica: Replica) -> bool:
        """Whether a replica's epoch has begun; without one it follows nobody."""
        known = self.leader_epoch[replica]
        return self.leader[replica] is None if known is None else known < self.next_leader_epoch
