"""KIP-497: the leader waits for every member of an ISR that the controller may have on record."""

from isrmodel.async_isr.lemmas import Lemmas
from isrmodel.async_isr.protocol import IsrByRequest
from isrmodel.vocabulary import Follower


class AsyncIsr(Lemmas, IsrByRequest):
    """KIP-497: the ISR last heard of and all that were asked for hold the high watermark back (the maximal ISR)."""

    def high_watermark_isr(self) -> frozenset[Follower]:
        """Whichever ISR the controller has on record by now, it is within these."""
        return self.leader.isr | self.pending_isr
