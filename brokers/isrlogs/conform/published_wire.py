"""The published designs as events show them: orders of the controller, batches, and fetches that are answered later.

An order begins an epoch, with whatever the controller removed before it. A leader accounts for a fetch, and answers it
later; an answer without records, which the designs leave out, brings its high watermark alone.
"""

from isrcheck import Drawing, action, arrow, each, require
from isrmodel.published.replication import Epoch, Offset, Record, Replication
from isrmodel.vocabulary import Replica


class PublishedOnTheWire(Replication):
    """Steps of which each is one operation of one broker, or of the controller."""

    drawing = Drawing(
        arrow("fetch_is_noted", "follower", "leader", "fetch"),
        arrow("answer_arrives", "leader", "follower", "fetch answered"),
    )

    read: dict[Replica, Offset] = each(Replica, 0)  # the leader's high watermark when it noted a follower's last fetch

    @action(sentence="the controller begins a leader epoch")
    def controller_orders(self, chosen: Replica, isr: frozenset[Replica]) -> None:
        """The controller begins an epoch with a leader from the ISR, and leaves out whom it takes for dead."""
        require(chosen in isr and isr <= self.quorum_isr)
        self.controller_begins_epoch(chosen, isr)

    @action(sentence="{leader} appends a batch of records")
    def append_until(self, leader: Replica, end: Offset) -> None:
        """A leader takes a batch of a producer's records."""
        require(self.presumes_leadership(leader))
        require(len(self.log[leader]) < end)
        batch = tuple(
            Record(self.next_record_id + place, self.epoch_of(leader)) for place in range(end - len(self.log[leader]))
        )
        self.log[leader] += batch
        self.next_record_id += len(batch)

    @action(sentence="{leader} advances its high watermark")
    def high_watermark_reaches(self, leader: Replica, end: Offset) -> None:
        """A leader's high watermark moves over all that its ISR is seen to hold."""
        require(self.presumes_leadership(leader))
        require(self.hw[leader] < end)
        require(all(self.follows(r, leader) and self.acknowledges(r, leader) for r in self.isr[leader]))
        require(all(end <= len(self.log[r]) for r in self.isr[leader]))
        self.hw[leader] = end

    @action(sentence="a fetch of {follower} arrives at {leader}")
    def fetch_is_noted(self, leader: Replica, follower: Replica) -> None:
        """A leader takes note of a fetch, which is answered later or never."""
        require(self.presumes_leadership(leader))
        self.read[follower] = self.hw[leader]

    @action(sentence="the answer of {leader} arrives at {follower}")
    def answer_arrives(self, follower: Replica, leader: Replica, end: Offset, hw: Offset) -> None:
        """The answer to a fetch: records up to an offset, and a high watermark that the leader had since it came."""
        require(self.presumes_leadership(leader) and self.follows(follower, leader))
        require(self.may_fetch(follower, leader))
        require(len(self.log[follower]) <= end and end <= len(self.log[leader]))
        require(self.read[follower] <= hw and hw <= self.hw[leader])
        self.log[follower] += self.log[leader][len(self.log[follower]) : end]
        self.hw[follower] = min(hw, end)

    @action(sentence="{replica} starts again")
    def replica_starts(self, replica: Replica, hw: Offset) -> None:
        """A broker that was killed comes back with its log, and the high watermark that it last wrote down."""
        require(hw <= self.hw[replica])
        self.hw[replica] = hw
        self.leader[replica] = None
        self.leader_epoch[replica] = None
        self.isr[replica] = frozenset()


class AsksItsLeader(PublishedOnTheWire):
    """A follower that truncates once its leader has answered (KIP-101)."""

    @action(sentence="{follower} learns that it follows {leader} in epoch {epoch}, and asks where to truncate")
    def follower_waits(self, follower: Replica, leader: Replica, epoch: Epoch) -> None:
        """A replica learns of a newer leader, and has asked it where to truncate."""
        require(follower != leader)
        require(self.is_told(epoch, leader))
        require(self.is_news(epoch, follower))
        self.leader[follower] = None
