"""Replica lag: when a follower was last caught up, as its leader measures it (KAFKA-4485, KAFKA-7152; `ReplicaState`).

A leader's record of a follower, and what a fetch does to it, are those of `isrmodel.partition`.
"""

from isrcheck import action, constant, each
from isrmodel.kraft.releases import Kraft
from isrmodel.partition.admission import age_since_caught_up, latest
from isrmodel.partition.protocol import Lag, unknown
from isrmodel.vocabulary import Age, Replica


class ReplicaLag(Kraft):
    """The clocks that a leader keeps of each follower, and time. The rules that ask them are in `timed.py`."""

    lag_time_max: int = constant(2, "T, in ticks", at_least=1, setting="replica.lag.time.max.ms", measure="ticks")

    # An age above T is None: longer ago than T and never are alike to every rule.
    lag: dict[Replica, dict[Replica, Lag]] = each(Replica, each(Replica, Lag(None, None, None, None)))

    @action(sentence="time passes")
    def time_passes(self) -> None:
        """A tick, on the clocks of all leaders alike."""
        self.lag = {leader: {f: self.older(self.lag[leader][f]) for f in Replica} for leader in Replica}

    def has_clock(self) -> bool:
        """Time passes."""
        return True

    def restart_clocks(self, broker: Replica, leads_on: bool) -> None:
        """A leader of a new epoch takes the ISR for caught up, and all others for never (`resetReplicaState`)."""
        known = self.known[broker]
        self.lag[broker] = {
            f: self.lag_at_epoch(broker, f, leads_on)
            if known.leader == broker and f != broker and f in known.isr
            else self.lag_outside_isr(broker, f)
            for f in Replica
        }

    def stop_clocks(self, broker: Replica) -> None:
        """All that a broker measured is forgotten."""
        self.lag[broker] = {f: unknown() for f in Replica}

    def note_fetch(self, leader: Replica, follower: Replica) -> None:
        """A fetch at the follower's log end sets its clocks (`updateFetchStateOrThrow`), and none of them back."""
        known, offset, log_end = self.lag[leader][follower], self.end(follower), self.end(leader)
        caught_up = latest(known.caught_up, age_since_caught_up(known, offset, log_end))
        self.lag[leader][follower] = Lag(offset, caught_up, 0, log_end)

    def lag_at_epoch(self, leader: Replica, follower: Replica, leads_on: bool) -> Lag:
        """A member of the ISR counts as caught up, and as having just fetched if its leader led just before."""
        known = self.lag[leader][follower]
        return Lag(known.fetched_to, 0, 0, self.end(leader)) if leads_on else Lag(None, 0, None, None)

    def lag_outside_isr(self, leader: Replica, follower: Replica) -> Lag:
        """A leader remembers the offset of a follower outside the ISR, and no time."""
        before = self.remembered[leader][follower]
        return unknown() if before == () else Lag(before[0].offset, None, None, None)

    def older(self, lag: Lag) -> Lag:
        """The clocks a tick later. A fetch longer ago than T no longer tells when its follower was caught up."""
        fetched = self.age_after_tick(lag.fetched)
        leo_then = None if fetched is None else lag.leo_then
        return Lag(lag.fetched_to, self.age_after_tick(lag.caught_up), fetched, leo_then)

    def age_after_tick(self, age: Age | None) -> Age | None:
        """An age one tick later, up to T."""
        return None if age is None or age >= self.lag_time_max else age + 1

    def lags(self, leader: Replica, follower: Replica) -> bool:
        """Whether a follower is behind the leader's log end and was not caught up within T (`isFollowerOutOfSync`)."""
        lag = self.lag[leader][follower]
        return lag.fetched_to != self.end(leader) and lag.caught_up is None
