"""KAFKA-19996 at its steadiest: a record in every tick, and a follower that fetches one in every tick."""

from typing import Self

from isrcheck import Taken, constraint
from isrmodel.forever.policies import StrictMinIsrForever
from isrmodel.vocabulary import Follower


class StaysBehind(StrictMinIsrForever):
    """Kafka 3.7, for ever, with a follower that stays behind once it was taken out."""

    @constraint
    def never_caught_up(self) -> bool:
        """The follower is not seen to have had all there was."""
        return not self.isr_has_shrunk or all(self.caught_up_age[f] > self.lag_time_max for f in Follower)

    @constraint
    def a_record_a_tick(self, before: Self, taken: Taken) -> bool:
        """Producers write once between two ticks."""
        wrote = len(before.append_age) > 0 and before.append_age[-1] == 0
        writes = taken.action == "leader_appends"
        return not before.isr_has_shrunk or wrote != writes or (not writes and taken.action != "time_passes")
