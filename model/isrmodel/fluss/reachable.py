"""Reachability properties, so that no property holds vacuously, and the constants with which each may be reached."""

from isrcheck import applies, reachable
from isrmodel.fluss.memory import Memory
from isrmodel.fluss.properties import BucketSafety
from isrmodel.fluss.truncation import Truncation
from isrmodel.kraft.state import Acks
from isrmodel.vocabulary import Replica


class ReachableBucket(BucketSafety):
    """A bucket whose leaders change, and whose ISR shrinks and grows."""

    @reachable
    def something_is_acked(self) -> bool:
        """A writer is told that its record is safe."""
        return self.acked != frozenset()

    @reachable
    def a_later_leader_commits(self) -> bool:
        """A leader of a later epoch has a record of its own below its high watermark."""
        return any(
            self.log[s][offset] == self.known[s].epoch
            for s in Replica
            if self.leads(s) and self.known[s].epoch > 1
            for offset in range(self.hw[s])
        )

    @reachable
    def a_zombie_writes(self) -> bool:
        """A server that no longer leads has a record of its own that the leader on record lacks."""
        return any(
            self.log[s] != () and self.log[s][-1] == self.known[s].epoch and self.end(leader) < self.end(s)
            for s in Replica
            if self.leads(s) and not self.rules(s)
            for leader in Replica
            if self.rules(leader)
        )

    @reachable
    def someone_leaves(self) -> bool:
        """The ISR on record lacks a server."""
        return self.has_begun() and any(s not in self.now.isr for s in Replica)

    @reachable
    def someone_rejoins(self) -> bool:
        """The ISR on record has a server that its leader has asked for and not yet heard of."""
        return any(self.rules(s) and self.known[s].isr < self.now.isr for s in Replica)

    @applies("something_is_acked")
    def writers_are_answered(self) -> bool:
        """A writer is told nothing with acks=0, and with acks=-1 nothing below the least ISR."""
        return self.acks != Acks.NONE and self.min_isr <= self.replicas

    @applies("a_later_leader_commits", "a_zombie_writes")
    def leaders_change(self) -> bool:
        """The bucket has one leader epoch."""
        return self.max_epoch > 1 and self.max_version > 1 and self.min_isr <= self.replicas

    @applies("someone_leaves", "someone_rejoins", "grant", "hear_granted")
    def someone_may_leave(self) -> bool:
        """Nobody leaves an ISR in which nobody is late, stops or loses its session."""
        return self.max_version > 1 and (self.lags + self.losses() > 0 or self.memory == Memory.NONE)

    @applies("end_session", "register", "leaderless")
    def sessions_end(self) -> bool:
        """No session ends unless a server stops, or one of `expiries` happens."""
        return self.losses() > 0

    @applies("leave", "stop")
    def someone_stops(self) -> bool:
        """Nobody shuts down unless `stops` is above 0."""
        return self.stops > 0

    @applies("refuse")
    def someone_may_be_ineligible(self) -> bool:
        """A request is refused only once a session has ended since the leader asked."""
        return self.losses() > 0 and self.max_version > 2

    @applies("kill")
    def someone_is_killed(self) -> bool:
        """Nobody is killed unless `kills` is above 0."""
        return self.kills > 0

    @applies("refuse_stale")
    def the_record_changes_meanwhile(self) -> bool:
        """A request is out of date only once something else was put on record, or once it is sent again."""
        return self.max_version > 2 and (self.lags + self.losses() > 0 or self.memory == Memory.NONE)

    @applies("lose_power")
    def someone_loses_power(self) -> bool:
        """Nobody loses power unless `power_losses` is above 0."""
        return self.power_losses > 0

    @applies("ask_drop")
    def followers_are_late(self) -> bool:
        """Nobody is dropped unless `lags` is above 0, or a notice makes all followers late."""
        return self.lags > 0 or self.memory == Memory.NONE

    @applies("lag")
    def someone_is_late(self) -> bool:
        """Nobody is late unless `lags` is above 0."""
        return self.lags > 0

    @applies("read_isr")
    def the_lock_is_missing(self) -> bool:
        """The ISR is read under the lock (`shrink_locked`)."""
        return not self.shrink_locked

    @applies("lose_answer")
    def an_answer_is_lost(self) -> bool:
        """No answer is lost unless `lost_answers` is above 0."""
        return self.lost_answers > 0

    @applies("ask_and_truncate")
    def leaders_are_asked(self) -> bool:
        """Nobody asks a leader where to truncate with today's rule, or without leader epochs."""
        asks = self.truncation not in (Truncation.NONE, Truncation.HIGH_WATERMARK)
        return asks and self.epochless < self.replicas

    @applies("fail_over")
    def a_coordinator_takes_over(self) -> bool:
        """No coordinator takes over unless `failovers` is above 0."""
        return self.failovers > 0

    @applies("fail_write")
    def a_write_fails(self) -> bool:
        """No write to ZooKeeper fails unless `failed_writes` is above 0."""
        return self.failed_writes > 0

    @applies("elect_unclean")
    def elections_are_unclean(self) -> bool:
        """Nobody outside the ISR is elected unless `unclean` is set, and a server may stop."""
        return self.unclean and self.losses() > 0

    @applies("detect_clash")
    def sequences_clash(self) -> bool:
        """A clash needs `detects_clash`, a leader that began with a record, and a longer log."""
        return self.detects_clash and self.max_records > 2

    @applies("run_old")
    def modes_are_mixed(self) -> bool:
        """Every server has leader epochs unless `epochless` is above 0."""
        return self.epochless > 0

    @applies("cut_out_of_range")
    def a_follower_may_have_more(self) -> bool:
        """A follower of two servers never has more than its leader, unless that loses records."""
        return self.replicas > 2 or self.power_losses > 0

    def losses(self) -> int:
        """How many servers may stop or lose their session."""
        return self.stops + self.kills + self.power_losses + self.expiries
