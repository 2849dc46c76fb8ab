"""KAFKA-8841 (Kafka 2.4): a fetch that tells the leader nothing new no longer recomputes the high watermark."""

from typing import Self

from isrcheck import Drawing, Taken, applies, blame, change, constant, since, step
from isrmodel.isr.drawing import DRAWING, TIME_ALONE
from isrmodel.isr.kafka_7152 import Kafka7152
from isrmodel.isr.vocabulary import Event
from isrmodel.vocabulary import Follower, HwFetches


class Kafka8841(Kafka7152):
    """Kafka 2.4 to 3.6: as 2.1, but a follower that has everything does not end an idle stall by fetching on.

    A change for speed (PR #7324). Since 3.0 the controller's answer to a leader that let a follower in recomputes the
    high watermark, too (KAFKA-13091). Seen on brokers of 3.9.1 and 4.1.1.
    """

    drawing = Drawing(
        *DRAWING.words,
        change(
            "list_caught_up_before",
            "{members} caught up at an earlier tick, not now",
            action="follower_fetches",
        ),
        change("list_late_with_all", "{members} stays in the ISR with all that there is", action="time_passes"),
        blame(
            "live_fetch_ends_stall",
            "leader",
            "leaves the record at offset {hw} uncommitted, though its whole ISR {isr} has it; "
            "the fetch of {follower} tells nothing new, and does not move HW",
        ),
        since("live_fetch_ends_stall", "list_all_but_late", TIME_ALONE),
    )

    hw_fetches: HwFetches = constant(
        HwFetches.PROGRESS_OR_JOIN, "which fetches recompute the high watermark: KAFKA-8841, KAFKA-13091, or all"
    )

    def moves_high_watermark(self, event: Event) -> bool:
        """The high watermark moves after appends, removals from the ISR and some fetches."""
        if event == Event.REPEATED_FETCH:
            return self.hw_fetches == HwFetches.ALL
        elif event == Event.JOIN:
            return self.hw_fetches != HwFetches.PROGRESS
        else:
            return True

    @step
    def live_fetch_ends_stall(self, before: Self, taken: Taken) -> bool:
        """Once a member of the ISR has fetched, what the whole ISR has is committed, if no other was heard within T."""
        return not (
            (taken.action == "follower_fetches" or taken.action == "fetch_is_served")
            and taken.follower in before.isr
            and self.is_stalled()
        )

    @applies("live_fetch_ends_stall")
    def one_may_fetch_and_another_be_gone(self) -> bool:
        """Nobody is in the ISR of two replicas when the only follower is gone."""
        return self.replicas > 2

    # For the drawing

    def list_caught_up_before(self) -> frozenset[Follower]:
        """The followers that have just fetched, and were caught up at an earlier tick."""
        return frozenset(
            f for f in Follower if self.fetch_age[f] == 0 if 0 < self.caught_up_age[f] <= self.lag_time_max
        )

    def list_late_with_all(self) -> frozenset[Follower]:
        """The members of the ISR that caught up longer than T ago, and have read to the log end."""
        late = frozenset(f for f in Follower if self.caught_up_age[f] > self.lag_time_max)
        return frozenset(f for f in late if f in self.isr and self.known[f] == self.log_end)
