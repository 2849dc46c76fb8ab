"""One Kafka partition whose leaders keep the lag of their followers: admission to the ISR across changes of leader.

Time is a common tick. The record that the controller elects from is durable and changes by conditional writes, a
leader's copy of it only with them; requests of the controller may be late or overtaken. A fetch is one step from
request to response, and a record is known by its offset and the epoch of the leader that wrote it. Restarts, unclean
election, partitions without a leader and fetches beyond the leader's log end are not part of it.
"""

from typing import Annotated, NamedTuple

from isrcheck import Model, UpTo, action, constant, each, history, members, policy, require
from isrmodel.partition.drawing import DRAWING
from isrmodel.vocabulary import Age, FetchSize, Offset, Replica, Version

Epoch = Annotated[int, UpTo("leader_epochs")]  # counted from 1; 0 before the first
Log = Annotated[tuple[Epoch, ...], UpTo("max_records")]  # of each record, the epoch of the leader that wrote it


class LeaderAndIsr(NamedTuple):
    """The controller's request to the replicas when an epoch begins: the partition's record as it then is."""

    leader: Replica
    isr: frozenset[Replica]
    version: Version


class Lag(NamedTuple):
    """A leader's knowledge of a follower. None: unknown, never, or not kept in this version of Kafka."""

    fetched_to: Offset | None  # the offset of its last fetch
    caught_up: Age | None  # since it last had all that the leader had
    fetched: Age | None  # since its last fetch
    leo_then: Offset | None  # the leader's log end at its last fetch


