"""KAFKA-12686 (3.0) and KAFKA-14144 (3.3): what becomes of a request once the controller has gone on.

The answer to a request and the metadata record that it made are two messages. This model joins them: an answer is that
the leader learns. Before KAFKA-12686 they were handled apart: metadata that came first took the request out of
`AlterIsrManager`, so that a leader could make another one, which the answer to the first then took out unsent.
"""

from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.kip_497 import Kip497
from isrmodel.vocabulary import Replica

Mark = Annotated[int, UpTo("clears_pending")]  # 1 if so


class Kafka12686(Kip497):
    """A pending request is on its way or answered; one that is refused as stale may have been granted before."""

    clears_pending: bool = constant(False, "before KAFKA-12686: a leader may ask before its last request is answered")
    rolls_back: bool = constant(False, "before KAFKA-14144: a leader takes back a request that is refused as stale")

    unanswered: dict[Replica, Mark] = each(Replica, 0)  # metadata has settled a request whose answer is on its way
    unsent: dict[Replica, Mark] = each(Replica, 0)  # the pending request is behind that answer, or was lost with it

    def is_sent(self, leader: Replica) -> bool:
        """Whether a leader's request is on its way to the controller."""
        return self.unsent[leader] == 0

    def is_lost(self, leader: Replica) -> bool:
        """Whether a leader's request will never be sent."""
        return self.unsent[leader] == 1 and self.unanswered[leader] == 0

    def settle_unanswered(self, leader: Replica) -> None:
        """Newer metadata settles a leader's request; its answer may come yet."""
        if self.clears_pending and self.request_pending(leader) is not None and self.is_sent(leader):
            self.unanswered[leader] = 1
        self.unsent[leader] = 0
        self.stop_waiting(leader)
