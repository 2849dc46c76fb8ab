"""Admission as Kafka decided it: when a follower leaves the ISR, when it returns, whom the high watermark waits for."""

from isrcheck import assume, constant
from isrmodel.partition.partition import Partition
from isrmodel.partition.protocol import Lag, unknown
from isrmodel.vocabulary import Age, HwFetches, Offset, Replica


class MaxMessages(Partition):
    """Kafka 0.8: replica.lag.max.messages, or no fetch within replica.lag.time.max.ms while records are missing.

    A new leader counts as if everybody had just fetched.
    """

    max_lag_messages: int = constant(
        1,
        "replica.lag.max.messages: records that a follower in the ISR may lack",
        setting="replica.lag.max.messages",
        measure="many",
    )

    def lag_at_epoch(self, lag: Lag, in_isr: bool, log_end: Offset, is_new: bool) -> Lag:
        """The follower's position is unknown; the clock starts."""
        return Lag(None, None, 0, None)

    def lag_at_resignation(self, lag: Lag) -> Lag:
        """No lag of a follower is remembered."""
        return unknown()

    def lag_after_fetch(self, lag: Lag, offset: Offset, log_end: Offset) -> Lag:
        """Any fetch starts the clock again, whether it makes progress or not."""
        return Lag(offset, None, 0, None)

    def must_leave(self, leader: Replica, follower: Replica) -> bool:
        """A follower leaves that is behind and has not fetched for too long, or lacks too many records."""
        log_end = len(self.log[leader])
        silent = not self.has_fetched_to(leader, follower, log_end) and self.is_too_old(
            self.lag[leader][follower].fetched
        )
        return silent or (
            self.has_fetched_to(leader, follower, 0)
            and log_end - self.fetch_offset(leader, follower) > self.max_lag_messages
        )

    def may_join(self, leader: Replica, follower: Replica) -> bool:
        """A follower joins that has reached the high watermark."""
        return self.has_fetched_to(leader, follower, self.hw[leader])

    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """The high watermark waits for a follower while it is in the ISR."""
        return follower in self.isr[leader]

    def may_commit(self, leader: Replica) -> bool:
        """Always."""
        return True

    def time_commits(self) -> bool:
        """No."""
        return False


class Kip16Merged(Partition):
    """KIP-16 as merged (Kafka 0.9 to 0.10.1): a follower must have read to the log end within the time allowed.

    The clock starts when a broker first hears of the partition, and an election does not reset it: a new leader may
    find that everybody in the ISR must leave.
    """

    def lag_at_epoch(self, lag: Lag, in_isr: bool, log_end: Offset, is_new: bool) -> Lag:
        """A new leader does not know where the follower is; the clock goes on as it was."""
        return clock_running(lag)._replace(fetched_to=None if is_new else lag.fetched_to)

    def lag_at_resignation(self, lag: Lag) -> Lag:
        """The clock goes on, and nobody looks at it."""
        return clock_running(lag)._replace(fetched_to=None)

    def lag_after_fetch(self, lag: Lag, offset: Offset, log_end: Offset) -> Lag:
        """A fetch that reads to the log end starts the clock again."""
        return Lag(offset, 0 if offset >= log_end else lag.caught_up, None, None)

    def must_leave(self, leader: Replica, follower: Replica) -> bool:
        """A follower leaves that has not read to the log end for too long."""
        return self.is_too_old(self.lag[leader][follower].caught_up)

    def may_join(self, leader: Replica, follower: Replica) -> bool:
        """A follower joins that has reached the high watermark."""
        return self.has_fetched_to(leader, follower, self.hw[leader])

    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """The high watermark waits for a follower while it is in the ISR."""
        return follower in self.isr[leader]

    def may_commit(self, leader: Replica) -> bool:
        """Always."""
        return True

    def time_commits(self) -> bool:
        """No."""
        return False


