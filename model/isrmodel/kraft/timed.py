"""Today's partition with a clock: replica.lag.time.max.ms decides who is dropped, who may join and who is waited for.

The rules are those of `isrmodel.isr` since KAFKA-7152, and they have its words. A leader asks for a follower as it
serves its fetch. The isr-expiration task is the step `ask_drop`, which may come at any time: its period is not kept.
"""

from typing import Self

from isrcheck import Drawing, Taken, applies, assume, blame, change, constant, invariant, since, step
from isrmodel.drawing import AWAITED
from isrmodel.isr.drawing import TIME_ALONE
from isrmodel.kraft.drawing import DRAWING
from isrmodel.kraft.kafka_19996 import Kafka19996
from isrmodel.kraft.state import Heard
from isrmodel.vocabulary import Offset, Replica


class KraftTimed(Kafka19996):
    """Kafka 4.1 with a clock; the switches make earlier releases of it.

    Breaks `hw_not_stalled` (the idle stall) and `no_bad_expand`: a late fetch brings back who must leave, and below
    min.insync.replicas any fetch does (KAFKA-19996, flapping).
    """

    drawing = Drawing(
        *DRAWING.words,
        change(
            "lag.caught_up",
            "ticks since {key} caught up: {value}",
            absent="ticks since {key} caught up: more than T",
            action="time_passes",
        ),
        AWAITED,
        blame(
            "hw_not_stalled",
            "leader",
            "leaves the record at offset {hw[leader]} uncommitted, though its whole ISR {now.isr} has it",
        ),
        since("hw_not_stalled", "list_all_but_late", TIME_ALONE),
        blame(
            "live_fetch_ends_stall",
            "leader",
            "leaves the record at offset {hw[leader]} uncommitted, though its whole ISR {now.isr} has it; "
            "the fetch of {follower} tells nothing new, and does not move HW",
        ),
        since("live_fetch_ends_stall", "list_all_but_late", TIME_ALONE),
    )

    fences: int = constant(0, "brokers that the controller takes for dead although they are up")
    max_epoch: int = constant(2, "leader epochs that may begin")
    max_version: int = constant(5, "changes of the partition's metadata (partition epochs)")
    max_session: int = constant(0, "registrations of each broker after its first")
    every_fetch: bool = constant(False, "before KAFKA-8841 (2.4): every fetch recomputes the high watermark")
    waits_for_live: bool = constant(True, "KAFKA-15021 (3.6): the high watermark waits for nobody who may not join")

    @assume
    def the_clock_drops(self) -> bool:
        """A clock drops followers when they are late, and at no other time: shrinks is 0."""
        return self.shrinks == 0

    @assume
    def looks_once(self) -> bool:
        """A leader asks for a follower as it serves its fetch, so it does not look twice: one_look is true."""
        return self.one_look

    @assume
    def fetches_are_in_time(self) -> bool:
        """Fetches arrive at once under a clock, and it says who is waited for: late_fetches and hw_waits are false."""
        return not self.late_fetches and not self.hw_waits

    @assume
    def replicas_stay(self) -> bool:
        """The partition is not reassigned under a clock: reassignments is 0."""
        return self.reassignments == 0

    @applies("ask_add", "hw_not_stuck")
    def time_stands_still(self) -> bool:
        """A leader with a clock asks within the fetch, and time alone moves no high watermark: see hw_not_stalled."""
        return not self.has_clock()

    # The rules of the clock

    def may_drop(self, leader: Replica, follower: Replica, also: Replica) -> bool:
        """The expiration task drops all who lag, and nobody else."""
        isr = self.known[leader].isr
        return all((f in frozenset({follower, also})) == self.lags(leader, f) for f in isr if f != leader)

    def hear(self, leader: Replica, follower: Replica) -> None:
        """A leader accounts for a fetch, asks for who may join, and moves its high watermark if the offset is news.

        Who joins moves it once the leader has learned of the larger ISR.
        """
        is_news = self.is_news_of_offset(leader, follower)
        self.note_fetch(leader, follower)
        self.note_heard(leader, follower, Heard(self.end(follower), self.session[follower]))
        if self.may_join(leader, follower):
            self.ask_for(leader, follower)
        if is_news or self.every_fetch:
            self.move_high_watermark(leader)

    def may_join(self, leader: Replica, follower: Replica) -> bool:
        """Whether a follower that has just fetched is asked for (`needsExpandIsr`)."""
        return (
            self.request_pending(leader) is None
            and follower not in self.known[leader].isr
            and self.may_be_added(leader, follower)
            and (not self.kip_841 or self.is_taken_for_live(leader, follower))
            and self.is_not_late(leader, follower)
        )

    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """The maximal ISR, and whoever was caught up within T and may join (`shouldWaitForReplicaToJoinIsr`)."""
        may_join = not self.waits_for_live or self.is_taken_for_live(leader, follower)
        return follower in self.maximal_isr(leader) or (may_join and not self.lags(leader, follower))

    def fetches(self, follower: Replica) -> bool:
        """Whether a follower fetches: not in a controlled shutdown, once it reads that it left the ISR.

        In Kafka `applyLocalFollowersDelta`.
        """
        return follower not in self.leaving or follower in self.known[follower].isr

    def is_taken_for_live(self, leader: Replica, follower: Replica) -> bool:
        """Whether a leader takes a follower for live; one that has read all metadata knows."""
        return self.is_live(follower) or self.seen[leader] < self.version

    def is_news_of_offset(self, leader: Replica, follower: Replica) -> bool:
        """Whether a follower is elsewhere than its leader knows (KAFKA-8841)."""
        return self.lag[leader][follower].fetched_to != self.end(follower)

    # What is asked

    @invariant
    def hw_not_stalled(self) -> bool:
        """All that the whole ISR has is committed, even if nobody outside it fetches any more (compare KAFKA-15021)."""
        return all(not self.is_stalled(leader) for leader in Replica if self.rules(leader))

    @step
    def no_bad_expand(self, before: Self) -> bool:
        """No leader asks to add a follower that it would drop again at once (KAFKA-4485, problem 1; KAFKA-19996)."""
        return not any(
            self.lags(leader, f)
            for leader in Replica
            if self.leads(leader)
            for f in self.maximal_isr(leader)
            if f != leader
            if f not in before.maximal_isr(leader)
        )

    @step
    def leaving_stays_out(self, before: Self) -> bool:
        """Nobody enters the ISR while it shuts down (KIP-841, KAFKA-15021)."""
        return all(r not in self.leaving or r in before.now.isr for r in self.now.isr)

    @step
    def waits_for_no_leaver(self, before: Self, taken: Taken) -> bool:
        """A record waits for nobody who shuts down, once its leader has read all metadata (KAFKA-15021)."""
        return not (
            taken.action == "write"
            and self.rules(taken.leader)
            and self.seen[taken.leader] == self.version
            and self.request_pending(taken.leader) is None
            and self.may_expose(taken.leader)
            and self.hw[taken.leader] < self.end_offset_of_staying(taken.leader)
        )

    @step
    def live_fetch_ends_stall(self, before: Self, taken: Taken) -> bool:
        """Once a member of the ISR has fetched, what the whole ISR has is committed, if no other was heard within T."""
        return not (
            (taken.action == "fetch" or taken.action == "lose_response")
            and self.rules(taken.leader)
            and taken.follower in before.maximal_isr(taken.leader)
            and self.is_stalled(taken.leader)
        )

    @applies("live_fetch_ends_stall")
    def one_may_fetch_and_another_be_gone(self) -> bool:
        """Nobody but the leader is in the ISR when the only follower of two replicas is gone."""
        return self.replicas > 2

    def is_stalled(self, leader: Replica) -> bool:
        """Whether the whole ISR has what a leader does not commit, though nobody outside has fetched within T."""
        return (
            self.may_expose(leader)
            and self.hw[leader] < self.end_offset_of_isr(leader)
            and self.are_outsiders_gone(leader)
        )

    def end_offset_of_isr(self, leader: Replica) -> Offset:
        """The offset that a leader and its maximal ISR have reached, as the leader knows it."""
        isr = self.maximal_isr(leader)
        return min((self.fetch_offset(leader, f) for f in isr if f != leader), default=self.end(leader))

    def end_offset_of_staying(self, leader: Replica) -> Offset:
        """The offset that a leader and all for whom it waits and who do not shut down have reached, as it knows it."""
        staying = frozenset(f for f in Replica if f not in self.leaving and self.holds_back(leader, f))
        return min((self.fetch_offset(leader, f) for f in staying if f != leader), default=self.end(leader))

    def are_outsiders_gone(self, leader: Replica) -> bool:
        """Whether nobody outside the ISR has fetched or been caught up within T."""
        return all(
            self.lag[leader][f].fetched is None and self.lag[leader][f].caught_up is None
            for f in Replica
            if f not in self.maximal_isr(leader)
        )

    # For the drawing

    def list_awaited_outside(self) -> frozenset[Replica]:
        """The followers outside the ISR that the high watermark of whoever leads waits for all the same."""
        leaders = frozenset(r for r in Replica if self.leads(r))
        return frozenset(f for r in leaders for f in Replica if f not in self.maximal_isr(r) if self.holds_back(r, f))

    def list_all_but_late(self) -> frozenset[Replica]:
        """The replicas but those that are late, and outside the ISR, for the leader on record."""
        leaders = frozenset(r for r in Replica if self.rules(r))
        late = frozenset(f for r in leaders for f in Replica if f not in self.maximal_isr(r) if self.lags(r, f))
        return frozenset(f for f in Replica if f not in late)
