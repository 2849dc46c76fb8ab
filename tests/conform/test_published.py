"""Lines of ZooKeeper's time, written by hand: what a new follower truncates, and when."""

import pytest
from tests.conform.hand_written import events, judged

from isrlogs.conform.verdict import Verdict

HANDLER, FETCHER = "kafka-request-handler-0", "ReplicaFetcherThread-0-1"
ORDERS = [
    ("orders", "", "leader=1 epoch=0 broker=1 isr=1,2"),
    ("orders", "", "leader=1 epoch=0 broker=2 isr=1,2"),
    ("orders", "", "leader=2 epoch=1 broker=2 isr=1,2"),
]
LEADER = [
    ("leads", HANDLER, "epoch=0 replicas=1,2 isr=1,2"),
    ("append", HANDLER, "first=0 end=1"),
    ("known", HANDLER, "follower=2 offset=0"),
    ("known", HANDLER, "follower=2 offset=1"),
    ("hw_up", HANDLER, "to=1"),
    ("append", HANDLER, "first=1 end=2"),
]
FOLLOWER = [
    ("follows", HANDLER, "leader=1 epoch=0 replicas=1,2 isr=1,2"),
    ("fetched", FETCHER, "leader=1 end=0 leader_hw=0"),
    ("append", FETCHER, "first=0 end=1"),
    ("fetch_done", FETCHER, "leader=1 hw=0"),
    ("leads", HANDLER, "epoch=1 replicas=1,2 isr=1,2"),
]
TOLD = ("follows", HANDLER, "leader=2 epoch=1 replicas=1,2 isr=1,2")


def verdict_on(*more: tuple[str, str, str], model: str, broker_2: list[tuple[str, str, str]] = FOLLOWER) -> Verdict:
    found = events(controller=ORDERS, broker_1=[*LEADER, *more], broker_2=broker_2, client=[])
    for event in found:
        object.__setattr__(event, "source", "log")
    return judged(found, model)


@pytest.mark.parametrize("model", ["truncate-to-high-watermark", "kip-101", "kip-320"])
def test_a_truncation_that_all_rules_agree_on(model: str) -> None:
    assert verdict_on(TOLD, ("truncate", HANDLER, "to=1"), model=model).verdict == "conforms"


def test_a_follower_that_waits_for_an_answer_has_not_truncated_yet() -> None:
    assert verdict_on(TOLD, model="kip-101").verdict == "conforms"
    departs = verdict_on(TOLD, model="truncate-to-high-watermark")
    assert departs.unexplained is not None
    assert departs.unexplained.because.endswith("broker 1 would have said truncate(to=1)")


def test_what_a_leader_answers_is_truncated_later() -> None:
    answered = ("truncates", FETCHER, "leader=2 why=answered"), ("truncate", FETCHER, "to=1")
    assert verdict_on(TOLD, *answered, model="kip-101").verdict == "conforms"
    departs = verdict_on(TOLD, answered[0], ("truncate", FETCHER, "to=0"), model="kip-101")
    assert (departs.verdict, departs.exit) == ("departs", 12)


def test_a_broker_that_comes_back_knows_the_high_watermark_that_it_wrote_down() -> None:
    back = [("log_loaded", "main", "end=2"), TOLD, ("truncate", HANDLER, "to=0")]
    made = ("log_loaded", HANDLER, "end=0")
    verdict = verdict_on(made, *back, model="truncate-to-high-watermark")
    assert verdict.verdict == "conforms"
    assert verdict.trace is not None
    assert [step.action for step in verdict.trace.steps][-2:] == ["replica_starts", "replica_becomes_follower"]
    assert verdict_on(made, *back, model="kip-320").verdict == "departs"


def test_what_nobody_can_have_copied() -> None:
    early = [FOLLOWER[0], ("fetched", FETCHER, "leader=1 end=0 leader_hw=1"), *FOLLOWER[2:]]
    verdict = verdict_on(model="truncate-to-high-watermark", broker_2=early)
    assert verdict.verdict == "departs"


def test_orders_must_be_in_the_run() -> None:
    verdict = judged(events(), "kip-320")
    assert verdict.verdict == "undetermined"
    assert verdict.why.endswith("is in the run: state.change.logger at TRACE would tell of them")


def test_a_broker_without_a_log_is_named() -> None:
    found = verdict_on(model="kip-101", broker_2=[])
    assert (found.verdict, found.why) == ("undetermined", "nothing was written by broker 2: its log is missing")