class Kafka4485Text(Partition):
    """KAFKA-4485 as its text (version 2) defines it, with an ISR that is nevertheless on record.

    The high watermark waits for the pseudo-ISR alone: the followers whose lag is small enough, whatever the record
    says. A member that has just fallen behind no longer counts, and may yet be elected before its removal is written.
    """

    def lag_at_epoch(self, lag: Lag, in_isr: bool, log_end: Offset, is_new: bool) -> Lag:
        """A member of the ISR counts as caught up now, and everybody as having just fetched: the text does not say."""
        return Lag(None if is_new else lag.fetched_to, 0 if in_isr else None, 0, log_end)

    def lag_at_resignation(self, lag: Lag) -> Lag:
        """No lag of a follower is remembered."""
        return unknown()

    def lag_after_fetch(self, lag: Lag, offset: Offset, log_end: Offset) -> Lag:
        """A follower is caught up that has all, or all that there was when it fetched last."""
        return Lag(offset, age_since_caught_up(lag, offset, log_end), 0, log_end)

    def must_leave(self, leader: Replica, follower: Replica) -> bool:
        """A follower leaves that is not in the pseudo-ISR, or below the high watermark."""
        below = self.has_fetched_to(leader, follower, 0) and self.fetch_offset(leader, follower) < self.hw[leader]
        return below or self.is_too_old(self.lag[leader][follower].caught_up)

    def may_join(self, leader: Replica, follower: Replica) -> bool:
        """A follower joins that is in the pseudo-ISR and has reached the high watermark."""
        return not self.is_too_old(self.lag[leader][follower].caught_up) and self.has_fetched_to(
            leader, follower, self.hw[leader]
        )

    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """The high watermark waits for a follower while it is in the pseudo-ISR."""
        return not self.is_too_old(self.lag[leader][follower].caught_up)

    def may_commit(self, leader: Replica) -> bool:
        """Always."""
        return True

    def time_commits(self) -> bool:
        """Yes: the sets and the high watermark are what the definitions say, at any time."""
        return True


class Kafka4485Merged(Partition):
    """KAFKA-4485 as merged (Kafka 0.10.2): the high watermark waits for the ISR and for all who may come back to it.

    An election starts the clocks of the ISR again; but 0.10.2 then notes a read of unknown offset for every follower,
    and that sets them back to never (KAFKA-4441).
    """

    unknown_read_counts: bool = constant(
        True, "the read of unknown offset that a new leader notes for every follower sets its clocks, as in 0.10.2"
    )

    def lag_at_epoch(self, lag: Lag, in_isr: bool, log_end: Offset, is_new: bool) -> Lag:
        """A member of the ISR counts as caught up now, unless a new leader's unknown read undoes it."""
        reset = Lag(None if is_new else lag.fetched_to, 0 if in_isr else None, 0, log_end)
        return unknown() if is_new and self.unknown_read_counts else reset

    def lag_at_resignation(self, lag: Lag) -> Lag:
        """No lag of a follower is remembered."""
        return unknown()

    def lag_after_fetch(self, lag: Lag, offset: Offset, log_end: Offset) -> Lag:
        """A follower is caught up that has all, or all that there was when it fetched last."""
        return Lag(offset, age_since_caught_up(lag, offset, log_end), 0, log_end)

    def must_leave(self, leader: Replica, follower: Replica) -> bool:
        """A follower leaves that has not caught up for too long."""
        return self.is_too_old(self.lag[leader][follower].caught_up)

    def may_join(self, leader: Replica, follower: Replica) -> bool:
        """A follower joins that has reached the high watermark, whether or not it has caught up of late."""
        return self.has_fetched_to(leader, follower, self.hw[leader])

    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """The high watermark waits for a follower while it is in the ISR, or would not have to leave it."""
        return follower in self.isr[leader] or not self.is_too_old(self.lag[leader][follower].caught_up)

    def may_commit(self, leader: Replica) -> bool:
        """Always."""
        return True

    def time_commits(self) -> bool:
        """No: a fetch, a write or a change of the ISR must ask for it."""
        return False


