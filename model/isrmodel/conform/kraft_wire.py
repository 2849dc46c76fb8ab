"""A partition under KRaft as events show it: a fetch arrives, and is answered later; records come in batches.

Both are shortcuts of the model's own steps: a late answer equals one applied at once, as nobody but the follower's own
next fetch looks at its log meanwhile; and a batch is its records one by one, of which the leader hears only the end.
"""

from isrcheck import Drawing, action, arrow, each, require
from isrmodel.kraft.drawing import DRAWING
from isrmodel.kraft.faults import Faults
from isrmodel.kraft.state import Acks, Heard, Record
from isrmodel.vocabulary import Offset, Replica


class OnTheWire(Faults):
    """Steps of which each is one operation of one broker."""

    drawing = Drawing(
        *DRAWING.words,
        arrow("fetch_arrives", "follower", "leader", "fetch"),
        arrow("answer_arrives", "leader", "follower", "fetch answered"),
    )

    read: dict[Replica, Offset] = each(
        Replica, 0
    )  # the leader's high watermark when it read for a follower's last fetch

    @action
    def append_until(self, leader: Replica, end: Offset) -> None:
        """A leader takes a batch of a producer's records."""
        require(self.leads(leader))
        require(self.end(leader) < end)
        self.log[leader] += tuple(self.known[leader].epoch for _ in range(end - self.end(leader)))
        self.move_high_watermark(leader)

    @action
    def fetch_arrives(self, leader: Replica, follower: Replica) -> None:
        """The leader takes note of a fetch, which is answered later or never."""
        require(self.is_served(follower, leader))
        require(not self.diverges(follower, leader))
        self.read[follower] = self.hw[leader]
        self.hear(leader, follower)

    @action
    def answer_arrives(self, follower: Replica, leader: Replica, end: Offset, at_once: bool) -> None:
        """The answer to a fetch: records up to an offset, and the leader's high watermark when it read them.

        It reads before it takes note of the fetch, and again when a fetch has waited for records.
        """
        require(self.is_served(follower, leader))
        require(not self.diverges(follower, leader))
        require(self.heard[leader][follower] == Heard(self.end(follower), self.session[follower]))
        require(self.end(follower) <= end and end <= self.end(leader))
        self.log[follower] += self.log[leader][self.end(follower) : end]
        self.hw[follower] = min(self.read[follower] if at_once else self.hw[leader], self.end(follower))

    @action
    def start_from_checkpoint(self, broker: Replica, hw: Offset) -> None:
        """A broker that comes back knows the high watermark that it last wrote down."""
        require(broker not in self.down)
        require(hw < self.hw[broker])
        self.hw[broker] = hw

    @action
    def acknowledge(self, leader: Replica, offset: Offset, acks: Acks) -> None:
        """A producer is told that its record is safe, as it asked for with this record."""
        require(self.leads(leader))
        require(offset < (self.hw[leader] if acks == Acks.ALL else self.end(leader)))
        require(acks != Acks.ALL or self.accepts(leader, self.maximal_isr(leader)))
        record = Record(offset, self.log[leader][offset])
        require(record not in self.acked)
        self.acked |= {record}
