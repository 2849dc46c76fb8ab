"""KIP-501 (never adopted): a follower is in sync while the leader reads for it; a leader that reads too long goes."""

from isrcheck import applies, assume, constant, reachable
from isrmodel.isr.kafka_8841 import Kafka8841
from isrmodel.isr.vocabulary import FetchSteps
from isrmodel.vocabulary import Age, Follower, HwFetches, Offset


class Kip501(Kafka8841):
    """KIP-501: a follower is in sync while its fetch is read (`pending_counts`); a slow leader goes (`relinquish`).

    The first part keeps a follower in the ISR while its fetch is being read (`no_eviction_while_reading`); alone it
    keeps a dead one there for as long as a read never ends (`read_does_not_pin`), which the second part bounds.
    """

    max_records: int = constant(2, "records that producers may append")
    fetch_steps: FetchSteps = constant(FetchSteps.TWO, "whether time may pass while the leader reads for a fetch")
    hw_fetches: HwFetches = constant(
        HwFetches.PROGRESS, "which fetches recompute the high watermark: KAFKA-8841, KAFKA-13091, or all"
    )
    pending_counts: bool = constant(True, "follower.fetch.pending.reads.insync.enable")
    relinquish: bool = constant(False, "whether the leader gives up its office when a read takes too long")
    process_time_max: int = constant(
        1, "what is too long, in ticks", setting="leader.fetch.process.time.max.ms", measure="ticks"
    )
    arrival_counts: bool = constant(
        False, "whether any fetch that counts as pending sets lastCaughtUpTimeMs to its arrival once it is served"
    )

    @assume
    def reads_end_within_lag_time(self) -> bool:
        """leader.fetch.process.time.max.ms is below replica.lag.time.max.ms: ages beyond that are not told apart."""
        return self.process_time_max < self.lag_time_max or not self.relinquish

    def caught_up_age_after(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """The age as before; or, with `arrival_counts`, that of the arrival of every fetch that counted as pending."""
        if self.arrival_counts and offset >= self.fetch_leo[follower]:
            return min(age, self.caught_up_age[follower])
        else:
            return min(self.caught_up_age_by_fetches(follower, offset, leo, age), self.caught_up_age[follower])

    def is_out(self, follower: Follower) -> bool:
        """The follower is out, unless a fetch is read that begins at or after the log end of the fetch before."""
        return self.lags(follower) and not (self.pending_counts and self.reads_for_one_caught_up(follower))

    def leads(self) -> bool:
        """The leader stays until a fetch has been read for longer than leader.fetch.process.time.max.ms."""
        return not (
            self.relinquish and any(self.reads_for(f) and self.arrival_age(f) > self.process_time_max for f in Follower)
        )

    @reachable
    def leader_relinquishes(self) -> bool:
        """The leader gives up its office."""
        return not self.leads()

    @reachable
    def reading_keeps_somebody(self) -> bool:
        """A follower that would be out is in the ISR because its fetch is being read (the table of KIP-501)."""
        return any(self.lags(f) and not self.is_out(f) for f in Follower if f in self.isr)

    @applies("reading_keeps_somebody")
    def reading_may_keep_somebody(self) -> bool:
        """A fetch that is being read keeps nobody but with pending_counts=true and fetch_steps=two."""
        return self.pending_counts and self.fetch_steps == FetchSteps.TWO and self.max_records > 0

    @applies("leader_relinquishes")
    def leader_may_relinquish(self) -> bool:
        """The leader gives up its office only with relinquish=true, and if reads take time (fetch_steps=two)."""
        return self.relinquish and self.fetch_steps == FetchSteps.TWO
