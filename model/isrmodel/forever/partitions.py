"""A partition with changing leaders for ever, under each admission policy, with truncation as in KIP-320.

Read `partition/protocol.py` first. With `recounted`, writes of the partition's record are counted anew after every
step, so that the ISR changes for ever; with `endless`, a record that everybody has is forgotten, so that producers
append for ever. Elections have their bound all the same.
"""

from isrcheck import (
    Taken,
    Temporal,
    applies,
    canonical,
    constant,
    eventually_always,
    fairness,
    leads_to,
    require,
    temporal,
)
from isrmodel.partition.admission import (
    Kafka4485Merged,
    Kafka4485Text,
    Kafka7152,
    Kip16Merged,
    MaxMessages,
    StrictMinIsr,
)
from isrmodel.partition.partition import Partition
from isrmodel.partition.protocol import Lag, LeaderAndIsr
from isrmodel.partition.truncation import ByLeaderEpoch
from isrmodel.vocabulary import Offset, Replica, Version


class PartitionForever(Partition):
    """The complaints about what never comes, asked across changes of leader."""

    recounted: bool = constant(
        False, "a write of the partition's record is the newest or is not, so that none is the last"
    )
    endless: bool = constant(
        False, "offsets begin at the first that some replica lacks; max_records bounds how far a log is ahead of it"
    )

    keeps_pace: bool = constant(False, "each follower that its leader serves fetches once between two ticks")

    fetched: frozenset[Replica] = frozenset()  # since the last tick; asked of followers that keep a pace
    removed: frozenset[Replica] = frozenset()  # by the expiration task, since the last tick; likewise

    # Who goes on

    @fairness
    def brokers_go_on(self, taken: Taken) -> bool:
        """Brokers heed the controller's requests, time passes, and the expiration task runs."""
        heeds = taken.action == "replica_becomes_leader" or taken.action == "replica_becomes_follower"
        runs = taken.action == "leader_shrinks_isr" or taken.action == "leader_commits_with_time"
        return heeds or runs or taken.action == "tick"

    @fairness
    def followers_alive(self, taken: Taken) -> bool:
        """Every follower fetches again and again, and is answered."""
        return taken.action == "follower_fetches"

    # What comes

    @temporal
    def eligible_leads(self) -> Temporal:
        """Whom the controller chose from the ISR takes office, unless it chooses another (KIP-966)."""
        return all(leads_to(self.is_chosen(r), not self.is_chosen(r)) for r in Replica)

    @temporal
    def no_flapping(self) -> Temporal:
        """No follower that keeps its pace is removed and comes back again and again (KAFKA-4485, KAFKA-19996).

        Elections have their bound, so whom the expiration task removes infinitely often comes back infinitely often.
        Asked with `brokers_go_on` and `followers_alive`: without them a behaviour may stop after a removal.
        """
        return all(eventually_always(r not in self.removed) for r in Replica)

    @temporal
    def dead_leaves(self) -> Temporal:
        """A member of the ISR that lacks a record, and never again receives one, leaves it (KIP-16 scenario 2)."""
        return all(leads_to(self.lacks_records(r), not self.lacks_records(r)) for r in Replica)

    @temporal
    def caught_up_returns(self) -> Temporal:
        """A follower outside the ISR that has all that the leader has comes back (KIP-16 scenario 3)."""
        return all(leads_to(self.waits_outside(r), not self.waits_outside(r)) for r in Replica)

    @temporal
    def no_stall(self) -> Temporal:
        """Every record that the whole ISR has is committed, without a further append (KAFKA-13091, the idle stall)."""
        return all(leads_to(self.is_stalled(r), not self.is_stalled(r)) for r in Replica)

    @temporal
    def writes_end(self) -> Temporal:
        """A record of the leader on record is committed, or the ISR is below min.insync.replicas, or another leads."""
        return all(leads_to(self.awaits(r, n), not self.awaits(r, n)) for r in Replica for n in range(self.max_records))

    # Where they are asked

    @applies("no_flapping")
    def followers_keep_a_pace(self) -> bool:
        """A follower that is late is meant to leave: asked with keeps_pace=true."""
        return self.keeps_pace

    @applies("writes_end", "marks_move_in_every_epoch")
    def records_are_numbered(self) -> bool:
        """Records have numbers only with endless=false."""
        return not self.endless

    @applies("hw_never_decreases", "no_bad_expand", "new_leader_spares_isr", "someone_joins")
    def numbers_stay(self) -> bool:
        """A number is not the same before and after a step with recounted=true or endless=true."""
        return not (self.recounted or self.endless)

    # What they look at

    def is_chosen(self, leader: Replica) -> bool:
        """Whether a replica leads on record, and does not know it."""
        return self.quorum_leader == leader and not self.is_true_leader(leader)

    def lacks_records(self, follower: Replica) -> bool:
        """Whether the leader on record has a follower in the ISR that lacks one of its records."""
        return any(
            self.is_true_leader(leader)
            and follower in self.isr[leader]
            and len(self.log[follower]) < len(self.log[leader])
            for leader in Replica
            if leader != follower
        )

    def waits_outside(self, follower: Replica) -> bool:
        """Whether a follower outside the ISR follows the leader on record and has all that it has."""
        return follower not in self.quorum_isr and any(
            self.is_true_leader(leader)
            and self.is_served(follower, leader)
            and len(self.log[follower]) == len(self.log[leader])
            for leader in Replica
        )

    def is_stalled(self, leader: Replica) -> bool:
        """Whether the leader on record has not committed what its whole ISR has."""
        end = len(self.log[leader])
        everywhere = all(len(self.log[r]) == end for r in self.quorum_isr)
        return self.is_true_leader(leader) and self.may_commit(leader) and everywhere and self.hw[leader] < end

    def awaits(self, leader: Replica, offset: Offset) -> bool:
        """Whether the leader on record has a record that is not committed, and does not refuse it."""
        may_wait = self.is_true_leader(leader) and self.may_commit(leader)
        return may_wait and self.hw[leader] <= offset and offset < len(self.log[leader])

    # At which pace

    def note_tick(self) -> None:
        """Time does not pass before everybody whom a leader serves has fetched."""
        require(not self.keeps_pace or all(r in self.fetched or not self.is_somebodys(r) for r in Replica))
        self.fetched = frozenset()
        self.removed = frozenset()

    def note_fetch(self, follower: Replica) -> None:
        """One fetch a tick."""
        require(not self.keeps_pace or follower not in self.fetched)
        if self.keeps_pace:
            self.fetched |= {follower}

    def note_removal(self, leaving: frozenset[Replica]) -> None:
        """Remember the removal until the next tick."""
        if self.keeps_pace:
            self.removed |= leaving

    def is_somebodys(self, follower: Replica) -> bool:
        """Whether some leader serves a follower."""
        return any(self.is_served(follower, leader) for leader in Replica)

    # How it is counted

    @canonical
    def renumber(self) -> None:
        """Count offsets from the first that a replica does not know to be committed; a version is the newest or not."""
        if self.endless:
            least = self.offset_forgotten()
            self.log = {r: self.log[r][least:] for r in Replica}
            self.hw = {r: self.hw[r] - least for r in Replica}
            self.committed = self.committed[least:]
            self.lag = {r: {f: shift(self.lag[r][f], least) for f in Replica} for r in Replica}
        if self.recounted:
            self.version = {r: self.newest(self.version[r]) for r in Replica}
            self.requests = {e: self.anew(self.requests[e]) for e in range(self.leader_epochs + 1)}
            self.quorum_version = 1

    def offset_forgotten(self) -> Offset:
        """How many records everybody has, knows to be committed, and has told of."""
        return max(n for n in range(self.max_records + 1) if all(self.knows(r, n) for r in Replica))

    def knows(self, replica: Replica, end: Offset) -> bool:
        """Whether nothing that a replica does will read what is below an offset."""
        is_known = all(self.lag[replica][f].fetched_to is None or self.fetch_offset(replica, f) >= end for f in Replica)
        same = all(self.log[r][:end] == self.log[replica][:end] for r in Replica)
        return is_known and same and self.hw[replica] >= end

    def newest(self, version: Version) -> Version:
        """1 for the version on record, 0 for one that no write can find there any more."""
        return 1 if version == self.quorum_version else 0

    def anew(self, request: LeaderAndIsr | None) -> LeaderAndIsr | None:
        """A request of the controller, with its version counted anew."""
        return None if request is None else LeaderAndIsr(request.leader, request.isr, self.newest(request.version))


