"""KIP-497 (AlterIsr, 2.7): a leader asks the controller for each change of the ISR, and reckons with the larger set."""

from isrcheck import constant
from isrmodel.kraft.state import Request, State
from isrmodel.vocabulary import Replica


class Kip497(State):
    """What a request must be based on, and whom the high watermark waits for while it is pending."""

    partition_epoch: bool = constant(True, "KIP-497: a request must be based on the partition epoch on record")
    maximal: bool = constant(True, "KIP-497: the high watermark also waits for whom a pending request would add")

    def maximal_isr(self, leader: Replica) -> frozenset[Replica]:
        """The ISR as a leader last learned of it, and all that its pending request names."""
        pending = self.request[leader]
        known = self.known[leader].isr
        return known if pending is None or not self.maximal else known | pending.isr

    def is_current(self, request: Request) -> bool:
        """Whether nothing was put on record since a leader asked, or only its leader epoch counts."""
        return request.epoch == self.now.epoch and (not self.partition_epoch or request.base == self.version)
