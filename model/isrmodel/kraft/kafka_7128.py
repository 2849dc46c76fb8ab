"""KAFKA-7128 (2.1) and the first rule of all: which follower a leader may ask to have back in the ISR."""

from isrcheck import constant
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Offset, Replica


class Kafka7128(State):
    """A follower must have fetched, in this leadership, from the high watermark and from the start of the epoch on."""

    hw_checked: bool = constant(True, "a follower joins the ISR only if it has reached the high watermark")
    start_checked: bool = constant(True, "KAFKA-7128: a follower joins only if it has reached the leader epoch's start")

    def may_be_added(self, leader: Replica, follower: Replica) -> bool:
        """Whether a follower has fetched far enough (`Partition.isFollowerInSync`)."""
        heard = self.heard[leader][follower]
        return (
            heard is not None
            and (not self.hw_checked or heard.offset >= self.hw[leader])
            and (not self.start_checked or heard.offset >= self.epoch_start(leader))
        )

    def epoch_start(self, leader: Replica) -> Offset:
        """The offset at which a leader's epoch began: below it are the records of earlier leaders."""
        return sum(1 for epoch in self.log[leader] if epoch < self.known[leader].epoch)
