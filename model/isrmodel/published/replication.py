"""One Kafka partition, its replicas and the controller: the protocol that every published design shares.

After the module KafkaReplication of hachikuji/kafka-specification (J. Gustafson), in state and in steps. Requests may
be lost, late, repeated or overtaken; changes of the quorum's record are seen at once by whoever may make them. Crashes
that lose the end of a log, unclean election and acknowledgements to producers are not part of it.
"""

from typing import Annotated, NamedTuple, Self

from isrcheck import (
    Model,
    UpTo,
    action,
    applies,
    constant,
    each,
    invariant,
    members,
    policy,
    reachable,
    require,
    step,
)
from isrmodel.published.drawing import DRAWING
from isrmodel.vocabulary import RecordId, Replica

Offset = Annotated[int, UpTo("log_size")]  # a position in a log; a log's end offset (LEO) is its length
Epoch = Annotated[int, UpTo("max_leader_epoch")]  # the controller begins a new one with every change it makes


class Record(NamedTuple):
    """A producer's record, stamped with the leader epoch of whoever took it."""

    id: RecordId
    epoch: Epoch


Log = Annotated[tuple[Record, ...], UpTo("log_size")]


class LeaderAndIsr(NamedTuple):
    """The controller's request to the replicas when an epoch begins. One without a leader is heeded by nobody."""

    leader: Replica | None
    isr: frozenset[Replica]


