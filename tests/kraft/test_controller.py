"""What Kafka's own controller does and models had otherwise (`ReplicationControlManager` of 3.3.2 to 4.4.0)."""

from typing import Any, Self

import pytest

from isrcheck import check, step
from isrmodel.kraft.releases import Kraft35, Kraft36, Kraft41

CLEAN_STOP: dict[str, Any] = {"fences": 1, "clean_stops": 1, "max_version": 6, "max_epoch": 6, "max_session": 1}


class Stops41(Kraft41):
    """A broker that is shutting down and was fenced."""

    @step
    def who_leaves_stays_fenced(self, before: Self) -> bool:
        """It is not unfenced before it is down."""
        return all(r in self.fenced for r in before.fenced if r in before.leaving and r in self.leaving)


class Leaderless36(Kraft36):
    """A partition without a leader, from 3.6 on."""

    @step
    def who_is_without_a_leader_stays_in_its_epoch(self, before: Self) -> bool:
        """No leader epoch begins while nobody leads before and after."""
        return before.now.leader is not None or self.now.leader is not None or self.now.epoch == before.now.epoch


class Leaderless35(Kraft35):
    """The same, up to 3.5."""

    @step
    def who_is_without_a_leader_stays_in_its_epoch(self, before: Self) -> bool:
        """No leader epoch begins while nobody leads before and after."""
        return before.now.leader is not None or self.now.leader is not None or self.now.epoch == before.now.epoch


@pytest.mark.parametrize(
    ("model", "property_name", "verdict"),
    [
        (Stops41, "who_leaves_stays_fenced", "holds"),
        (Leaderless36, "who_is_without_a_leader_stays_in_its_epoch", "holds"),
        (Leaderless35, "who_is_without_a_leader_stays_in_its_epoch", "violated"),
    ],
)
def test_of_a_clean_stop(model: Any, property_name: str, verdict: str) -> None:
    outcome = check(model, properties=[property_name], constants=CLEAN_STOP, vacuity=False)
    assert outcome.properties[0].verdict.value == verdict


@pytest.mark.parametrize("name", ["kraft-3.8", "kraft-3.9"])
def test_unclean_elections_are_heeded_since_3_9(name: str) -> None:
    constants = {"unclean": True, "min_isr": 1, "fences": 2, "max_version": 6, "max_epoch": 6, "max_session": 0}
    (acked,) = check(name, properties=["acked_in_leader"], constants=constants, vacuity=False).properties
    assert acked.verdict.value == ("violated" if name == "kraft-3.9" else "holds")