class Protocol(Model):
    """The protocol. A variant fills two groups of policies: who is admitted to the ISR, and what is truncated.

    A file of `admission` fills the first group and a file of `truncation` the second; any two make a model.
    """

    drawing = DRAWING

    replicas: int = constant(2, "brokers that hold the partition", at_least=1)
    max_records: int = constant(2, "records that a log may hold")
    leader_epochs: int = constant(2, "leader epochs that may begin")
    max_version: int = constant(4, "writes of the partition's record, elections included")
    lag_time_max: int = constant(
        2, "T: replica.lag.time.max.ms, in ticks", at_least=1, setting="replica.lag.time.max.ms", measure="ticks"
    )
    fetch_size: FetchSize = constant(FetchSize.ALL, "all: a fetch brings all there is; one: a single record")
    same_leader_cuts: bool = constant(
        True, "a follower also truncates in an epoch that its leader already led; not so up to Kafka 2.0 (KAFKA-7164)"
    )

    # What each replica holds, and what the last request that it heeded told it.
    log: dict[Replica, Log] = each(Replica, ())
    hw: dict[Replica, Offset] = each(Replica, 0)  # the records below it are known to be committed
    leader_epoch: dict[Replica, Epoch] = each(Replica, 0)
    leader: dict[Replica, Replica | None] = each(Replica, None)  # a leader follows itself

    # What a leader keeps besides: its copy of the record, and the lag of each follower.
    isr: dict[Replica, frozenset[Replica]] = each(Replica, frozenset())
    version: dict[Replica, Version] = each(Replica, 0)
    lag: dict[Replica, dict[Replica, Lag]] = each(Replica, each(Replica, Lag(None, None, None, None)))

    # The partition's record, and what the controller has sent when each epoch began.
    quorum_epoch: Epoch = 0
    quorum_leader: Replica | None = None
    quorum_isr: frozenset[Replica] = members(Replica)
    quorum_version: Version = 0
    requests: dict[Epoch, LeaderAndIsr | None] = each(Epoch, None)

    committed: Log = history(())  # the most that was ever below a leader's high watermark

    # Decisions on admission

    @policy
    def lag_at_epoch(self, lag: Lag, in_isr: bool, log_end: Offset, is_new: bool) -> Lag:
        """The lag of a follower as the leader of a new epoch takes it; is_new: it did not lead just before."""
        raise NotImplementedError

    @policy
    def lag_at_resignation(self, lag: Lag) -> Lag:
        """The lag of another that a replica remembers when it is told to follow."""
        raise NotImplementedError

    @policy
    def lag_after_fetch(self, lag: Lag, offset: Offset, log_end: Offset) -> Lag:
        """A follower's lag once a fetch at an offset was served, with the leader's log end from before the read."""
        raise NotImplementedError

    @policy
    def must_leave(self, leader: Replica, follower: Replica) -> bool:
        """Whether the expiration task removes a follower from the ISR."""
        raise NotImplementedError

    @policy
    def may_join(self, leader: Replica, follower: Replica) -> bool:
        """Whether a follower outside the ISR is added to it when it fetches."""
        raise NotImplementedError

    @policy
    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """Whether the high watermark waits for a follower."""
        raise NotImplementedError

    @policy
    def may_commit(self, leader: Replica) -> bool:
        """Whether the high watermark may move at all."""
        raise NotImplementedError

    @policy
    def fetch_commits(self, is_news: bool, joins: bool) -> bool:
        """Whether a fetch recomputes the high watermark, if it told a new log end offset, or admitted the follower."""
        return True

    @policy
    def time_commits(self) -> bool:
        """Whether the high watermark is also recomputed when nothing but time has passed."""
        raise NotImplementedError

    # What else a model keeps an account of: nothing

    @policy
    def note_tick(self) -> None:
        """Note the time that passes."""

    @policy
    def note_fetch(self, follower: Replica) -> None:
        """Note a fetch that was answered."""

    @policy
    def note_removal(self, leaving: frozenset[Replica]) -> None:
        """Note followers that the expiration task removes."""

    # Decisions on truncation

    @policy
    def may_follow(self, follower: Replica, leader: Replica, epoch: Epoch) -> bool:
        """Whether a replica told of a leader can begin to follow it, with the leader as it is now."""
        raise NotImplementedError

    @policy
    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """How much of its log a replica keeps when it begins to follow a leader."""
        raise NotImplementedError

    @policy
    def answers(self, leader: Replica, follower: Replica) -> bool:
        """Whether a leader answers the fetch of a follower."""
        raise NotImplementedError

    # The controller, and time

    @action(sentence="the controller elects {chosen} from the ISR")
    def controller_elects_leader(self, chosen: Replica) -> None:
        """The controller hands leadership to another in-sync replica, to begin with or to balance the load."""
        require(chosen in self.quorum_isr)
        require(self.quorum_leader != chosen)
        self.begin_epoch(chosen, self.quorum_isr)

    @action(fault=True, sentence="the controller takes the leader for dead and elects {chosen} from the ISR")
    def controller_takes_leader_for_dead(self, chosen: Replica) -> None:
        """The controller elects another in-sync replica and removes the leader from the ISR; it may well be alive."""
        require(chosen in self.quorum_isr)
        require(self.quorum_leader is not None and self.quorum_leader != chosen)
        self.begin_epoch(chosen, frozenset(r for r in self.quorum_isr if r != self.quorum_leader))

    @action(fault=True, sentence="the controller takes {follower} for dead")
    def controller_takes_follower_for_dead(self, follower: Replica, leader: Replica) -> None:
        """The controller removes a follower from the ISR, which begins an epoch too; it may well be alive."""
        require(self.quorum_leader == leader)
        require(follower in self.quorum_isr and follower != leader)
        self.begin_epoch(leader, self.quorum_isr - {follower})

    @action(sentence="time passes")
    def tick(self) -> None:
        """Time passes, and all that leaders know of their followers grows older."""
        self.lag = {leader: {f: self.older(self.lag[leader][f]) for f in Replica} for leader in Replica}
        self.note_tick()

    # Leaders

    @action(sentence="{leader} learns that it leads in epoch {epoch}")
    def replica_becomes_leader(self, leader: Replica, epoch: Epoch) -> None:
        """A replica learns that it leads. Its high watermark is as old as its last fetch."""
        require(self.is_told(epoch, leader))
        require(self.leader_epoch[leader] < epoch)
        is_new = not self.presumes_leadership(leader)
        self.leader_epoch[leader] = epoch
        self.leader[leader] = leader
        self.isr[leader] = self.isr_at_start(epoch)
        self.version[leader] = self.version_at_start(epoch)
        self.lag[leader] = {
            f: self.lag_at_epoch(self.lag[leader][f], f in self.isr[leader], len(self.log[leader]), is_new)
            if f != leader
            else unknown()
            for f in Replica
        }
        self.move_high_watermark(leader)

    @action(sentence="{leader} appends a record")
    def leader_writes(self, leader: Replica) -> None:
        """A presumed leader takes a producer's record; a zombie's writes are left to replication to reject."""
        require(self.presumes_leadership(leader))
        self.log[leader] += (self.leader_epoch[leader],)
        self.move_high_watermark(leader)

    @action(internal=True, sentence="{leader} drops those who are late from the ISR")
    def leader_shrinks_isr(self, leader: Replica) -> None:
        """The expiration task removes all that must leave, in one write; it may run at any time."""
        require(self.presumes_leadership(leader))
        leaving = frozenset(f for f in self.isr[leader] if f != leader and self.must_leave(leader, f))
        require(leaving != frozenset())
        require(self.is_up_to_date(leader))
        self.write_isr(leader, self.isr[leader] - leaving)
        self.move_high_watermark(leader)
        self.note_removal(leaving)

    @action(internal=True, sentence="{leader} computes its high watermark again")
    def leader_commits_with_time(self, leader: Replica) -> None:
        """A leader recomputes its high watermark, though no fetch, write or change of the ISR asks for it."""
        require(self.presumes_leadership(leader))
        require(self.time_commits())
        self.move_high_watermark(leader)

    # Followers

    @action(sentence="{follower} learns that it follows {leader} in epoch {epoch}")
    def replica_becomes_follower(self, follower: Replica, leader: Replica, epoch: Epoch) -> None:
        """A replica learns of a newer leader and cuts its log to fit."""
        require(follower != leader)
        require(self.is_told(epoch, leader))
        require(self.leader_epoch[follower] < epoch)
        require(self.may_follow(follower, leader, epoch))
        if self.same_leader_cuts or self.leader[follower] != leader:
            self.truncate(follower, self.truncation_point(follower, leader))
        self.leader_epoch[follower] = epoch
        self.leader[follower] = leader
        self.isr[follower] = frozenset()
        self.version[follower] = 0
        self.lag[follower] = {
            f: self.lag_at_resignation(self.lag[follower][f]) if f != follower else unknown() for f in Replica
        }

    @action(sentence="{follower} fetches from {leader} at offset {log[follower].end}")
    def follower_fetches(self, follower: Replica, leader: Replica) -> None:
        """A fetch, request and response: what the leader has after the follower's log end, and its high watermark."""
        require(self.is_served(follower, leader))
        offset = len(self.log[follower])
        self.serve(leader, follower)
        self.log[follower] += (
            self.log[leader][offset:] if self.fetch_size == FetchSize.ALL else self.log[leader][offset : offset + 1]
        )
        self.hw[follower] = min(self.hw[leader], len(self.log[follower]))
        self.note_fetch(follower)

    @action(
        fault=True, sentence="{follower} fetches from {leader} at offset {log[follower].end}, and the response is lost"
    )
    def response_is_lost(self, follower: Replica, leader: Replica) -> None:
        """A fetch that the leader has served, and of which the follower never hears."""
        require(self.is_served(follower, leader))
        self.serve(leader, follower)

    # Who knows what

    def presumes_leadership(self, replica: Replica) -> bool:
        """Whether a replica takes itself for the leader, rightly or as a zombie."""
        return self.leader[replica] == replica

    def is_true_leader(self, leader: Replica) -> bool:
        """Whether a replica leads in the epoch on record."""
        return self.presumes_leadership(leader) and self.leader_epoch[leader] == self.quorum_epoch

    def is_up_to_date(self, leader: Replica) -> bool:
        """Whether the record is as the leader last saw it, so that its conditional write succeeds."""
        return self.version[leader] == self.quorum_version

    def is_served(self, follower: Replica, leader: Replica) -> bool:
        """Whether a follower's fetch reaches its leader, within the leader's log."""
        return (
            follower != leader
            and self.presumes_leadership(leader)
            and self.leader[follower] == leader
            and self.answers(leader, follower)
            and len(self.log[follower]) <= len(self.log[leader])
        )

    def is_told(self, epoch: Epoch, leader: Replica) -> bool:
        """Whether the controller has sent a request that makes this replica the leader of an epoch."""
        request = self.requests[epoch]
        return request is not None and request.leader == leader

    def isr_at_start(self, epoch: Epoch) -> frozenset[Replica]:
        """The ISR with which the controller began an epoch."""
        request = self.requests[epoch]
        return frozenset() if request is None else request.isr

    def version_at_start(self, epoch: Epoch) -> Version:
        """The version of the record with which the controller began an epoch."""
        request = self.requests[epoch]
        return 0 if request is None else request.version

    def high_watermark_reached_epoch(self, leader: Replica) -> bool:
        """Whether a leader's high watermark has passed everything that earlier leaders wrote (KAFKA-7128)."""
        hw = self.hw[leader]
        return hw == len(self.log[leader]) or self.log[leader][hw] == self.leader_epoch[leader]

    def fetch_offset(self, leader: Replica, follower: Replica) -> Offset:
        """The offset up to which a leader knows a follower's log to go."""
        offset = self.lag[leader][follower].fetched_to
        return 0 if offset is None else offset

    def has_fetched_to(self, leader: Replica, follower: Replica, offset: Offset) -> bool:
        """Whether a follower has fetched from this leader, at an offset or beyond."""
        return self.lag[leader][follower].fetched_to is not None and self.fetch_offset(leader, follower) >= offset

    def is_too_old(self, age: Age | None) -> bool:
        """Whether something is longer ago than replica.lag.time.max.ms, or never was."""
        return age is None or age > self.lag_time_max

    def high_watermark(self, leader: Replica) -> Offset:
        """The offset that the leader's log and every follower that counts have reached."""
        log_end = len(self.log[leader])
        waiting = min((self.fetch_offset(leader, f) for f in Replica if self.counts(leader, f)), default=log_end)
        return max(self.hw[leader], min(log_end, waiting))

    def counts(self, leader: Replica, follower: Replica) -> bool:
        """Whether the high watermark waits for a replica other than the leader."""
        return follower != leader and self.holds_back(leader, follower)

    def older(self, lag: Lag) -> Lag:
        """A follower's lag a tick later."""
        return lag._replace(caught_up=self.age_after_tick(lag.caught_up), fetched=self.age_after_tick(lag.fetched))

    def age_after_tick(self, age: Age | None) -> Age | None:
        """An age one tick later; beyond the lag time no test tells ages apart, and it stays."""
        return None if age is None else min(age + 1, self.lag_time_max + 1)

    # What they do

    def begin_epoch(self, leader: Replica, isr: frozenset[Replica]) -> None:
        """Every change that the controller makes begins an epoch: it is put on record and sent to the replicas."""
        self.quorum_epoch += 1
        self.quorum_version += 1
        self.quorum_leader = leader
        self.quorum_isr = isr
        self.requests[self.quorum_epoch] = LeaderAndIsr(leader, isr, self.quorum_version)

    def move_high_watermark(self, leader: Replica) -> None:
        """A leader's high watermark moves as far as it may."""
        self.hw[leader] = self.high_watermark(leader) if self.may_commit(leader) else self.hw[leader]
        self.committed = (
            self.log[leader][: self.hw[leader]] if self.hw[leader] > len(self.committed) else self.committed
        )

    def serve(self, leader: Replica, follower: Replica) -> None:
        """A leader notes how far a follower is, admits it to the ISR if it may, and moves its high watermark."""
        offset, log_end = len(self.log[follower]), len(self.log[leader])
        is_news = self.lag[leader][follower].fetched_to != offset
        self.lag[leader][follower] = self.lag_after_fetch(self.lag[leader][follower], offset, log_end)
        joins = follower not in self.isr[leader] and self.may_join(leader, follower) and self.is_up_to_date(leader)
        if joins:
            self.write_isr(leader, self.isr[leader] | {follower})
        if self.fetch_commits(is_news, joins):
            self.move_high_watermark(leader)

    def write_isr(self, leader: Replica, isr: frozenset[Replica]) -> None:
        """The record and the leader's copy of it change together, to the next version."""
        self.quorum_isr = isr
        self.quorum_version += 1
        self.isr[leader] = isr
        self.version[leader] = self.quorum_version

    def truncate(self, replica: Replica, end: Offset) -> None:
        """A replica keeps its records below an offset; its high watermark cannot stay beyond."""
        self.log[replica] = self.log[replica][:end]
        self.hw[replica] = min(self.hw[replica], end)

    # For the drawing

    def list_awaited_outside(self) -> frozenset[Replica]:
        """The followers outside a presumed leader's ISR that its high watermark waits for all the same."""
        leaders = frozenset(r for r in Replica if self.presumes_leadership(r))
        return frozenset(f for r in leaders for f in Replica if f not in self.isr[r] if self.holds_back(r, f))

    def list_passed_over(self) -> frozenset[Replica]:
        """The members of a presumed leader's ISR that its high watermark does not wait for."""
        leaders = frozenset(r for r in Replica if self.presumes_leadership(r))
        return frozenset(f for r in leaders for f in self.isr[r] if f != r if not self.holds_back(r, f))


def unknown() -> Lag:
    """The lag of a follower of which nothing is known."""
    return Lag(None, None, None, None)
