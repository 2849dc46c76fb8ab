"""What a soak does is decided before it begins, and can be repeated with fewer faults."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isrbrokers.plan import KINDS, Fault, fewest, random_plan, read_plan, write_plan
from isrcheck.errors import UsageError


def test_a_seed_decides_a_plan() -> None:
    plan = random_plan(1800, seed=7, brokers=3)
    assert plan == random_plan(1800, seed=7, brokers=3) != random_plan(1800, seed=8, brokers=3)
    assert len(plan) >= 40
    assert {fault.kind for fault in plan} == set(KINDS)
    assert all(0 <= fault.at < 1800 and 0 <= fault.node <= 3 for fault in plan)
    assert [fault.at for fault in plan] == sorted(fault.at for fault in plan)


def test_a_plan_is_kept(tmp_path: Path) -> None:
    plan = random_plan(600, seed=1, brokers=3)
    write_plan(plan, tmp_path / "plan.jsonl")
    assert read_plan(tmp_path / "plan.jsonl") == plan


@pytest.mark.parametrize("text", ["x", '{"at": 1}', '{"at": 1, "kind": "flood", "node": 1}'])
def test_what_is_no_plan_is_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.jsonl").write_text(text)
    with pytest.raises(UsageError, match="is not a plan that a soak wrote"):
        read_plan(tmp_path / "plan.jsonl")


@given(st.integers(1, 30), st.sets(st.integers(0, 29), min_size=1, max_size=4))
def test_the_fewest_faults_that_still_depart(size: int, needed: set[int]) -> None:
    faults = [Fault(float(at), "kill", 1) for at in range(size)]
    wanted = {at for at in needed if at < size}

    def departs(plan: Sequence[Fault]) -> bool:
        return wanted <= {int(fault.at) for fault in plan}

    found = fewest(faults, departs)
    assert departs(found)
    assert {int(fault.at) for fault in found} == wanted or len(found) == 1
