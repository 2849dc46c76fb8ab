"""The properties of the ISR and the high watermark that Kafka's documents name, asked of every version alike."""

from typing import Self

from isrcheck import Taken, applies, invariant, reachable, step
from isrmodel.isr.timed import TimedLeader
from isrmodel.isr.vocabulary import Clock, FetchSteps, Pace
from isrmodel.vocabulary import Age, FetchSize, Follower, Offset


class Properties(TimedLeader):
    """Each property names the document that states it. Histories (`append_age`) hold what the leader cannot know."""

    # The high watermark

    @step
    def hw_never_decreases(self, before: Self) -> bool:
        """The high watermark of a partition never decreases (KAFKA-4485, guarantee 3)."""
        return self.hw >= before.hw

    @invariant
    def isr_at_least_hw(self) -> bool:
        """Every replica in the ISR has all that is below the high watermark (KAFKA-4485, guarantee 4)."""
        return all(self.known[f] >= self.hw for f in Follower if f in self.isr)

    @invariant
    def hw_not_stalled(self) -> bool:
        """Records that the whole ISR has are committed, even if nobody outside it fetches any more (KAFKA-15021)."""
        return not self.is_stalled()

    # Who stays

    @invariant
    def keep_up_stays(self) -> bool:
        """A follower that fetches in time and receives everything is in the ISR (KAFKA-4485, problem 2)."""
        return all(f in self.isr for f in Follower)

    @applies("keep_up_stays")
    def followers_keep_up(self) -> bool:
        """A follower keeps up only at a pace such as every-tick and if a fetch brings everything (fetch_size=all)."""
        return self.pace != Pace.FREE and self.fetch_size == FetchSize.ALL

    @step
    def reading_to_end_stays(self, before: Self) -> bool:
        """Nobody is taken out who has read to the end of the log within T, whatever the batches (KIP-16 scenario 1)."""
        return all(
            self.read_to_end_age[f] > self.lag_time_max for f in Follower if f in before.isr and f not in self.isr
        )

    @invariant
    def dead_evicted(self) -> bool:
        """A follower that makes no fetch for T and misses a record is out once the task has run (KIP-16 scenario 2)."""
        return not any(
            self.silent_age(f) > self.lag_time_max and self.timer == 0 and self.true_lag(self.follower_end[f]) >= 1
            for f in Follower
            if f in self.isr
        )

    @invariant
    def lagging_leaves(self) -> bool:
        """A follower that lags behind the leader for more than T is not in the ISR (KAFKA-4485, guarantee 2)."""
        return not any(self.true_lag(self.known[f]) > self.lag_time_max for f in Follower if f in self.isr)

    @invariant
    def keeping_up_belongs(self) -> bool:
        """A follower that lags by T or less and reaches the high watermark is in the ISR (KAFKA-4485, guarantee 1)."""
        return all(
            f in self.isr
            for f in Follower
            if self.true_lag(self.known[f]) <= self.lag_time_max and self.known[f] >= self.hw
        )

    @invariant
    def keeping_up_in_fact_belongs(self) -> bool:
        """A follower whose own log lags by T or less is in the ISR; the leader knows it a fetch later (KAFKA-4485)."""
        return all(
            f in self.isr
            for f in Follower
            if self.true_lag(self.follower_end[f]) <= self.lag_time_max and self.follower_end[f] >= self.hw
        )

    # Who joins

    @step
    def no_bad_expand(self, before: Self) -> bool:
        """Nobody joins the ISR whom the test for leaving would take out again (KAFKA-4485, problem 1; KAFKA-19996)."""
        return not any(self.is_out(f) for f in Follower if f in self.isr and f not in before.isr)

    @step
    def joins_at_high_watermark(self, before: Self) -> bool:
        """Nobody is let into the ISR before it has reached the high watermark (KIP-16 scenario 3, as built)."""
        return all(self.known[f] >= before.hw for f in Follower if f in self.isr and f not in before.isr)

    @step
    def joins_at_log_end(self, before: Self) -> bool:
        """A follower stays outside the ISR until it has all that the leader has (KIP-16 scenario 3, to the letter)."""
        return all(self.known[f] == self.log_end for f in Follower if f in self.isr and f not in before.isr)

    @step
    def caught_up_rejoins(self, before: Self, taken: Taken) -> bool:
        """A follower that fetches at the leader's log end returns to the ISR (the rule as primers on Kafka tell it)."""
        return not (
            taken.action == "follower_fetches"
            and before.follower_end[taken.follower] == before.log_end
            and taken.follower not in self.isr
        )

    # What the leader measures

    @invariant
    def measured_lag_is_safe(self) -> bool:
        """A follower never lags more than the leader measures (the meaning of lastCaughtUpTimeMs, KAFKA-4485)."""
        return all(self.lag(f) >= self.true_lag(self.known[f]) for f in Follower)

    @applies("measured_lag_is_safe")
    def measures_lag(self) -> bool:
        """No lag is measured where no lastCaughtUpTimeMs is kept."""
        return self.keeps(Clock.CAUGHT_UP)

    @step
    def caught_up_fetch_counts(self, before: Self, taken: Taken) -> bool:
        """A fetch that begins at the log end leaves the follower caught up, whatever is appended meanwhile (KIP-16)."""
        return not (
            (taken.action == "follower_fetches" or taken.action == "follower_fetches_during_append")
            and before.follower_end[taken.follower] == before.log_end
            and not self.counts_as_caught_up(taken.follower)
        )

    @applies("caught_up_fetch_counts")
    def notes_catching_up(self) -> bool:
        """No clock but one of lag takes note of catching up, and only a fetch of one step is accounted for at once."""
        return (self.keeps(Clock.CAUGHT_UP) or self.keeps(Clock.LAG_BEGIN)) and self.fetch_steps == FetchSteps.ONE

    # While the leader reads (KIP-501)

    @step
    def no_eviction_while_reading(self, before: Self) -> bool:
        """Nobody who was caught up is taken out because the leader is slow to read for it (KIP-501)."""
        return not any(
            self.reads_for_one_caught_up(f) and before.reads_for_one_caught_up(f)
            for f in Follower
            if f in before.isr and f not in self.isr
        )

    @invariant
    def candidate_remains(self) -> bool:
        """A follower that could lead is in the ISR while followers fetch in time (KIP-501: no offline partition)."""
        return len(self.isr) > 1

    @invariant
    def acks_all_accepted(self) -> bool:
        """Slow reads do not take the ISR below min.insync.replicas while all followers fetch in time (KIP-501)."""
        return len(self.isr) >= self.min_isr

    @applies("candidate_remains", "acks_all_accepted")
    def followers_fetch_in_time(self) -> bool:
        """KIP-501 is about followers that keep up (pace, fetch_size=all) while reads take time (fetch_steps=two)."""
        return self.fetch_steps == FetchSteps.TWO and self.pace != Pace.FREE and self.fetch_size == FetchSize.ALL

    @applies("acks_all_accepted")
    def a_follower_is_needed(self) -> bool:
        """The leader alone is enough with min_isr=1."""
        return self.min_isr > 1

    @invariant
    def read_does_not_pin(self) -> bool:
        """No follower stays in the ISR by a fetch that has been read for longer than T (a risk of KIP-501)."""
        return self.timer > 0 or not any(
            self.reads_for(f) and self.reading_age(f) > self.lag_time_max and self.true_lag(self.known[f]) >= 1
            for f in Follower
            if f in self.isr
        )

    # What can happen at all

    @reachable
    def something_commits(self) -> bool:
        """The high watermark moves."""
        return self.hw > 0

    @reachable
    def somebody_leaves(self) -> bool:
        """A follower is taken out of the ISR."""
        return self.isr_has_shrunk

    @reachable
    def somebody_returns(self) -> bool:
        """All are in the ISR again after somebody was taken out."""
        return self.isr_has_shrunk and all(f in self.isr for f in Follower)

    @applies("something_commits", "somebody_leaves", "somebody_returns")
    def there_are_records(self) -> bool:
        """A run without a record commits nothing, and nobody need be behind."""
        return self.max_records > 0

    @applies("somebody_leaves", "somebody_returns")
    def somebody_may_be_late(self) -> bool:
        """Nobody is meant to leave at any pace but free."""
        return self.pace == Pace.FREE

    # What they look at

    def true_lag(self, offset: Offset) -> Age:
        """How long ago the leader's log went beyond an offset; 0 if it does not."""
        return 0 if offset >= self.log_end else self.append_age[offset]

    def silent_age(self, follower: Follower) -> Age:
        """How long nothing was heard of a follower."""
        return min(self.fetch_age[follower], self.reading_age(follower))

    def reading_age(self, follower: Follower) -> Age:
        """How long ago the fetch arrived that is being read for a follower; above T if there is none."""
        reading = self.reading[follower]
        return self.lag_time_max + 1 if reading is None else reading.age

    def reads_for(self, follower: Follower) -> bool:
        """Whether a follower's fetch is being read."""
        return self.reading[follower] is not None

    def is_stalled(self) -> bool:
        """Whether what the whole ISR has is not committed, though it may be and all others are gone."""
        reached_by_isr = min(
            self.log_end, min((self.known[f] for f in Follower if f in self.isr), default=self.log_end)
        )
        outsiders_are_gone = all(self.is_gone(f) for f in Follower if f not in self.isr)
        return self.hw < reached_by_isr and outsiders_are_gone and self.may_advance()

    def is_gone(self, follower: Follower) -> bool:
        """Whether a follower has neither fetched nor been caught up for longer than T."""
        return self.fetch_age[follower] > self.lag_time_max and self.lag(follower) > self.lag_time_max

    def counts_as_caught_up(self, follower: Follower) -> bool:
        """Whether the leader takes a follower to be caught up at this moment."""
        if self.keeps(Clock.CAUGHT_UP):
            return self.caught_up_age[follower] == 0
        else:
            return self.lag_begin_age[follower] is None

    def reads_for_one_caught_up(self, follower: Follower) -> bool:
        """Whether a fetch is being read that asked for no less than the leader had at the follower's fetch before."""
        reading = self.reading[follower]
        return reading is not None and reading.was_caught_up