class Kafka7152(Partition):
    """KAFKA-7152 and KAFKA-7128 (Kafka 2.1): who has all stays in; who joins has all that earlier leaders committed."""

    def lag_at_epoch(self, lag: Lag, in_isr: bool, log_end: Offset, is_new: bool) -> Lag:
        """A member of the ISR counts as caught up now; a new leader's unknown read leaves that as it is."""
        caught_up = 0 if in_isr else None
        return Lag(None, caught_up, None, None) if is_new else Lag(lag.fetched_to, caught_up, 0, log_end)

    def lag_at_resignation(self, lag: Lag) -> Lag:
        """No lag of a follower is remembered."""
        return unknown()

    def lag_after_fetch(self, lag: Lag, offset: Offset, log_end: Offset) -> Lag:
        """A follower is caught up that has all, or all there was when it fetched last; the clock never goes back."""
        return Lag(offset, latest(lag.caught_up, age_since_caught_up(lag, offset, log_end)), 0, log_end)

    def must_leave(self, leader: Replica, follower: Replica) -> bool:
        """A follower leaves that lacks records, and has not caught up for too long."""
        lacks_some = not self.has_fetched_to(leader, follower, len(self.log[leader]))
        return lacks_some and self.is_too_old(self.lag[leader][follower].caught_up)

    def may_join(self, leader: Replica, follower: Replica) -> bool:
        """A follower joins that has reached the high watermark and the start of the leader's epoch."""
        return self.has_fetched_to(leader, follower, max(self.hw[leader], self.epoch_start(leader)))

    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """The high watermark waits for a follower while it is in the ISR, or has caught up of late."""
        return follower in self.isr[leader] or not self.is_too_old(self.lag[leader][follower].caught_up)

    def may_commit(self, leader: Replica) -> bool:
        """Always."""
        return True

    def time_commits(self) -> bool:
        """No: a fetch, a write or a change of the ISR must ask for it."""
        return False

    def epoch_start(self, leader: Replica) -> Offset:
        """The offset at which a leader's epoch began: below it are the records of earlier leaders."""
        return len(tuple(record for record in self.log[leader] if record < self.leader_epoch[leader]))


class Kafka8841(Kafka7152):
    """KAFKA-8841 (Kafka 2.4): a fetch that tells the leader nothing new no longer recomputes the high watermark."""

    hw_fetches: HwFetches = constant(
        HwFetches.PROGRESS_OR_JOIN, "which fetches recompute the high watermark: KAFKA-8841, KAFKA-13091, or all"
    )

    def fetch_commits(self, is_news: bool, joins: bool) -> bool:
        """A new log end offset does, and since Kafka 3.0 an admission."""
        return is_news or self.hw_fetches == HwFetches.ALL or (joins and self.hw_fetches != HwFetches.PROGRESS)


class StrictMinIsr(Kafka8841):
    """KAFKA-15583 (Kafka 3.7): nothing is committed while the ISR is smaller than min.insync.replicas."""

    min_isr: int = constant(
        2, "min.insync.replicas, the leader included", at_least=1, setting="min.insync.replicas", measure="value"
    )

    @assume
    def enough_replicas(self) -> bool:
        """min.insync.replicas is no more than there are replicas, for Kafka takes the lesser of the two."""
        return self.min_isr <= self.replicas

    def may_commit(self, leader: Replica) -> bool:
        """The ISR, leader included, is large enough."""
        return len(self.isr[leader]) >= self.min_isr


def clock_running(lag: Lag) -> Lag:
    """A lag whose clock runs, from now on if it did not yet."""
    return lag._replace(caught_up=0 if lag.caught_up is None else lag.caught_up)


def age_since_caught_up(lag: Lag, offset: Offset, log_end: Offset) -> Age | None:
    """How long ago a follower had all that the leader had, judging by a fetch at an offset (KAFKA-4485)."""
    if offset >= log_end:
        return 0
    elif lag.leo_then is not None and offset >= lag.leo_then:
        return lag.fetched
    else:
        return lag.caught_up


def latest(one: Age | None, other: Age | None) -> Age | None:
    """The more recent of two points in time, either of which may never have been."""
    return other if one is None else one if other is None else min(one, other)