def shift(lag: Lag, least: Offset) -> Lag:
    """Count the offsets of a lag from another beginning."""
    fetched = None if lag.fetched_to is None else lag.fetched_to - least
    then = None if lag.leo_then is None else max(lag.leo_then, least) - least
    return lag._replace(fetched_to=fetched, leo_then=then)


class MaxMessagesPartitionForever(MaxMessages, ByLeaderEpoch, PartitionForever):
    """Admission as in Kafka 0.8, for ever."""


class Kip16PartitionForever(Kip16Merged, ByLeaderEpoch, PartitionForever):
    """Admission as in Kafka 0.9 to 0.10.1, for ever."""


class Kafka4485TextPartitionForever(Kafka4485Text, ByLeaderEpoch, PartitionForever):
    """Admission by the definitions of KAFKA-4485, for ever."""


class Kafka4485MergedPartitionForever(Kafka4485Merged, ByLeaderEpoch, PartitionForever):
    """Admission as in Kafka 0.10.2, for ever."""


class Kafka7152PartitionForever(Kafka7152, ByLeaderEpoch, PartitionForever):
    """Kafka 2.1, for ever."""


class StrictMinIsrPartitionForever(StrictMinIsr, ByLeaderEpoch, PartitionForever):
    """Admission as in Kafka 3.7, for ever."""


PARTITIONS_FOREVER: dict[str, type[PartitionForever]] = {
    "forever-partition-max-messages": MaxMessagesPartitionForever,
    "forever-partition-kip-16-merged": Kip16PartitionForever,
    "forever-partition-kafka-4485-v2": Kafka4485TextPartitionForever,
    "forever-partition-kafka-4485-merged": Kafka4485MergedPartitionForever,
    "forever-partition-kafka-7152": Kafka7152PartitionForever,
    "forever-partition-strict-min-isr": StrictMinIsrPartitionForever,
}
