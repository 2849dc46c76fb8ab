"""Kafka's replication design V3 (2012), before 0.8: the leader judges the ISR inside each fetch, and only there."""

from isrcheck import action, constant, require
from isrmodel.isr.lemmas import Lemmas
from isrmodel.isr.properties import Properties
from isrmodel.isr.vocabulary import Appends, Clock, Event, IsrChange
from isrmodel.vocabulary import Age, FetchSize, Follower, Offset


class DesignV3(Properties, Lemmas):
    """The design of 2012: in each fetch the ISR's furthest behind may leave, and whoever is near its log end joins.

    Violates almost every property. Its rule for joining admits replicas *because* they are behind, and the high
    watermark, the least log end of the new ISR, then goes back. Without a timer nobody leaves while nobody fetches.
    Kinder than the text in two points: the leader never drops itself, and nobody is dropped who has everything.
    """

    max_records: int = constant(2, "records that producers may append")
    fetch_size: FetchSize = constant(FetchSize.ONE, "how much one fetch brings")
    min_lag_messages: int = constant(1, "MIN_BYTES_LAG: whoever is less than this behind the ISR's least may join")

    def keeps(self, clock: Clock) -> bool:
        """The leader keeps no clock: only the offset and the time of the last fetch."""
        return False

    def is_out(self, follower: Follower) -> bool:
        """The furthest behind of the ISR is out if that is too far (MAX_BYTES_LAG) or too long ago (MAX_TIME_LAG)."""
        least = self.offset_reached()
        too_far = self.log_end > least + self.max_lag_messages
        return self.known[follower] == least < self.log_end and (
            too_far or self.fetch_age[follower] > self.lag_time_max
        )

    def may_join(self, follower: Follower) -> bool:
        """Less than MIN_BYTES_LAG behind the least of the ISR: anybody who is behind that qualifies all the more."""
        return self.known[follower] < self.offset_reached() + self.min_lag_messages

    def moves_high_watermark(self, event: Event) -> bool:
        """The usual events move nothing: a fetch sets the high watermark, without regard to where it was."""
        return False

    def isr_change(self) -> IsrChange:
        """The ISR changes in fetches only."""
        return IsrChange.FETCH

    @action(sentence="{follower} fetches at offset {follower_end[follower]}")
    def follower_fetches(self, follower: Follower, changed: Follower | None) -> None:
        """A fetch, from request to response; `changed` is who joins or leaves the ISR by it."""
        require(self.may_fetch(follower))
        self.serve(follower, changed, self.log_end, 0)

    @action(sentence="{follower} fetches at offset {follower_end[follower]}, and a record is appended meanwhile")
    def follower_fetches_during_append(self, follower: Follower, changed: Follower | None) -> None:
        """A fetch with one append between the read and the leader's account of it."""
        require(self.appends == Appends.IN_READ_WINDOW)
        require(self.may_fetch(follower))
        end = self.log_end
        self.append()
        self.serve(follower, changed, end, 0)

    @action(sentence="the fetch of {follower} is answered")
    def fetch_is_served(self, follower: Follower, changed: Follower | None) -> None:
        """The leader has read; it accounts for the fetch as of its arrival."""
        require(self.reading[follower] is not None)
        age = self.arrival_age(follower)
        self.reading[follower] = None
        self.serve(follower, changed, self.log_end, age)

    def serve(self, follower: Follower, changed: Follower | None, end: Offset, age: Age) -> None:
        """Account for the fetch, change the ISR, then set the high watermark to the ISR's least log end."""
        self.note_fetch(follower, end, self.log_end, age)
        require(changed in self.who_may_change())
        if changed is not None and changed in self.isr:
            self.isr -= {changed}
            self.isr_has_shrunk = True
        elif changed is not None:
            self.isr |= {changed}
        self.hw = self.offset_reached()
        self.forget()

    def who_may_change(self) -> frozenset[Follower | None]:
        """A follower that may join, if there is any, which overrides a removal; else one that is out."""
        joining = frozenset(f for f in Follower if f not in self.isr and self.may_join(f))
        leaving = frozenset(f for f in Follower if f in self.isr and self.is_out(f))
        if len(joining) > 0:
            return joining
        elif len(leaving) > 0:
            return leaving
        else:
            return frozenset({None})
