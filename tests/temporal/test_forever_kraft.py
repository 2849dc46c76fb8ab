"""What a partition under KRaft does for ever: stuck states and behaviours agree, and tickets are lassos."""

import tomllib
from typing import Any

import pytest
from tests.tables import SPECS

from isrcheck import check

AGREE = {"no_stall": "hw_not_stuck", "requests_end": "request_not_stuck", "leader_comes": "leaderless"}
RUNS: list[dict[str, Any]] = tomllib.loads((SPECS / "forever-kraft.toml").read_text(encoding="utf-8"))["run"]


def test_what_is_stuck_as_a_state_waits_for_ever() -> None:
    """Where both are asked, each behaviour that waits for ever ends in a stuck state."""
    asked = [
        (run["expect"][one], run["expect"].get(two))
        for run in RUNS
        for one, two in AGREE.items()
        if one in run["expect"]
    ]
    both = [(one, two.split()[0]) for one, two in asked if two is not None]
    assert {one for one, _ in both} == {"holds", "violated"}
    assert len(both) >= 9
    assert all(one == two for one, two in both)


@pytest.mark.parametrize(("mended", "verdict"), [(False, "violated"), (True, "holds")])
def test_a_stall_after_a_shrink_is_a_lasso(mended: bool, verdict: str) -> None:
    """KAFKA-13091."""
    constants = next(run["constants"] for run in RUNS if not run["constants"].get("hw_on_learn", True))
    outcome = check(
        "forever-kraft",
        engine="reference",
        properties=["no_stall"],
        fairness=["protocol_goes_on"],
        constants={**constants, "hw_on_learn": mended},
    )
    assert outcome.property("no_stall").verdict.value == verdict
