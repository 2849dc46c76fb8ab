"""ISR admission policies for ever: who flaps, what stalls, and who never leaves or never returns.

Nothing makes producers append or followers fetch, but time does not stop: without an environment a follower may be
dead. With `endless`, offsets are counted from the high watermark or the least offset that the leader knows of a
follower, whichever is less: producers append for ever unless the high watermark stands still.
"""

from enum import Enum

from isrcheck import (
    Taken,
    Temporal,
    action,
    applies,
    assume,
    canonical,
    constant,
    eventually_always,
    fairness,
    history,
    leads_to,
    members,
    require,
    temporal,
)
from isrmodel.isr.properties import Properties
from isrmodel.isr.vocabulary import Appends, FetchSteps, Pace
from isrmodel.vocabulary import FetchSize, Follower, Offset


class Producers(Enum):
    """How fast producers write."""

    FREE = "as fast as they like"
    SETTLE = "as they like at first, and from some time on at most one record a tick, before anybody fetches"


class AdmissionForever(Properties):
    """The complaints of KIP-16, KAFKA-4485, KAFKA-13091, KAFKA-19996 about what never ends or never comes."""

    endless: bool = constant(
        False, "offsets begin at the high watermark or the least known of a follower; max_records bounds what is beyond"
    )

    recounts_hw: bool = constant(
        False, "with endless: a high watermark that may not advance is counted as the least known of a follower"
    )

    producers: Producers = constant(Producers.FREE, "how fast producers write")

    settled: bool = False  # producers write at most one record a tick, before anybody fetches
    has_written: bool = False  # since the last tick; asked of producers that have settled
    log_end_before: Offset = 0  # the leader's log end, at the end of the step before
    in_sync_then: frozenset[Follower] = history(members(Follower))  # at the end of the step before
    joined: frozenset[Follower] = history(frozenset())  # in the last step
    left: frozenset[Follower] = history(frozenset())  # in the last step

    @assume
    def ticks_show(self) -> bool:
        """The writes between two ticks are counted only at the pace every-tick, and only if appends are free."""
        counts = self.pace == Pace.EVERY_TICK and self.appends == Appends.FREE
        return self.producers == Producers.FREE or counts

    @action(fair="weak", sentence="producers settle: from now on they write at most a record a tick")
    def producers_settle(self) -> None:
        """Producers settle: from now on a follower that is given a record by each fetch gets no further behind."""
        require(self.producers == Producers.SETTLE)
        require(not self.settled)
        self.settled = True

    @applies("producers_settle")
    def producers_may_settle(self) -> bool:
        """Producers write as fast as they like with producers=free."""
        return self.producers == Producers.SETTLE

    # Who fetches

    @fairness
    def followers_alive(self, taken: Taken) -> bool:
        """Every follower fetches again and again, and is answered."""
        if self.fetch_steps == FetchSteps.ONE:
            return taken.action == "follower_fetches"
        else:
            return taken.action == "fetch_arrives" or taken.action == "fetch_is_served"

    @fairness(fair="weak-any")
    def one_follower_alive(self, taken: Taken) -> bool:
        """Some follower fetches again and again, and is answered."""
        if self.fetch_steps == FetchSteps.ONE:
            return taken.action == "follower_fetches"
        else:
            return taken.action == "fetch_arrives" or taken.action == "fetch_is_served"

    # Who is in the ISR

    @temporal
    def no_flapping(self) -> Temporal:
        """No follower that keeps its pace leaves and rejoins again and again (KAFKA-4485, KAFKA-19996).

        Who leaves infinitely often joins infinitely often. Asked of followers that keep a pace for ever, thus with
        `followers_alive`: without it a behaviour may stop where one has just left.
        """
        return all(eventually_always(f not in self.left) for f in Follower)

    @temporal
    def vain_joins_end(self) -> Temporal:
        """Nobody joins again and again whom the test for leaving would take out at once (KAFKA-4485, KAFKA-19996)."""
        return all(eventually_always(not self.joins_in_vain(f)) for f in Follower)

    @temporal
    def keep_up_settles(self) -> Temporal:
        """A follower that fetches in time and receives everything is in the ISR for good (KAFKA-4485, problem 2)."""
        return all(eventually_always(f in self.isr) for f in Follower)

    @temporal
    def keep_up_returns(self) -> Temporal:
        """A follower that fetches in time and receives everything comes back, if it was taken out (KAFKA-4485)."""
        return all(leads_to(f not in self.isr, f in self.isr) for f in Follower)

    @temporal
    def pace_returns(self) -> Temporal:
        """A follower that is given a record by each fetch, and stays as far behind, comes back: KAFKA-19996's price."""
        return all(leads_to(f not in self.isr, f in self.isr) for f in Follower)

    @temporal
    def caught_up_returns(self) -> Temporal:
        """A follower outside the ISR that has all that the leader has comes back (KIP-16 scenario 3)."""
        return all(leads_to(self.waits_outside(f), not self.waits_outside(f)) for f in Follower)

    @temporal
    def dead_leaves(self) -> Temporal:
        """A follower that misses a record and makes no fetch any more leaves the ISR (KIP-16 scenario 2)."""
        return all(leads_to(self.seems_dead(f), not self.seems_dead(f)) for f in Follower)

    # What is committed

    @temporal
    def no_stall(self) -> Temporal:
        """Every record that the whole ISR has is committed, without a further append (KAFKA-13091, the idle stall)."""
        return all(
            leads_to(self.isr_has(n), self.hw >= n or not self.may_advance()) for n in range(self.max_records + 1)
        )

    @temporal
    def writes_end(self) -> Temporal:
        """Every record is committed, or the ISR falls below min.insync.replicas and the producer hears of it."""
        return all(leads_to(self.log_end >= n, self.hw >= n or self.is_refused()) for n in range(self.max_records + 1))

    # Where they are asked

    @applies("no_flapping", "vain_joins_end", "keep_up_settles", "keep_up_returns", "pace_returns")
    def followers_keep_a_pace(self) -> bool:
        """A follower that is late is meant to leave: asked at a pace such as every-tick."""
        return self.pace != Pace.FREE

    @applies("keep_up_settles", "keep_up_returns")
    def fetches_bring_everything(self) -> bool:
        """A follower keeps up only if a fetch brings everything (fetch_size=all)."""
        return self.fetch_size == FetchSize.ALL

    @applies("pace_returns")
    def producers_never_meet_the_bound(self) -> bool:
        """Producers that write one record a tick for ever (producers=settle) ask for endless and recounts_hw."""
        return self.endless and self.recounts_hw and self.producers == Producers.SETTLE

    @applies("no_stall", "writes_end")
    def records_are_numbered(self) -> bool:
        """Records have numbers only with endless=false."""
        return not self.endless

    @applies(
        "something_commits",
        "hw_never_decreases",
        "joins_at_high_watermark",
        "joins_at_log_end",
        "reading_to_end_stays",
        "no_bad_expand",
        "caught_up_rejoins",
        "caught_up_fetch_counts",
        "no_eviction_while_reading",
    )
    def offsets_stay(self) -> bool:
        """An offset is not the same before and after a step with endless=true."""
        return not self.endless

    # What they look at

    def joins_in_vain(self, follower: Follower) -> bool:
        """Whether a follower has just joined, and the test for leaving would take it out again."""
        return follower in self.joined and self.is_out(follower)

    def waits_outside(self, follower: Follower) -> bool:
        """Whether a follower outside the ISR has told the leader that it has everything."""
        return self.leads() and follower not in self.isr and self.known[follower] == self.log_end

    def seems_dead(self, follower: Follower) -> bool:
        """Whether a member of the ISR misses a record and was not heard of for longer than T."""
        missing = self.follower_end[follower] < self.log_end
        return self.leads() and follower in self.isr and missing and self.fetch_age[follower] > self.lag_time_max

    def isr_has(self, end: Offset) -> bool:
        """Whether leader and ISR are known to have reached an offset, and the high watermark may move."""
        return (
            self.may_advance() and self.log_end >= end and all(self.known[f] >= end for f in Follower if f in self.isr)
        )

    def is_refused(self) -> bool:
        """Whether the ISR, the leader included, is below min.insync.replicas, or the leader gave up its office."""
        return len(self.isr) < self.min_isr or not self.leads()

    def forget(self) -> None:
        """Note who joined or left. A step in which producers that have settled write too much is none.

        Of steps that write nothing only a tick leaves nobody who has fetched.
        """
        writes, nobody_fetched = self.log_end > self.log_end_before, self.fetched == frozenset()
        require(not (self.settled and writes) or (nobody_fetched and not self.has_written))
        self.has_written = self.settled and (writes or (self.has_written and not nobody_fetched))
        self.joined = frozenset(f for f in Follower if f in self.isr and f not in self.in_sync_then)
        self.left = frozenset(f for f in Follower if f in self.in_sync_then and f not in self.isr)
        self.in_sync_then = frozenset(f for f in Follower if f in self.isr)
        self.log_end_before = self.log_end

    # How it is counted

    @canonical
    def renumber(self) -> None:
        """Count offsets, with `endless`, from the high watermark or the least that the leader knows of a follower."""
        if self.endless:
            known = min((self.known[f] for f in Follower), default=self.hw)
            if self.recounts_hw and not self.may_advance():
                self.hw = max(self.hw, known)
            least = min(self.hw, known)
            self.log_end -= least
            self.log_end_before -= least
            self.hw -= least
            self.append_age = self.append_age[least:]
            self.known = {f: self.known[f] - least for f in Follower}
            self.follower_end = {f: self.follower_end[f] - least for f in Follower}
            self.fetch_leo = {f: max(self.fetch_leo[f], least) - least for f in Follower}
