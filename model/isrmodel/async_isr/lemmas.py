"""Lemmas for the proof of `valid_high_watermark`, which follows from the last of them. Not part of the design."""

from isrcheck import lemma
from isrmodel.async_isr.protocol import IsrByRequest


class Lemmas(IsrByRequest):
    """The leader's knowledge, compared with what the controller has on record."""

    @lemma
    def leader_is_behind(self) -> bool:
        """The leader knows only of versions that the controller has made."""
        return self.leader.version <= self.controller.version

    @lemma
    def requests_are_reckoned_with(self) -> bool:
        """A request that the controller may still grant is based on what the leader knows, who reckons with it."""
        return all(
            request.version < self.leader.version
            or (request.version == self.leader.version and request.isr <= self.pending_isr)
            for request in self.requests
        )

    @lemma
    def news_only_shrinks(self) -> bool:
        """The controller has only dropped members in updates that the leader has not heard of: it granted nothing."""
        return all(
            update.version <= self.leader.version
            or (update.version <= self.controller.version and self.controller.isr <= update.isr)
            for update in self.updates
        )

    @lemma
    def controller_isr_is_within_maximal(self) -> bool:
        """The ISR on the controller's record is within what the leader knows and has asked for."""
        return self.controller.isr <= self.leader.isr | self.pending_isr
