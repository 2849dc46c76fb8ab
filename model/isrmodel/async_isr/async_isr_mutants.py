"""AsyncIsr with less than the maximal ISR. Both are kept because they fail."""

from isrmodel.async_isr.lemmas import Lemmas
from isrmodel.async_isr.protocol import IsrByRequest
from isrmodel.vocabulary import Follower


class AsyncIsrCommittedOnly(Lemmas, IsrByRequest):
    """A leader that has asked for a follower to be added does not wait for it until it hears that it was.

    Violates `valid_high_watermark` with two replicas and one record: the controller grants the request, and before the
    leader learns of it a record is exposed that the new member lacks. When it does learn, it takes the record back,
    which violates `hw_never_decreases`.
    """

    def high_watermark_isr(self) -> frozenset[Follower]:
        """The ISR last heard of."""
        return self.leader.isr


class AsyncIsrProposedOnly(Lemmas, IsrByRequest):
    """A leader that has asked for a follower to be dropped stops waiting for it at once.

    Violates `valid_high_watermark` with two replicas and one record: until the controller has granted the request the
    follower may still be elected.
    """

    def high_watermark_isr(self) -> frozenset[Follower]:
        """The ISR asked for, if any; else the ISR last heard of."""
        return self.leader.isr if self.pending_version is None else self.pending_isr
