"""The controller: who is fenced, who leads, what the ISR is (`ReplicationControlManager`, `PartitionChangeBuilder`).

Where several brokers may be elected, Kafka takes the first in assignment order; here any of them may be.
"""

from typing import Annotated

from isrcheck import UpTo, action, constant, policy, require
from isrmodel.kraft.assignment import Assignment
from isrmodel.kraft.kafka_12686 import Kafka12686
from isrmodel.kraft.kafka_15021 import Kafka15021
from isrmodel.kraft.kafka_18138 import Kafka18138
from isrmodel.kraft.kafka_20961 import Kafka20961
from isrmodel.kraft.kip_841 import Kip841
from isrmodel.kraft.kip_858 import Kip858
from isrmodel.kraft.kip_903 import Kip903
from isrmodel.kraft.kip_966 import Kip966
from isrmodel.kraft.kip_966_recovery import Kip966Recovery
from isrmodel.kraft.state import Image
from isrmodel.vocabulary import Replica


class Controller(
    Assignment, Kip841, Kip858, Kip903, Kafka12686, Kafka15021, Kafka18138, Kafka20961, Kip966, Kip966Recovery
):
    """The controller's steps, each of which writes one metadata record at most."""

    fences: int = constant(1, "brokers that the controller takes for dead although they are up")
    elections: int = constant(0, "leaders that are moved by plan (preferred leader election)")
    clean_stops: int = constant(0, "brokers that are shut down and flush their logs")
    rolling: bool = constant(
        False, "a rolling restart: a broker is shut down by plan only while all others are in sync"
    )
    unclean: bool = constant(False, "unclean.leader.election.enable: any live replica may lead if nobody else can")
    heeds_unclean: bool = constant(True, "KAFKA-12670: the controller heeds unclean.leader.election.enable")
    spare_last: bool = constant(
        False, "the ISR's last member never lost power (AvoidLastReplicaStanding, as published)"
    )

    unfence_expands: bool = constant(False, "who is unfenced is in the ISR at once (Inkless before its PR 754)")
    registers_early: bool = constant(
        False, "a broker whose session is over may register before the controller has fenced it"
    )
    unclean_settles: bool = constant(
        True,
        "KAFKA-18106: who registers after an unclean stop leaves ISR and ELR by an ordinary change of the partition",
    )

    fenced_so_far: Annotated[int, UpTo("fences")] = 0
    elected_so_far: Annotated[int, UpTo("elections")] = 0
    stopped_so_far: Annotated[int, UpTo("clean_stops")] = 0

    @action(sentence="the partition is created")
    def begin(self, leader: Replica, left_out: Replica) -> None:
        """The partition is created: its first leader, and an ISR of `initial_isr` replicas."""
        require(self.version == 0)
        require(len(self.changes) == self.spares)
        require(self.is_assigned(leader, 1) and self.is_assigned(left_out, 1))
        held = self.replicas - self.spares
        require((left_out == leader) == (self.initial_isr != held - 1 or self.initial_isr <= 1))
        if self.initial_isr == 0 or self.initial_isr == held:
            self.record(Image(leader, 1, self.assignment(1), frozenset(), frozenset()))
        elif self.initial_isr == 1:
            self.record(Image(leader, 1, frozenset({leader}), frozenset(), frozenset()))
        else:
            self.record(Image(leader, 1, self.assignment(1) - {left_out}, frozenset(), frozenset()))

    @action(fault=True, sentence="the controller fences {broker}")
    def fence(self, broker: Replica, chosen: Replica | None) -> None:
        """A broker's session times out; only if the broker is up is that a fault of its own."""
        require(self.has_begun())
        require(broker not in self.fenced and self.unheard[broker] == 0)
        require(broker in self.down or self.fenced_so_far < self.fences)
        self.fenced_so_far += 0 if broker in self.down else 1
        self.limit_faults()
        self.fenced |= {broker}
        self.decide_fence(broker, chosen)

    @policy
    def decide_fence(self, broker: Replica, chosen: Replica | None) -> None:
        """The controller decides once a broker is fenced (`handleBrokerFenced`)."""
        before = self.version
        self.settle_without(broker, frozenset(), chosen)
        if self.version == before and self.bumps_without_leader(broker):
            now = self.now
            self.record(Image(None, now.epoch + 1, now.isr, now.elr, now.last_known))

    @action(internal=True, sentence="{broker} is unfenced")
    def unfence(self, broker: Replica, chosen: Replica | None) -> None:
        """A broker that is up and has caught up with the metadata is live again. It does not enter the ISR by that.

        One that shuts down stays fenced (`BrokerHeartbeatManager.calculateNextBrokerState`).
        """
        require(broker in self.fenced and broker not in self.down and broker not in self.leaving)
        self.fenced -= {broker}
        self.decide_unfence(broker, chosen)

    @policy
    def decide_unfence(self, broker: Replica, chosen: Replica | None) -> None:
        """The controller decides once a broker is live (`handleBrokerUnfenced`)."""
        if self.unfence_expands and self.is_assigned(broker, self.version):
            self.settle(self.now.isr | {broker}, frozenset(), chosen)
        elif self.now.leader is None:
            self.settle(self.now.isr, frozenset(), chosen)
        else:
            require(chosen == self.now.leader)

    @action(internal=True, sentence="{broker} starts again and registers")
    def register(self, broker: Replica, chosen: Replica | None) -> None:
        """A broker that stopped comes back, fenced at first, with a new broker epoch (KIP-631).

        With ELR it says whether it stopped cleanly; if not, it may have lost records and is not eligible (KIP-966).
        """
        require(broker in self.down)
        require(broker in self.fenced or self.registers_early)
        if broker not in self.fenced and self.partition_epoch:
            self.request[broker] = None
        self.fenced |= {broker}
        self.session[broker] += 1
        self.unheard[broker] = 0
        self.down -= {broker}
        self.leaving -= {broker}
        self.decide_register(broker, chosen)
        self.dirty -= {broker}
        self.seen[broker] = self.version
        self.known[broker] = self.now
        self.drop_replica(broker)
        self.forget_entries_of_removed(broker)
        self.begin_epoch(broker, self.now)

    @policy
    def decide_register(self, broker: Replica, chosen: Replica | None) -> None:
        """The controller decides once a broker has registered (`handleBrokerShutdown`)."""
        is_clean = self.elr and broker not in self.dirty
        if self.elr and not is_clean and not self.unclean_settles:
            self.note_unclean(broker, chosen)
        else:
            self.settle_without(broker, frozenset() if is_clean else frozenset({broker}), chosen)

    def note_unclean(self, broker: Replica, chosen: Replica | None) -> None:
        """ISR and ELR change on record, and neither leader nor epoch does (until KAFKA-18106; in no release)."""
        now = self.now
        require(chosen == now.leader)
        if broker in now.isr | now.elr:
            self.record(Image(now.leader, now.epoch, now.isr - {broker}, now.elr - {broker}, now.last_known))

    @action(fault=True, sentence="{broker} asks to be shut down")
    def leave(self, broker: Replica, chosen: Replica | None) -> None:
        """A broker asks to be shut down: it gives up leadership and ISR first (controlled.shutdown.enable)."""
        require(self.has_begun())
        require(broker not in self.down and self.is_live(broker))
        require(self.stopped_so_far < self.clean_stops)
        require(not self.rolling or self.are_all_in_sync())
        self.stopped_so_far += 1
        self.limit_faults()
        self.leaving |= {broker}
        self.unheard[broker] = 0  # it asks by a heartbeat
        self.decide_leave(broker, chosen)

    @policy
    def decide_leave(self, broker: Replica, chosen: Replica | None) -> None:
        """The controller decides once a broker shuts down (`handleBrokerInControlledShutdown`)."""
        self.settle_without(broker, frozenset(), chosen)

    @action(fault=True, sentence="leadership moves to {chosen} by plan")
    def elect(self, chosen: Replica) -> None:
        """Leadership moves to another member of the ISR by plan."""
        require(self.now.leader is not None and self.now.leader != chosen)
        require(chosen in self.now.isr and self.is_live(chosen))
        require(self.elected_so_far < self.elections)
        self.elected_so_far += 1
        self.limit_faults()
        self.decide_elect(chosen)

    @policy
    def decide_elect(self, chosen: Replica) -> None:
        """The controller decides once an election of that leader is asked for (`electLeaders`)."""
        now = self.now
        self.record(Image(chosen, now.epoch + 1, now.isr, now.elr, now.last_known))

    @action(internal=True, sentence="the controller grants the ISR that {leader} asked for")
    def grant(self, leader: Replica, chosen: Replica | None) -> None:
        """The controller puts the ISR that a leader asks for on record. Its answer is that the leader learns."""
        require(self.is_considered(leader))
        require(self.is_granted(leader))
        self.decide_grant(leader, chosen)

    @policy
    def decide_grant(self, leader: Replica, chosen: Replica | None) -> None:
        """The controller decides about a request that it grants (`alterPartition`)."""
        request = self.request[leader]
        if request is not None:
            self.settle(request.isr, frozenset(), chosen)

    @action(fault=True, sentence="the controller fails, and another one takes over")
    def take_over(self) -> None:
        """The controller fails, and another one has read all that is on record."""
        require(self.has_begun() and self.taken_over_so_far < self.controller_failures)
        self.taken_over_so_far += 1
        self.limit_faults()
        self.forget_heartbeats()

    @action(internal=True, sentence="the controller hears of {broker}")
    def beat(self, broker: Replica) -> None:
        """The controller hears of a broker for the first time since it took over."""
        require(self.unheard[broker] == 1 and broker not in self.down)
        self.unheard[broker] = 0

    @action(fault=True, sentence="{broker} reports its directory")
    def report_dir(self, broker: Replica, chosen: Replica | None) -> None:
        """A broker reports a directory that is not on record; unless a disk was replaced that is a fault of its own."""
        require(self.has_begun())
        require(broker not in self.down and self.is_assigned(broker, self.version))
        require(self.may_report(broker) or self.reported_so_far < self.dir_reports)
        self.reported_so_far += 0 if self.may_report(broker) else 1
        self.limit_faults()
        self.unreported[broker] = 0
        self.decide_report(broker, chosen)

    @policy
    def decide_report(self, broker: Replica, chosen: Replica | None) -> None:
        """The controller decides once a directory is reported (`handleAssignReplicasToDirs`)."""
        if self.elr and not self.report_keeps_elr:
            self.settle_without_elr(chosen)
        else:
            self.settle(self.now.isr, frozenset(), chosen)

    @policy
    def limit_faults(self) -> None:
        """A question may require that no more went wrong in all; each kind of fault has a bound of its own besides."""

    def are_all_in_sync(self) -> bool:
        """Whether an operator sees that every replica is up and in the ISR, so that the next may be restarted."""
        return self.now.isr == self.assignment(self.version) and self.fenced | self.leaving == frozenset()

    def is_considered(self, leader: Replica) -> bool:
        """Whether a request of the leader on record has arrived in time; others are refused and change nothing."""
        return self.request[leader] is not None and self.is_sent(leader) and self.is_in_time(leader)

    @policy
    def is_in_time(self, leader: Replica) -> bool:
        """Whether a request is of the leader on record, is based on that record, and names assigned replicas."""
        request = self.request[leader]
        return (
            request is not None
            and self.now.leader == leader
            and self.is_current(request)
            and all(self.is_assigned(r, self.version) for r in request.isr)
        )

    @policy
    def is_granted(self, leader: Replica) -> bool:
        """Whether all whom a request names may be in the ISR; INELIGIBLE_REPLICA otherwise."""
        request = self.request[leader]
        return request is not None and self.may_all_be_in_sync(request.isr) and self.is_same_incarnation(request)

    def settle_without(self, broker: Replica, unclean: frozenset[Replica], chosen: Replica | None) -> None:
        """A broker leaves the ISR. Who is not in it, nor uncleanly in the ELR, changes nothing (`BrokersToIsrs`)."""
        if broker in self.now.isr | (self.now.elr & unclean):
            self.settle_after(self.now.isr - {broker}, self.isr_without(broker), unclean, chosen)
        else:
            require(chosen == self.now.leader)

    def settle(self, isr: frozenset[Replica], unclean: frozenset[Replica], chosen: Replica | None) -> None:
        """A new ISR, and with it ELR, leader and leader epoch."""
        self.settle_after(isr, isr, unclean, chosen)

    def settle_after(
        self,
        target: frozenset[Replica],
        isr: frozenset[Replica],
        unclean: frozenset[Replica],
        chosen: Replica | None,
    ) -> None:
        """The order of `PartitionChangeBuilder.build`; a reassignment is complete by the target, which may be empty."""
        require(not self.spare_last or isr - (self.down & self.dirty) != frozenset())
        self.complete_reassignment(target)
        staying = isr & self.assignment(self.version + 1)
        elr = self.eligible(staying, unclean)
        candidates = self.candidates(staying, elr, unclean)
        require((chosen is None) == (candidates == frozenset()))
        require(chosen is None or chosen in candidates)
        after = self.image_after(staying, elr, unclean, chosen)
        if after != self.now or self.is_reassigned_now():
            self.record(after)

    def settle_without_elr(self, chosen: Replica | None) -> None:
        """The report of a directory before 4.3: the ELR is emptied, and who led last is neither noted nor elected."""
        now = self.now
        self.complete_reassignment(now.isr)
        staying = now.isr & self.assignment(self.version + 1)
        candidates = self.candidates(staying, now.elr, frozenset()) & (staying | now.elr)
        require((chosen is None) == (candidates == frozenset()))
        require(chosen is None or chosen in candidates)
        after = self.image_after(staying, now.elr, frozenset(), chosen)
        emptied = Image(after.leader, after.epoch, after.isr, frozenset(), now.last_known)
        if emptied != now or self.is_reassigned_now():
            self.record(emptied)

    def candidates(
        self, isr: frozenset[Replica], elr: frozenset[Replica], unclean: frozenset[Replica]
    ) -> frozenset[Replica]:
        """Whom the controller may elect: the leader, else the ISR, the ELR, the last known, anybody."""
        live = frozenset(r for r in self.assignment(self.version + 1) if self.is_live(r))
        leading = frozenset(r for r in isr & live if r == self.now.leader)
        if leading != frozenset():
            return leading
        elif isr & live != frozenset():
            return isr & live
        elif isr == frozenset() and elr & live != frozenset():
            return elr & live
        elif self.recoverable(isr, elr, unclean) != frozenset():
            return self.recoverable(isr, elr, unclean)
        else:
            return live if self.unclean and self.heeds_unclean and not self.bars_unclean() else frozenset()

    def image_after(
        self,
        isr: frozenset[Replica],
        elr: frozenset[Replica],
        unclean: frozenset[Replica],
        chosen: Replica | None,
    ) -> Image:
        """The image put on record: a broker that is elected from outside the ISR is then the whole ISR."""
        alone = chosen is not None and chosen not in isr
        members = frozenset(r for r in Replica if r == chosen) if alone else isr
        eligible = elr - members if chosen is None or chosen in isr | elr else frozenset()
        begins = self.begins_epoch(chosen, members) or (self.bump_on_removal and self.is_removed_now())
        epoch = self.now.epoch + 1 if begins else self.now.epoch
        return Image(chosen, epoch, members, eligible, self.last_known_after(chosen, members, unclean))

    def record(self, image: Image) -> None:
        """A metadata record is committed. A request of a broker that is down was based on an older one."""
        self.version += 1
        self.now = image
        self.images[self.version] = image
        self.request = {r: None if r in self.down and self.partition_epoch else self.request[r] for r in Replica}
