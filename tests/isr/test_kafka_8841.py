"""KAFKA-8841: which fetches recompute the high watermark, and so who ends an idle stall."""

from functools import cache

import pytest

from isrcheck import Outcome, check
from isrcheck.lang.read import read_model
from isrmodel import MODELS
from isrmodel.vocabulary import HwFetches

THREE = {"replicas": 3, "max_records": 3, "lag_time_max": 2, "expiration_period": 1}
RULES = ("all", "progress", "progress-or-join")


@cache
def run(model: str, **more: int | str) -> Outcome:
    outcome = check(model, constants={**THREE, **more}, symmetry=True)
    assert outcome.cut is None
    return outcome


def steps(outcome: Outcome, name: str) -> int | None:
    trace = outcome.property(name).trace
    return trace.length - 1 if trace else None


@pytest.mark.parametrize("min_isr", [1, 2])
@pytest.mark.parametrize("rule", RULES)
def test_a_live_follower_ends_a_stall_only_up_to_2_3(rule: str, min_isr: int) -> None:
    found = run("isr-strict-min-isr", hw_fetches=rule, min_isr=min_isr)
    lengths = {1: 14, 2: 15}
    assert steps(found, "live_fetch_ends_stall") == (None if rule == "all" else lengths[min_isr])


@pytest.mark.slow
def test_reads_that_take_time_change_nothing_about_it() -> None:
    assert steps(run("isr-kip-501"), "live_fetch_ends_stall") == 19
    assert steps(run("isr-kip-501", hw_fetches="all"), "live_fetch_ends_stall") is None


def test_with_two_replicas_there_is_nobody_to_end_it() -> None:
    outcome = check("isr-strict-min-isr")
    assert "of two replicas" in outcome.not_asked["live_fetch_ends_stall"]


def test_each_version_has_its_own_rule() -> None:
    """2.3's with a minimum of one is `isr-kafka-7152`, state by state; an admission counts from 3.0 on."""
    before = run("isr-kafka-7152")
    assert run("isr-strict-min-isr", hw_fetches="all", min_isr=1).digest == before.digest
    assert run("isr-strict-min-isr", min_isr=1).digest != before.digest
    assert {rule: steps(run("isr-strict-min-isr", hw_fetches=rule), "hw_not_stalled") for rule in RULES} == {
        "all": 14,
        "progress": 8,
        "progress-or-join": 14,
    }


@pytest.mark.slow
def test_partitions_of_3_7_have_the_rule_too() -> None:
    small = {"replicas": 3, "max_records": 2, "lag_time_max": 1, "leader_epochs": 1}
    model = "partition-strict-min-isr-kip-320"
    always = check(model, constants={**small, "hw_fetches": "all"}, symmetry=True)
    assert check(model, constants={**small, "hw_fetches": "progress"}, symmetry=True).digest != always.digest
    [rule] = [c for c in read_model(MODELS[model]).constants if c.name == "hw_fetches"]
    assert rule.default == HwFetches.PROGRESS_OR_JOIN
