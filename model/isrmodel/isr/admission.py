"""Fetches as Kafka has served them since 0.8: account for it, try to let the follower in, move the high watermark."""

from isrcheck import action, require
from isrmodel.isr.lemmas import Lemmas
from isrmodel.isr.properties import Properties
from isrmodel.isr.vocabulary import Appends, Event, IsrChange, LeoTaken
from isrmodel.vocabulary import Age, Follower, Offset


class Admission(Properties, Lemmas):
    """The protocol, with eight slots left to the versions of Kafka (`timed.py`)."""

    @action(sentence="{follower} fetches at offset {follower_end[follower]}")
    def follower_fetches(self, follower: Follower) -> None:
        """A fetch, from request to response. It tells the leader how far the follower was before."""
        require(self.may_fetch(follower))
        self.serve(follower, self.log_end, self.log_end, 0)

    @action(sentence="{follower} fetches at offset {follower_end[follower]}, and a record is appended meanwhile")
    def follower_fetches_during_append(self, follower: Follower) -> None:
        """A fetch with one append between the read and the leader's account of it (KIP-16's race)."""
        require(self.appends == Appends.IN_READ_WINDOW)
        require(self.may_fetch(follower))
        end = self.log_end
        self.append()
        self.serve(follower, end, end if self.leo_taken == LeoTaken.BEFORE_READ else self.log_end, 0)

    @action(sentence="the fetch of {follower} is answered")
    def fetch_is_served(self, follower: Follower) -> None:
        """The leader has read; it accounts for the fetch as of its arrival."""
        require(self.leads())
        require(self.reading[follower] is not None)
        age = self.arrival_age(follower)
        self.reading[follower] = None
        self.serve(follower, self.log_end, self.log_end, age)

    def serve(self, follower: Follower, end: Offset, leo: Offset, age: Age) -> None:
        """Account, join, high watermark: in this order, so that who joins is measured by the old high watermark."""
        known = self.known[follower]
        self.note_fetch(follower, end, leo, age)
        joins = self.isr_change() == IsrChange.TASK and follower not in self.isr and self.may_join(follower)
        if joins:
            self.isr |= {follower}
        if self.known[follower] != known:
            self.recompute_high_watermark(Event.FETCH)
        else:
            self.recompute_high_watermark(Event.JOIN if joins else Event.REPEATED_FETCH)
        self.follow_definition()

    def caught_up_age_by_fetches(self, follower: Follower, offset: Offset, leo: Offset, age: Age) -> Age:
        """KAFKA-4485's measure: caught up now, or as of the fetch before if that fetch's log end was reached."""
        if offset >= leo:
            return age
        elif offset >= self.fetch_leo[follower]:
            return self.fetch_age[follower]
        else:
            return self.caught_up_age[follower]