class Replication(Model):
    """The protocol. A variant fills its six policies: what to truncate, and what to compare before an exchange."""

    drawing = DRAWING

    replicas: int = constant(3, "brokers that hold the partition", at_least=1)
    log_size: int = constant(1, "records that a log may hold", at_least=1)
    max_records: int = constant(1, "records that producers may write, over all leaders", at_least=1)
    max_leader_epoch: int = constant(1, "the last leader epoch that may begin, counted from 0")
    isr_may_empty: bool = constant(
        True, "the controller may drop the last replica from the ISR of a leaderless partition, as published"
    )

    # What each replica holds, and what the last request that it heeded told it.
    log: dict[Replica, Log] = each(Replica, ())
    hw: dict[Replica, Offset] = each(Replica, 0)  # the records below it are known to be committed
    leader_epoch: dict[Replica, Epoch | None] = each(Replica, None)
    leader: dict[Replica, Replica | None] = each(Replica, None)  # a leader follows itself
    isr: dict[Replica, frozenset[Replica]] = each(Replica, frozenset())

    # What the quorum has on record, and what the controller has sent when each epoch began.
    quorum_epoch: Epoch | None = None
    quorum_leader: Replica | None = None
    quorum_isr: frozenset[Replica] = members(Replica)
    requests: dict[Epoch, LeaderAndIsr | None] = each(Epoch, None)
    next_leader_epoch: Annotated[int, UpTo("max_leader_epoch + 1")] = 0

    next_record_id: Annotated[int, UpTo("max_records")] = 0

    # Decisions

    @policy
    def may_join_isr(self, follower: Replica, leader: Replica) -> bool:
        """Whether a leader may add one of its followers to the ISR."""
        raise NotImplementedError

    @policy
    def keeps_up(self, follower: Replica, leader: Replica) -> bool:
        """Whether a follower has all that its leader has, so that the leader must leave it in the ISR."""
        raise NotImplementedError

    @policy
    def acknowledges(self, follower: Replica, leader: Replica) -> bool:
        """Whether a leader may take a follower in its ISR to hold the record at its high watermark."""
        raise NotImplementedError

    @policy
    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """Whether a replica told of a leader can begin to follow it, with the leader as it is now."""
        raise NotImplementedError

    @policy
    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """How much of its log a replica keeps when it begins to follow a leader."""
        raise NotImplementedError

    @policy
    def may_fetch(self, follower: Replica, leader: Replica) -> bool:
        """Whether a leader answers the fetch of a follower."""
        raise NotImplementedError

    # The controller

    @action(sentence="the controller elects {chosen} from the ISR")
    def controller_elects_leader(self, chosen: Replica) -> None:
        """The controller hands leadership to another in-sync replica, after a failure or to balance the load."""
        require(chosen in self.quorum_isr)
        require(self.quorum_leader != chosen)
        self.controller_begins_epoch(chosen, self.quorum_isr)

    @action(fault=True, sentence="the controller takes {replica} for dead")
    def controller_shrinks_isr(self, replica: Replica) -> None:
        """The controller takes a replica for dead: a leader loses its office, the others their place in the ISR.

        The replica may well be alive and go on as before. A leader that is alone in the ISR stays in it.
        """
        require(self.quorum_leader == replica or replica in self.quorum_isr)
        require(self.isr_may_empty or self.quorum_leader == replica or self.quorum_isr != frozenset({replica}))
        if self.quorum_leader != replica:
            self.controller_begins_epoch(self.quorum_leader, self.quorum_isr - {replica})
        elif self.quorum_isr == frozenset({replica}):
            self.controller_begins_epoch(None, self.quorum_isr)
        else:
            self.controller_begins_epoch(None, self.quorum_isr - {replica})

    # Leaders

    @action(sentence="{leader} learns that it leads in epoch {epoch}")
    def replica_becomes_leader(self, leader: Replica, epoch: Epoch) -> None:
        """A replica learns that it leads. Its high watermark is as old as its last fetch."""
        require(self.is_told(epoch, leader))
        require(self.is_news(epoch, leader))
        self.leader_epoch[leader] = epoch
        self.leader[leader] = leader
        self.isr[leader] = self.isr_at_start(epoch)

    @action(internal=True, sentence="{leader} adds {replica} to the ISR")
    def leader_expands_isr(self, leader: Replica, replica: Replica) -> None:
        """The true leader adds a follower to the ISR."""
        require(self.is_true_leader(leader))
        require(replica not in self.isr[leader])
        require(self.follows(replica, leader))
        require(self.may_join_isr(replica, leader))
        self.leader_writes_isr(leader, self.isr[leader] | {replica})

    @action(internal=True, sentence="{leader} drops {replica} from the ISR")
    def leader_shrinks_isr(self, leader: Replica, replica: Replica) -> None:
        """The true leader drops a replica that does not follow it or has fallen behind, as soon or late as it likes."""
        require(self.is_true_leader(leader))
        require(replica in self.isr[leader] and replica != leader)
        require(not (self.follows(replica, leader) and self.keeps_up(replica, leader)))
        self.leader_writes_isr(leader, self.isr[leader] - {replica})

    @action(sentence="{leader} appends a record")
    def leader_writes(self, leader: Replica) -> None:
        """A presumed leader takes a producer's record; a zombie's writes are left to replication to reject."""
        require(self.presumes_leadership(leader))
        self.log[leader] += (Record(self.next_record_id, self.epoch_of(leader)),)
        self.next_record_id += 1

    @action(
        internal=True,
        sentence="{leader} takes the ISR {isr[leader]} to have the record",
    )
    def leader_advances_high_watermark(self, leader: Replica) -> None:
        """The high watermark passes a record once every member of the leader's own ISR is seen to hold it."""
        require(self.presumes_leadership(leader))
        require(all(self.follows(r, leader) and self.acknowledges(r, leader) for r in self.isr[leader]))
        self.hw[leader] += 1

    # Followers

    @action(sentence="{follower} learns that it follows {leader} in epoch {epoch}")
    def replica_becomes_follower(self, follower: Replica, leader: Replica, epoch: Epoch) -> None:
        """A replica learns of a newer leader and cuts its log to fit."""
        require(follower != leader)
        require(self.is_told(epoch, leader))
        require(self.is_news(epoch, follower))
        require(self.may_follow(follower, leader, epoch))
        self.truncate(follower, self.truncation_point(follower, leader))
        self.leader_epoch[follower] = epoch
        self.leader[follower] = leader
        self.isr[follower] = self.isr_at_start(epoch)

    @action(
        sentence="{follower} in epoch {leader_epoch[follower]} fetches from {leader} in epoch {leader_epoch[leader]}"
    )
    def follower_replicates(self, follower: Replica, leader: Replica) -> None:
        """A follower fetches its next record, and with it the leader's high watermark as far as it has the records."""
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        end = len(self.log[follower])
        require(end < len(self.log[leader]))
        require(self.may_fetch(follower, leader))
        self.log[follower] += (self.log[leader][end],)
        self.hw[follower] = min(self.hw[leader], end + 1)

    # Properties

    @invariant
    def weak_isr(self) -> bool:
        """All that a presumed leader has exposed is on every replica in the ISR that it knows of (KIP-101)."""
        return all(
            self.log[r][: self.hw[leader]] == self.log[leader][: self.hw[leader]]
            for leader in Replica
            if self.presumes_leadership(leader)
            for r in self.isr[leader]
        )

    @invariant
    def strong_isr(self) -> bool:
        """All that a presumed leader has exposed is on every replica that may be elected next (KIP-320)."""
        return all(
            self.log[r][: self.hw[leader]] == self.log[leader][: self.hw[leader]]
            for leader in Replica
            if self.presumes_leadership(leader)
            for r in self.quorum_isr
        )

    @invariant
    def leader_in_isr(self) -> bool:
        """The leader on the quorum's record is a member of the ISR on record (KIP-497)."""
        return self.quorum_leader is None or self.quorum_leader in self.quorum_isr

    @invariant
    def log_matching(self) -> bool:
        """Two replicas hold the same records up to the lesser of their high watermarks (KIP-101's second scenario)."""
        return all(
            self.log[one][: min(self.hw[one], self.hw[other])] == self.log[other][: min(self.hw[one], self.hw[other])]
            for one in Replica
            for other in Replica
        )

    @invariant
    def isr_never_empty(self) -> bool:
        """The ISR on record has a member, so that somebody can be elected who has all that was exposed."""
        return self.quorum_isr != frozenset()

    @applies("isr_never_empty")
    def last_member_stays(self) -> bool:
        """The controller may drop the last replica of a leaderless partition, as published (isr_may_empty=true)."""
        return not self.isr_may_empty

    @step
    def keep_up_stays(self, before: Self) -> bool:
        """A leader leaves in the ISR whoever is in its epoch and has its whole log (compare KAFKA-4485, problem 2)."""
        return all(
            follower in self.quorum_isr
            for leader in Replica
            if before.is_true_leader(leader) and self.quorum_epoch == before.quorum_epoch
            for follower in before.quorum_isr
            if before.shares_epoch(follower, leader) and before.log[follower] == before.log[leader]
        )

    @reachable
    def something_commits(self) -> bool:
        """Some replica knows of a committed record."""
        return any(self.hw[r] > 0 for r in Replica)

    @reachable
    def a_later_epoch_commits(self) -> bool:
        """A leader's high watermark passes a record written after a change of epoch."""
        return any(
            record.epoch > 0
            for leader in Replica
            if self.presumes_leadership(leader)
            for record in self.log[leader][: self.hw[leader]]
        )

    @reachable
    def something_is_truncated(self) -> bool:
        """A record that was written is in no log any more."""
        return any(
            all(record.id != written for r in Replica for record in self.log[r])
            for written in range(self.next_record_id)
        )

    @reachable
    def a_leader_shrinks_the_isr(self) -> bool:
        """The ISR on record lacks a replica that it had when the current epoch began."""
        return any(
            self.quorum_isr < self.isr_at_start(e) for e in range(self.next_leader_epoch) if e == self.quorum_epoch
        )

    @reachable
    def a_replica_rejoins_the_isr(self) -> bool:
        """The ISR on record has a replica that it lacked when the current epoch began."""
        return any(
            self.isr_at_start(e) < self.quorum_isr for e in range(self.next_leader_epoch) if e == self.quorum_epoch
        )

    # Who knows what

    def presumes_leadership(self, replica: Replica) -> bool:
        """Whether a replica takes itself for the leader, rightly or as a zombie."""
        return self.leader[replica] == replica

    def follows(self, follower: Replica, leader: Replica) -> bool:
        """Whether a replica takes this one for its leader, in whatever epoch."""
        return self.leader[follower] == leader

    def shares_epoch(self, follower: Replica, leader: Replica) -> bool:
        """Whether two replicas have last heeded requests of the same epoch (KIP-320)."""
        return self.leader_epoch[follower] == self.leader_epoch[leader]

    def is_true_leader(self, leader: Replica) -> bool:
        """Whether the quorum, too, has a replica on record as the leader in the epoch that it believes in."""
        return (
            self.quorum_leader == leader
            and self.presumes_leadership(leader)
            and self.leader_epoch[leader] == self.quorum_epoch
        )

    def is_told(self, epoch: Epoch, leader: Replica) -> bool:
        """Whether the controller has sent a request that makes this replica the leader of an epoch."""
        request = self.requests[epoch]
        return request is not None and request.leader == leader

    def isr_at_start(self, epoch: Epoch) -> frozenset[Replica]:
        """The ISR with which the controller began an epoch."""
        request = self.requests[epoch]
        return frozenset() if request is None else request.isr

    def is_news(self, epoch: Epoch, replica: Replica) -> bool:
        """Whether a request is of a later epoch than any that the replica has heeded."""
        known = self.leader_epoch[replica]
        return known is None or known < epoch

    def epoch_of(self, leader: Replica) -> Epoch:
        """The epoch in which a replica takes itself for the leader; it has one, or it would not."""
        known = self.leader_epoch[leader]
        return 0 if known is None else known

    def high_watermark_reached_epoch(self, leader: Replica) -> bool:
        """Whether a leader's high watermark has passed everything that earlier leaders wrote (KAFKA-7128)."""
        hw = self.hw[leader]
        return hw == len(self.log[leader]) or self.log[leader][hw].epoch == self.leader_epoch[leader]

    # What they do

    def controller_begins_epoch(self, leader: Replica | None, isr: frozenset[Replica]) -> None:
        """Every change that the controller makes begins an epoch: it is put on record and sent to the replicas."""
        self.requests[self.next_leader_epoch] = LeaderAndIsr(leader, isr)
        self.quorum_epoch = self.next_leader_epoch
        self.quorum_leader = leader
        self.quorum_isr = isr
        self.next_leader_epoch += 1

    def leader_writes_isr(self, leader: Replica, isr: frozenset[Replica]) -> None:
        """A leader's ISR and the one on record change together."""
        self.quorum_isr = isr
        self.isr[leader] = isr

    def truncate(self, replica: Replica, end: Offset) -> None:
        """A replica keeps its records below an offset; its high watermark cannot stay beyond."""
        self.log[replica] = self.log[replica][:end]
        self.hw[replica] = min(self.hw[replica], end)

    # For the drawing

    def odd_id(self) -> RecordId | None:
        """The id of the newest record, where it is not its offset."""
        newest = self.next_record_id - 1
        is_odd = any(self.log[r][o].id == newest and newest != o for r in Replica for o in range(len(self.log[r])))
        return newest if is_odd else None

    def list_continued_apart(self) -> frozenset[Replica]:
        """The followers whose last record their leader has too, in whatever epoch, though the logs differ before it."""
        return frozenset(f for r in Replica for f in Replica if self.continues_apart(f, r))

    def list_agreeing_at_end(self) -> frozenset[Replica]:
        """The followers of the leader's epoch whose last record it has too, though the logs differ before it."""
        return frozenset(f for r in Replica for f in Replica if self.continues_apart(f, r) if self.shares_epoch(f, r))

    def continues_apart(self, follower: Replica, leader: Replica) -> bool:
        """Whether both logs have the follower's last record, and differ before it."""
        mine, theirs = self.log[follower], self.log[leader]
        return (
            follower != leader
            and self.presumes_leadership(leader)
            and self.follows(follower, leader)
            and len(mine) == end_of_agreement(mine, theirs)
            and mine != theirs[: len(mine)]
        )


def end_of_agreement(mine: Log, theirs: Log) -> Offset:
    """The offset after the last record that two logs have in the same place (KIP-279)."""
    return max((o + 1 for o in range(len(mine)) if o < len(theirs) and mine[o] == theirs[o]), default=0)
