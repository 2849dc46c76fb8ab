"""The ISR of the isr-* models has its leader: what Kafka's text says of the ISR's size can be written as it stands."""

import pytest

from isrcheck import Model, check, invariant
from isrmodel.isr import DesignV3, Kafka4485V1, Kip501, StrictMinIsr
from isrmodel.isr.vocabulary import Leader
from isrmodel.vocabulary import Follower


class Pr23024(StrictMinIsr):
    """The text of apache/kafka PR 23024: below min.insync.replicas a follower must be caught up to be let in."""

    def may_join(self, follower: Follower) -> bool:
        """It has reached the high watermark; while the ISR is below the minimum it must not lag either."""
        reached = self.known[follower] >= self.hw
        if len(self.isr) < self.min_isr:
            return reached and not self.lags(follower)
        else:
            return reached


class StrictHasLeader(StrictMinIsr):
    @invariant
    def leader_in_isr(self) -> bool:
        """The leader never leaves the ISR."""
        return Leader.LEADER in self.isr and len(self.isr) >= 1


class DefinitionHasLeader(Kafka4485V1):
    @invariant
    def leader_in_isr(self) -> bool:
        """The leader never leaves the ISR."""
        return Leader.LEADER in self.isr and len(self.isr) >= 1


class DesignHasLeader(DesignV3):
    @invariant
    def leader_in_isr(self) -> bool:
        """The leader never leaves the ISR."""
        return Leader.LEADER in self.isr and len(self.isr) >= 1


class Kip501HasLeader(Kip501):
    @invariant
    def leader_in_isr(self) -> bool:
        """The leader never leaves the ISR."""
        return Leader.LEADER in self.isr and len(self.isr) >= 1


@pytest.mark.parametrize("model", [StrictHasLeader, DefinitionHasLeader, DesignHasLeader, Kip501HasLeader])
def test_the_leader_never_leaves_the_isr(model: type[Model]) -> None:
    outcome = check(model, properties=["leader_in_isr"], max_records=1)
    assert [p.verdict.value for p in outcome.properties] == ["holds"]


def test_the_text_of_the_pull_request_flaps_with_three_replicas() -> None:
    """With the ISR's size as Kafka counts it: above the minimum the follower need not be caught up."""
    outcome = check(Pr23024, properties=["no_bad_expand"], replicas=3)
    (bad_expand,) = outcome.properties
    assert (bad_expand.verdict.value, bad_expand.trace is not None and bad_expand.trace.length) == ("violated", 7)


def test_the_text_of_the_pull_request_is_the_variant_of_the_library() -> None:
    """With the same graph, by its digest, at its defaults."""
    own, library = check(Pr23024), check("isr-kafka-19996-fix")
    assert own.digest == library.digest is not None
