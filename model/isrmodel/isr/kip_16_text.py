"""KIP-16 as its text has it: `lagBegin`, a clock that runs from the first fetch that does not reach the log's end."""

from isrcheck import constant
from isrmodel.isr.admission import Admission
from isrmodel.isr.vocabulary import Clock
from isrmodel.vocabulary import Follower


class Kip16Text(Admission):
    """KIP-16 as written: out when lagBegin is set and older than T.

    Breaks `dead_evicted`: a follower that was caught up and then dies never begins to lag. The prose adds that it must
    have fetched within T, which the code shown does not ask; `prose_condition` adds it. `keep_up_stays` breaks as in
    the version that was built, one record later; and with the leader's log end taken after the read, a fetch that
    reached the end may count as lagging (`caught_up_fetch_counts`).
    """

    max_records: int = constant(1, "records that producers may append")
    expiration_period: int = constant(1, "ticks between two runs of the isr-expiration task", at_least=1)
    prose_condition: bool = constant(False, "whether no fetch for T puts a follower out, as the text's prose says")

    def keeps(self, clock: Clock) -> bool:
        """lagBegin."""
        return clock == Clock.LAG_BEGIN

    def is_out(self, follower: Follower) -> bool:
        """Lagging for longer than T; with the prose's condition, without a fetch for T as well."""
        begun = self.lag_begin_age[follower]
        lagging = begun is not None and begun > self.lag_time_max
        return lagging or (self.prose_condition and self.fetch_age[follower] > self.lag_time_max)

    def may_join(self, follower: Follower) -> bool:
        """The follower has reached the high watermark, as before."""
        return self.known[follower] >= self.hw
