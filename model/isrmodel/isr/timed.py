"""One leader, its followers and a clock: what every ISR admission policy in Kafka's history shares.

Time is kept as ages that stop counting at `lag_time_max` + 1, since every question is whether an age is above T. There
is one leader and one leader epoch; what happens when the leader changes is another model's subject.
"""

from typing import Annotated

from isrcheck import Model, UpTo, action, applies, assume, constant, each, history, members, policy, require
from isrmodel.isr.drawing import DRAWING
from isrmodel.isr.vocabulary import Appends, Clock, Event, FetchSteps, IsrChange, Leader, LeoTaken, Pace, Reading
from isrmodel.vocabulary import Age, FetchSize, Follower, Offset


class TimedLeader(Model):
    """Appends, the passing of time and the expiration task; fetches are added by `Admission` and `DesignV3`."""

    drawing = DRAWING

    replicas: int = constant(
        2, "brokers that hold the partition, the leader included", at_least=2, setting="default.replication.factor"
    )
    max_records: int = constant(3, "records that producers may append")
    lag_time_max: int = constant(2, "T, in ticks", setting="replica.lag.time.max.ms", measure="ticks")
    expiration_period: int = constant(1, "ticks between two runs of the isr-expiration task", at_least=1)
    max_lag_messages: int = constant(
        1, "the lag above which versions before 0.9 evict", setting="replica.lag.max.messages", measure="many"
    )
    min_isr: int = constant(
        1, "replicas in the ISR, the leader included, that acks=all asks for", at_least=1, setting="min.insync.replicas"
    )
    pace: Pace = constant(Pace.FREE, "how often followers fetch")
    fetch_size: FetchSize = constant(FetchSize.ALL, "how much one fetch brings")
    appends: Appends = constant(Appends.FREE, "when records are appended")
    leo_taken: LeoTaken = constant(LeoTaken.BEFORE_READ, "which log end of the leader a fetch is compared with")
    fetch_steps: FetchSteps = constant(FetchSteps.ONE, "whether time may pass while the leader reads for a fetch")

    # What there is.
    log_end: Offset = 0  # the leader's
    follower_end: dict[Follower, Offset] = each(Follower, 0)  # its log end
    append_age: Annotated[tuple[Age, ...], UpTo("max_records")] = history(())  # of each record in the leader's log
    read_to_end_age: dict[Follower, Age] = history(each(Follower, 0))  # since it last fetched at the leader's log end
    isr_has_shrunk: bool = history(False)  # somebody was taken out

    # What the leader has decided.
    isr: frozenset[Leader | Follower] = members(Leader | Follower)  # the leader never leaves it
    hw: Offset = 0  # the high watermark
    timer: Annotated[int, UpTo("expiration_period - 1")] = 0  # ticks since the expiration task ran

    # What the leader remembers of each follower. Clocks that a version does not keep stay as they are here.
    known: dict[Follower, Offset] = each(Follower, 0)  # the offset of its last fetch
    fetch_age: dict[Follower, Age] = each(Follower, 0)  # since its last fetch
    caught_up_age: dict[Follower, Age] = each(Follower, 0)  # since it was last caught up: lastCaughtUpTimeMs
    lag_begin_age: dict[Follower, Age | None] = each(Follower, None)  # since it fell behind; None: not lagging
    fetch_leo: dict[Follower, Offset] = each(Follower, 0)  # the leader's log end at its last fetch
    reading: dict[Follower, Reading | None] = each(Follower, None)  # its fetch that is being read

    fetched: frozenset[Follower] = frozenset()  # since the last tick; empty unless the pace asks for it

    @assume
    def time_can_pass(self) -> bool:
        """A lag time of 0 ticks puts every follower out at the first tick: no follower could fetch often enough."""
        return self.lag_time_max > 0

    @assume
    def period_within_lag_time(self) -> bool:
        """The isr-expiration task runs at least once in replica.lag.time.max.ms: in Kafka once or twice."""
        return self.expiration_period <= self.lag_time_max

    @assume
    def min_isr_within_replicas(self) -> bool:
        """A min.insync.replicas above the number of replicas could never be met."""
        return self.min_isr <= self.replicas

    @assume
    def read_window_is_one_step(self) -> bool:
        """The window between a read and its account lies within one step; with fetches of two steps append freely."""
        return self.fetch_steps == FetchSteps.ONE or self.appends == Appends.FREE

    @assume
    def pace_can_be_kept(self) -> bool:
        """No follower can keep the pace always-fetching where a fetch is answered at once (fetch_steps=one)."""
        return self.pace != Pace.ALWAYS_FETCHING or self.fetch_steps == FetchSteps.TWO

    @applies("follower_fetches", "caught_up_rejoins")
    def fetches_take_one_step(self) -> bool:
        """Fetches take two steps: what was the log end when one arrived need not be when it is served."""
        return self.fetch_steps == FetchSteps.ONE

    @applies("fetch_arrives", "fetch_is_served", "no_eviction_while_reading", "read_does_not_pin")
    def fetches_take_two_steps(self) -> bool:
        """A fetch is being read for a time only with fetch_steps=two."""
        return self.fetch_steps == FetchSteps.TWO

    @applies("leader_appends")
    def records_come_at_any_time(self) -> bool:
        """Records come with appends=free at any time."""
        return self.appends == Appends.FREE

    @applies("follower_fetches_during_append")
    def records_come_in_the_read_window(self) -> bool:
        """Records come during a fetch with appends=in-read-window."""
        return self.appends == Appends.IN_READ_WINDOW

    # The slots in which the versions of Kafka differ

    @policy
    def keeps(self, clock: Clock) -> bool:
        """Slot `fstate`: whether this version remembers this of each follower."""
        raise NotImplementedError

    @policy
    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """Slot `on_fetch`: the caught-up age after a fetch that arrived `age` ago at this offset, by this LEO."""
        return self.caught_up_age[follower]

    @policy
    def is_out(self, follower: Follower) -> bool:
        """Slot `out`: whether a member of the ISR is to be taken out."""
        raise NotImplementedError

    @policy
    def may_join(self, follower: Follower) -> bool:
        """Slot `join`: whether a follower outside the ISR is to be let in."""
        raise NotImplementedError

    @policy
    def holds_back(self, follower: Follower) -> bool:
        """Slot `hwset`: whether the high watermark waits for this follower."""
        return follower in self.isr

    @policy
    def may_advance(self) -> bool:
        """Slot `hwguard`: whether the high watermark may move at all."""
        return True

    @policy
    def moves_high_watermark(self, event: Event) -> bool:
        """Slot `hwtrig`: whether the leader recomputes the high watermark after this."""
        return True

    @policy
    def isr_change(self) -> IsrChange:
        """Slot `period`: who changes the ISR; the task's period is the constant `expiration_period`."""
        return IsrChange.TASK

    @policy
    def forget(self) -> None:
        """Forget at the end of a step what would let numbers grow: nothing, in this model."""

    @policy
    def leads(self) -> bool:
        """Whether the leader stays in office; if it does not, the story of this epoch is over."""
        return True

    # Producers and time

    @action(sentence="the leader appends a record")
    def leader_appends(self) -> None:
        """The leader takes a producer's record."""
        require(self.leads())
        require(self.appends == Appends.FREE)
        self.append()
        self.recompute_high_watermark(Event.APPEND)
        self.follow_definition()

    @action(fair="weak", sentence="time passes")
    def time_passes(self) -> None:
        """One tick. If the expiration task is due it runs at once, and takes out all who are out by now."""
        require(self.leads())
        require(all(self.is_in_time(f) for f in Follower))
        self.fetched = frozenset()
        self.grow_older()
        if self.isr_change() == IsrChange.TASK:
            if self.timer + 1 == self.expiration_period:
                self.timer = 0
                self.run_expiration_task()
            else:
                self.timer += 1
        self.follow_definition()

    @action(sentence="a fetch of {follower} arrives, and the leader begins to read")
    def fetch_arrives(self, follower: Follower) -> None:
        """The leader receives a fetch and begins to read for it, which may take long (KIP-501)."""
        require(self.fetch_steps == FetchSteps.TWO)
        require(self.leads())
        require(self.reading[follower] is None)
        self.reading[follower] = Reading(0, self.follower_end[follower] >= self.fetch_leo[follower])

    # What they do

    def append(self) -> None:
        """A record reaches the leader's log."""
        self.log_end += 1
        self.append_age += (0,)

    def grow_older(self) -> None:
        """A tick on every clock that is kept and running."""
        self.append_age = tuple(self.older(age) for age in self.append_age)
        self.read_to_end_age = {f: self.older(self.read_to_end_age[f]) for f in Follower}
        self.fetch_age = {f: self.older(self.fetch_age[f]) for f in Follower}
        self.reading = {f: self.read_longer(self.reading[f]) for f in Follower}
        if self.keeps(Clock.CAUGHT_UP):
            self.caught_up_age = {f: self.older(self.caught_up_age[f]) for f in Follower}
        if self.keeps(Clock.LAG_BEGIN):
            self.lag_begin_age = {f: self.older_lag(self.lag_begin_age[f]) for f in Follower}

    def run_expiration_task(self) -> None:
        """Everybody who is out is taken out at once; passing time alone never moves the high watermark."""
        remaining = self.isr - frozenset(f for f in Follower if self.is_out(f))
        somebody_left = remaining != self.isr
        self.isr = remaining
        if somebody_left:
            self.isr_has_shrunk = True
            self.recompute_high_watermark(Event.SHRINK)

    def note_fetch(self, follower: Follower, end: Offset, leo: Offset, age: Age) -> None:
        """The leader's account of a fetch that arrived `age` ago and was read from a log that ended at `end`."""
        offset = self.follower_end[follower]
        if self.keeps(Clock.CAUGHT_UP):
            self.caught_up_age[follower] = self.caught_up_age_after(follower, offset, leo, age)
        if self.keeps(Clock.LAG_BEGIN):
            self.lag_begin_age[follower] = self.lag_begin_after(self.lag_begin_age[follower], offset, leo, age)
        if offset >= end:
            self.read_to_end_age[follower] = age
        self.known[follower] = offset
        self.fetch_age[follower] = age
        if self.remembers_leo():
            self.fetch_leo[follower] = max(self.fetch_leo[follower], leo)
        self.follower_end[follower] = end if self.fetch_size == FetchSize.ALL else min(offset + 1, end)
        if self.pace == Pace.EVERY_TICK:
            self.fetched |= {follower}

    def recompute_high_watermark(self, event: Event) -> None:
        """The high watermark goes to what all have reached for whom it waits, and never back."""
        if self.moves_high_watermark(event) and self.may_advance():
            self.hw = max(self.hw, self.offset_reached())

    def follow_definition(self) -> None:
        """The end of a step: where the ISR is a definition, high watermark and ISR follow."""
        if self.isr_change() == IsrChange.DEFINITION:
            self.hw = max(self.hw, self.offset_reached())
            out_of_sync = frozenset(f for f in Follower if self.is_out(f) or not self.may_join(f))
            if self.isr & out_of_sync != frozenset():
                self.isr_has_shrunk = True
            self.isr = (self.isr | frozenset(Follower)) - out_of_sync
        self.forget()

    # What they look at

    def may_fetch(self, follower: Follower) -> bool:
        """Whether a follower can make a fetch of one step now."""
        return (
            self.fetch_steps == FetchSteps.ONE
            and self.leads()
            and (self.pace == Pace.FREE or follower not in self.fetched)
        )

    def is_in_time(self, follower: Follower) -> bool:
        """Whether time may pass without this follower falling behind the pace."""
        fetching = self.reading[follower] is not None
        return self.pace == Pace.FREE or fetching or (self.pace == Pace.EVERY_TICK and follower in self.fetched)

    def arrival_age(self, follower: Follower) -> Age:
        """How long ago the fetch arrived that is being read for a follower."""
        reading = self.reading[follower]
        return 0 if reading is None else reading.age

    def older(self, age: Age) -> Age:
        """An age a tick later."""
        return min(age + 1, self.lag_time_max + 1)

    def read_longer(self, reading: Reading | None) -> Reading | None:
        """A fetch that is being read, a tick later."""
        return None if reading is None else Reading(self.older(reading.age), reading.was_caught_up)

    def older_lag(self, age: Age | None) -> Age | None:
        """KIP-16's lagBegin, a tick later."""
        return None if age is None else self.older(age)

    def lag_begin_after(self, before: Age | None, offset: Offset, leo: Offset, age: Age) -> Age | None:
        """KIP-16's lagBegin after a fetch: one that falls short of the log end starts it, any other stops it."""
        if offset >= leo:
            return None
        else:
            return age if before is None else before

    def remembers_leo(self) -> bool:
        """Whether lastFetchLeaderLogEndOffset is in use; fetches of two steps are judged by it in every version."""
        return self.keeps(Clock.FETCH_LEO) or self.fetch_steps == FetchSteps.TWO

    def offset_reached(self) -> Offset:
        """The offset that the leader's log and every follower that is waited for have reached."""
        return min(self.log_end, min((self.known[f] for f in Follower if self.holds_back(f)), default=self.log_end))

    def lag(self, follower: Follower) -> Age:
        """A follower's lag as this version measures it by lastCaughtUpTimeMs; above T where it has no such clock."""
        return self.caught_up_age[follower] if self.keeps(Clock.CAUGHT_UP) else self.lag_time_max + 1

    # For the drawing

    def list_awaited_outside(self) -> frozenset[Follower]:
        """The followers outside the ISR that the high watermark waits for all the same."""
        return frozenset(f for f in Follower if f not in self.isr and self.holds_back(f))

    def list_all_but_late(self) -> frozenset[Follower]:
        """The followers but those outside the ISR that the leader's clock says are late, if it has such a clock."""
        has_clock = self.keeps(Clock.CAUGHT_UP)
        return frozenset(f for f in Follower if f in self.isr or not has_clock or self.lag(f) <= self.lag_time_max)

    def t_exceeded(self) -> Age | None:
        """T, where a follower caught up longer ago."""
        return self.lag_time_max if any(self.caught_up_age[f] > self.lag_time_max for f in Follower) else None

    def list_silent(self) -> frozenset[Follower]:
        """The followers that have made no fetch for longer than T.

        Where lastCaughtUpTimeMs says who leaves, those outside the ISR, once all of them are silent.
        """
        silent = frozenset(f for f in Follower if self.fetch_age[f] > self.lag_time_max)
        outside = frozenset(f for f in Follower if f not in self.isr)
        if not self.keeps(Clock.CAUGHT_UP):
            return silent
        else:
            return outside if outside <= silent else frozenset()
