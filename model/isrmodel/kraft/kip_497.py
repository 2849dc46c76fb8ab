"""KIP-497 (AlterIsr, 2.7): a leader asks the controller for each change of the ISR, and reckons with the larger set."""

from isrcheck import constant
from isrmodel.kraft.state import Request, State
from isrmodel.vocabulary import Replica


class Kip497(State):
    """The basis of a request, and the replicas for which the high watermark waits while it is pending."""

    partition_epoch: bool = constant(True, "KIP-497: a request must be based on the partition epoch on record")
    maximal: bool = constant(True, "KIP-497: the high watermark also waits for whom a pending request would add")

    overtaken: frozenset[Replica] = (
        frozenset()
    )  # who waits no more for what it asked, while the request may still arrive

    def request_pending(self, leader: Replica) -> Request | None:
        """The request that a leader has sent and waits for, if any."""
        return None if leader in self.overtaken else self.request[leader]

    def stop_waiting(self, leader: Replica) -> None:
        """A leader waits no more. On an old partition epoch its request changes nothing, so it may be forgotten."""
        if self.partition_epoch:
            self.request[leader] = None
        else:
            self.overtaken |= {leader}

    def maximal_isr(self, leader: Replica) -> frozenset[Replica]:
        """The ISR as a leader last learned of it, and all that its pending request names."""
        pending = self.request_pending(leader)
        known = self.known[leader].isr
        return known if pending is None or not self.maximal else known | pending.isr

    def is_current(self, request: Request) -> bool:
        """Whether nothing was put on record since a leader asked, or only its leader epoch counts."""
        return request.epoch == self.now.epoch and (not self.partition_epoch or request.base == self.version)
